// SPDX-License-Identifier: MPL-2.0

package outfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// lock locks the open file at path against other processes and other outputs of this one, without
// waiting. It returns ErrBusy if the file is locked, and fs.ErrNotExist if it is not at path any more. A
// file system without locks tells no processes apart.
func lock(f *os.File, path string) error {
	// One byte behind any content, so that the file itself can be written.
	behind := &windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, behind)

	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION):
		return ErrBusy
	case err != nil && !errors.Is(err, windows.ERROR_NOT_SUPPORTED) && !errors.Is(err, windows.ERROR_INVALID_FUNCTION):
		return os.NewSyscallError("LockFileEx", err)
	case !isAt(f, path):
		return fs.ErrNotExist
	}
	return nil
}

// unlock closes an open file, which ends its lock.
func unlock(f *os.File) { _ = f.Close() }

// removeOpen closes a locked file and removes its names. An open file cannot be removed here, so that
// nobody else's is removed in between.
func removeOpen(f *os.File, names ...string) error {
	unlock(f)

	for _, path := range names {
		if err := os.Remove(path); err != nil {
			return err
		}
	}

	return nil
}

// stampOf returns the stamp of a file, which has no inode here.
func stampOf(info fs.FileInfo) Stamp {
	return Stamp{Size: info.Size(), ModTime: info.ModTime().UnixNano()}
}
