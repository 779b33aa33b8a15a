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

// lock locks the open file at path against other processes and other outputs of this one, without
// waiting. It returns ErrBusy if the file is locked, and fs.ErrNotExist if it is not at path any more. A
// file system without locks tells no processes apart.
func lock(f *os.File, path string) error {
	err := error(unix.EINTR)
	for errors.Is(err, unix.EINTR) {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}

	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrBusy
	}
	if !isAt(f, path) {
		return fs.ErrNotExist
	}

	return nil
}

// unlock ends the lock of an open file and closes it. Closing alone would not end the lock while a child
// process that is just being started has the file open too.
func unlock(f *os.File) {
	_ = unix.Flock(int(f.Fd()), unix.LOCK_UN)
	_ = f.Close()
}

// removeOpen removes the names of a locked file, and then ends its lock. In the other order, it could
// remove a file that another process has locked in between.
func removeOpen(f *os.File, names ...string) error {
	defer unlock(f)
	for _, path := range names {
		if !isAt(f, path) {
			return fs.ErrNotExist
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}

	return nil
}

func stampOf(info fs.FileInfo) Stamp {
	stamp := Stamp{Size: info.Size(), ModTime: info.ModTime().UnixNano()}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		stamp.Inode = uint64(stat.Ino) //nolint:unconvert // the type differs between systems
	}
	return stamp
}
