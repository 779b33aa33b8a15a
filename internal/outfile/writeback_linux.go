package outfile

import (
	"os"

	"golang.org/x/sys/unix"
)

// startWriteback has the system begin to write a part of the file to the disk, so that
// the last fsync finds little left to do. Where that fails, fsync does all of it.
func startWriteback(f *os.File, offset, length int64) {
	_ = unix.SyncFileRange(int(f.Fd()), offset, length, unix.SYNC_FILE_RANGE_WRITE)
}
