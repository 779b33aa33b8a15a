//go:build !linux

package outfile

import (
	"errors"
	"os"
)

func openUnnamed(*os.Root) (f *os.File, ok bool) { return nil, false }

func linkUnnamed(*os.Root, *os.File, string) error { return errors.ErrUnsupported }
