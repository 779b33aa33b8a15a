// SPDX-License-Identifier: MPL-2.0

package outfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// lock locks an open file against other processes and other reservations of this one, without
// waiting. It returns ErrBusy if the file is locked. A file system without locks tells no
// processes apart. The lock ends with closeLocked.
func lock(f *os.File) error {
	// One byte behind any content, so that the file itself can be written.
	behind := &windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, behind)

	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION):
		return ErrBusy
	case errors.Is(err, windows.ERROR_NOT_SUPPORTED), errors.Is(err, windows.ERROR_INVALID_FUNCTION):
		return nil
	}
	return os.NewSyscallError("LockFileEx", err)
}

// closeLocked closes a file, which ends its lock.
func closeLocked(f *os.File) { _ = f.Close() }

// stampOf returns the stamp of a file, which has no inode here.
func stampOf(info fs.FileInfo) Stamp {
	return Stamp{Size: info.Size(), ModTime: info.ModTime().UnixNano()}
}
