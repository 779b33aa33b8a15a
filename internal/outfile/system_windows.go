package outfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// openLock opens a lock file exclusively. The system removes it when its handle is
// closed, even if the process is killed.
func openLock(folder *os.Root, name string) (*os.File, error) {
	path := filepath.Join(folder.Name(), name)
	wide, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}

	const attributes = windows.FILE_ATTRIBUTE_HIDDEN | windows.FILE_FLAG_DELETE_ON_CLOSE | windows.FILE_FLAG_OPEN_REPARSE_POINT
	handle, err := windows.CreateFile(wide, windows.GENERIC_READ|windows.GENERIC_WRITE|windows.DELETE, 0, nil, windows.OPEN_ALWAYS, attributes, 0)
	if errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
		return nil, ErrBusy
	}
	if err != nil {
		return nil, err
	}

	return os.NewFile(uintptr(handle), path), nil
}

// freeSpace returns how many bytes this user may still write to the file's disk, if that
// is known.
func freeSpace(f *os.File) (free int64, known bool) {
	folder, err := windows.UTF16PtrFromString(filepath.Dir(f.Name()))
	if err != nil {
		return 0, false
	}

	var ours uint64
	if windows.GetDiskFreeSpaceEx(folder, &ours, nil, nil) != nil {
		return 0, false
	}

	return int64(min(ours, 1<<62)), true //nolint:gosec // bounded
}

// inodeOf returns 0: files have no inodes on these systems.
func inodeOf(fs.FileInfo) uint64 { return 0 }

// isOurs returns true: on these systems the name alone has to tell.
func isOurs(fs.FileInfo) bool { return true }
