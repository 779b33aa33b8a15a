//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd && !windows

package outfile

import "os"

// openLock returns errNoLocks: only the objects of one process are kept apart.
func openLock(*os.Root, string) (*os.File, error) { return nil, errNoLocks }
