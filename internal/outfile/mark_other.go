//go:build !darwin && !linux

package outfile

import "os"

// mark does nothing: only processes that write at the same time are kept apart.
func mark(*os.File) bool { return false }

// writtenByAnother returns false: files are not marked on these systems.
func writtenByAnother(*os.Root, string) bool { return false }
