//go:build linux || darwin || freebsd

package outfile

import (
	"os"

	"golang.org/x/sys/unix"
)

// freeSpace returns how many bytes this user may still write to the file's disk, if that
// is known.
func freeSpace(f *os.File) (free int64, known bool) {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0, false
	}

	var disk unix.Statfs_t
	controlled := conn.Control(func(fd uintptr) { err = unix.Fstatfs(int(fd), &disk) })
	if controlled != nil || err != nil {
		return 0, false
	}

	return int64(disk.Bavail) * int64(disk.Bsize), true //nolint:gosec,unconvert // the types differ between systems
}
