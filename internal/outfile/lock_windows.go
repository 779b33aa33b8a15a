package outfile

import (
	"errors"
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
