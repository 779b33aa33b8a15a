package outfile

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

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
