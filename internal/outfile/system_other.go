//go:build !darwin && !linux

package outfile

import (
	"errors"
	"os"
)

// mark does nothing: only processes that write at the same time are kept apart.
func mark(*os.File) bool { return false }

// writtenByAnother returns false: files are not marked on these systems.
func writtenByAnother(*os.Root, string) bool { return false }

// openUnnamed reports that files without a name are not supported.
func openUnnamed(*os.Root) (f *os.File, ok bool) { return nil, false }

func linkUnnamed(*os.Root, *os.File, string) error { return errors.ErrUnsupported }

// startWriteback does nothing: the final fsync writes the whole file.
func startWriteback(*os.File, int64, int64) {}
