//go:build !linux

package outfile

import (
	"errors"
	"os"
)

// openUnnamed reports that files without a name are not supported.
func openUnnamed(*os.Root) (f *os.File, ok bool) { return nil, false }

func linkUnnamed(*os.Root, *os.File, string) error { return errors.ErrUnsupported }
