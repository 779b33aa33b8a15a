package outfile

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// runOf identifies a run by its process: by the number and the start time, in clock ticks
// since the machine was booted. Numbers alone are reused, in containers soon.
func runOf(process int) (string, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	if err != nil {
		return "", false
	}

	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", false
	}

	// The name in parentheses may hold spaces; starttime is the 20th field behind it.
	_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 20 {
		return "", false
	}

	return fmt.Sprintf("%s.%d.%s", strings.TrimSpace(string(boot)), process, fields[19]), true
}

// openUnnamed creates a file without a name. ok is false if the file system does not
// support that, or if the file could not be given a name later.
func openUnnamed(folder *os.Root) (f *os.File, ok bool) {
	dir, err := folder.Open(".")
	if err != nil {
		return nil, false
	}
	defer dir.Close()

	fd, err := unix.Openat(int(dir.Fd()), ".", unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, false
	}
	f = os.NewFile(uintptr(fd), "unnamed")

	if _, err := os.Stat(descriptorPath(f)); err != nil {
		_ = f.Close()
		return nil, false
	}

	return f, true
}

// linkUnnamed gives the file a name. It returns fs.ErrExist if the name is taken.
func linkUnnamed(folder *os.Root, f *os.File, name string) error {
	dir, err := folder.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()

	// AT_EMPTY_PATH would need a capability on older kernels.
	return unix.Linkat(unix.AT_FDCWD, descriptorPath(f), int(dir.Fd()), name, unix.AT_SYMLINK_FOLLOW)
}

func descriptorPath(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }

// startWriteback starts writing a part of the file to the disk, so that the final fsync
// has little left to do. If it fails, fsync does all of it.
func startWriteback(f *os.File, offset, length int64) {
	_ = unix.SyncFileRange(int(f.Fd()), offset, length, unix.SYNC_FILE_RANGE_WRITE)
}
