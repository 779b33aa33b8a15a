// SPDX-License-Identifier: MPL-2.0

package outfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// errRemoved is returned if somebody has moved or removed the temporary file, or its folder.
var errRemoved = errors.New("the unfinished file beside it, .analytics-*.tmp, was removed by somebody else, or its folder was moved")

// openAttempts is how often a temporary file is opened again after another process removed it.
const openAttempts = 100

// temporaryOf returns the path of the temporary file of a target.
func temporaryOf(path string) string {
	sum := sha256.Sum256([]byte(filepath.Base(canonical(path))))
	return filepath.Join(filepath.Dir(path), ".analytics-"+hex.EncodeToString(sum[:8])+".tmp")
}

// openTemporary creates and locks the temporary file. The process that holds it is the only one to write
// the target. It returns ErrBusy, without waiting, if somebody is writing the target.
func (o *Output) openTemporary() error {
	for range openAttempts {
		f, err := os.OpenFile(o.temporary, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			err = o.removeStale()
			if err == nil || errors.Is(err, fs.ErrNotExist) {
				continue
			}
		}
		if err != nil {
			return folderError(err)
		}

		if lock(f, o.temporary) == nil {
			o.f = f
			return nil
		}
		unlock(f) // another process takes it for one that was left
	}

	return ErrBusy
}

// removeStale removes a temporary file that a killed process left, and does not empty it: it may be the second name
// of a finished file. A target that nobody has recorded is removed too, unless it may be replaced.
func (o *Output) removeStale() error {
	settle(o.key) // that of an earlier run in this process
	f, err := os.OpenFile(o.temporary, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer unlock(f)

	if err := lock(f, o.temporary); err != nil {
		return err
	}
	if !o.Replace && IsUnrecorded(o.Path) {
		return removeOpen(f, o.Path, o.temporary)
	}

	return removeOpen(f, o.temporary)
}

// isAt reports whether a path leads to an open file. It does not follow a symbolic link at its end.
func isAt(f *os.File, path string) bool {
	opened, missing := f.Stat()
	named, err := os.Lstat(path)
	return missing == nil && err == nil && os.SameFile(opened, named)
}

// putInPlace gives the file the name of the target as a second name, and returns ErrExists if that is
// taken and may not be replaced.
func (o *Output) putInPlace() error {
	if runtime.GOOS == "windows" { // does not rename open files
		_ = o.f.Close()
	}

	if !o.Replace {
		if os.Link(o.temporary, o.Path) == nil {
			o.isInPlace = true
			return nil
		}
		// The name is taken, or a file system without hard links can only look at it just before.
		if err := Check(o.Target); err != nil {
			return err
		}
	}

	if err := os.Rename(o.temporary, o.Path); err != nil {
		return Pathless(err)
	}
	o.isInPlace = true
	_ = os.Link(o.Path, o.temporary) // where the file system can

	return nil
}

// unrecorded has the files of this process that Terraform may not have recorded yet: an *Output by canonical path.
var unrecorded sync.Map

// Settle gives up the temporary names of all files of this process, at its end: what Terraform has not
// recorded by then, it never will.
func Settle() {
	for key := range unrecorded.Range {
		settle(key)
	}
}

// settle gives up the temporary name of the file at a canonical path, if this process has written it.
func settle(key any) {
	held, _ := unrecorded.LoadAndDelete(key)
	if o, isHeld := held.(*Output); isHeld {
		o.Close()
	}
}

// Confirm gives up the temporary name of the file at path, which Terraform has recorded.
func Confirm(path string) {
	settle(canonical(path))
	if IsUnrecorded(path) {
		_ = os.Remove(temporaryOf(path))
	}
}

// IsUnrecorded reports whether a killed process has put the file at path there before anybody could
// record it: the file has its temporary name too.
func IsUnrecorded(path string) bool { return isSameFile(path, temporaryOf(path)) }
