//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd && !windows

package outfile

import (
	"io/fs"
	"os"
)

// openLock returns errNoLocks: only the objects of one process are kept apart.
func openLock(*os.Root, string) (*os.File, error) { return nil, errNoLocks }

// inodeOf returns 0: files have no inodes on these systems.
func inodeOf(fs.FileInfo) uint64 { return 0 }

// isOurs returns true: on these systems the name alone has to tell.
func isOurs(fs.FileInfo) bool { return true }
