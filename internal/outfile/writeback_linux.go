package outfile

import (
	"os"

	"golang.org/x/sys/unix"
)

// startWriteback starts writing a part of the file to the disk, so that the final fsync
// has little left to do. If it fails, fsync does all of it.
func startWriteback(f *os.File, offset, length int64) {
	_ = unix.SyncFileRange(int(f.Fd()), offset, length, unix.SYNC_FILE_RANGE_WRITE)
}
