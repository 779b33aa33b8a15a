//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd

package outfile

import (
	"io/fs"
	"os"
)

// hold does nothing here: an open file could not be replaced or removed.
func hold(f *os.File) { _ = f.Close() }

func letGo(fileID) {}

func heldElsewhere(*os.Root, string, fs.FileInfo) bool { return false }

// fileID tells files apart, and is the same for all of them here.
type fileID struct{ inode uint64 }

func idOf(fs.FileInfo) fileID { return fileID{} }

// isOurs goes by the name alone here.
func isOurs(fs.FileInfo) bool { return true }
