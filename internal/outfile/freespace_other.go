//go:build !linux && !darwin && !freebsd && !windows

package outfile

import "os"

// freeSpace reports that the free space is not known: a full disk is noticed once it is
// full.
func freeSpace(*os.File) (free int64, known bool) { return 0, false }
