package outfile

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

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
