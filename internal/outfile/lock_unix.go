// SPDX-License-Identifier: MPL-2.0

//go:build !windows

package outfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// lock locks an open file against other processes and other reservations of this one, without
// waiting. It returns ErrBusy if the file is locked. A file system without locks tells no
// processes apart. The lock ends with closeLocked.
func lock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if errors.Is(err, unix.EWOULDBLOCK) {
			return ErrBusy
		}
		if !errors.Is(err, unix.EINTR) {
			return nil
		}
	}
}

// closeLocked ends the lock of a file and closes it. Without the first step, a child that this process
// is starting at the moment would keep the lock until it runs its program.
func closeLocked(f *os.File) {
	_ = unix.Flock(int(f.Fd()), unix.LOCK_UN)
	_ = f.Close()
}

func stampOf(info fs.FileInfo) Stamp {
	stamp := Stamp{Size: info.Size(), ModTime: info.ModTime().UnixNano()}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		stamp.Inode = uint64(stat.Ino) //nolint:unconvert // the type differs between systems
	}
	return stamp
}
