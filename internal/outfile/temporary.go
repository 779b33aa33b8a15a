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
	"strings"
)

// temporary is the file beside a target that holds the new content until it is complete. Its
// name is derived from the target, and its lock is that of the target: the process that holds
// it is the only one to write there, and finds what a killed process left.
type temporary struct {
	folder *os.Root
	target string // its name
	name   string
	f      *os.File

	inPlace string // canonical path of the target, once the file is there
	keeps   bool   // close keeps the name: it is the target's now, removed, or for the next process
}

// errRemoved is returned if somebody has moved or removed the temporary file, or its folder.
var errRemoved = errors.New("the unfinished file beside it, .analytics-*.tmp, was removed by somebody else, or its folder was moved")

// openAttempts is how often a temporary file is opened again after another process removed it.
const openAttempts = 100

func temporaryName(target string) string {
	if foldsCase {
		target = strings.ToLower(target)
	}
	sum := sha256.Sum256([]byte(target))

	return ".analytics-" + hex.EncodeToString(sum[:8]) + ".tmp"
}

// secondName returns the name that a temporary file has too while it replaces another file.
func secondName(temporary string) string { return strings.TrimSuffix(temporary, ".tmp") + "-2.tmp" }

// openTemporary creates and locks the temporary file of a target, and removes the one that a
// killed process left. It returns ErrBusy, without waiting, if somebody is writing the target.
// isNew says that the target is not recorded as anybody's: a file there that a killed process put
// there, and that nobody has recorded, is removed too.
func openTemporary(folder *os.Root, target string, isNew bool) (*temporary, error) {
	t := &temporary{folder: folder, target: target, name: temporaryName(target)}
	for range openAttempts {
		f, err := folder.OpenFile(t.name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		created := err == nil
		if errors.Is(err, fs.ErrExist) {
			f, err = folder.OpenFile(t.name, os.O_RDWR, 0)
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if errors.Is(err, fs.ErrPermission) && t.allow() {
			continue
		}
		if err != nil {
			return nil, folderError(err)
		}

		t.f = f
		if err := lock(f); err != nil {
			_ = f.Close()
			return nil, err
		}
		if created && t.isInPlace() {
			_ = f.Chmod(0o600) // whatever the umask takes away
			return t, nil
		}

		// A killed process left it. Emptying it could empty a finished file that has this as
		// its second name.
		if t.isInPlace() {
			err = t.removeLeft(isNew)
		}
		closeLocked(f)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, folderError(err)
		}
	}

	return nil, ErrBusy
}

// removeLeft removes what a killed process left.
func (t *temporary) removeLeft(isNew bool) error {
	if isNew && isUnrecorded(t.folder, t.target) {
		if err := t.folder.Remove(t.target); err != nil {
			return err
		}
	}
	if err := t.folder.Remove(secondName(t.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}

	return t.folder.Remove(t.name)
}

// allow gives a temporary file back the rights that a strict umask took from it, if its process
// was killed before it could do so itself.
func (t *temporary) allow() bool {
	_, err := statRegular(t.folder, t.name)
	return err == nil && t.folder.Chmod(t.name, 0o600) == nil
}

// isInPlace reports whether the open file still has its name, and whether the path of its folder
// still leads to it: nobody would look for the target in a folder that was moved.
func (t *temporary) isInPlace() bool {
	opened, err := t.f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(filepath.Join(t.folder.Name(), t.name))
	return err == nil && os.SameFile(opened, named)
}

// putInPlace gives the file the name of the target as a second name. Without replace it returns
// ErrExists if that is taken. A file system without hard links moves the file instead, and can only
// look at the name just before.
func (t *temporary) putInPlace(replace bool) error {
	if runtime.GOOS == "windows" { // does not rename open files
		if err := t.f.Close(); err != nil {
			return Pathless(err)
		}
	}

	err := t.folder.Link(t.name, t.target)
	if errors.Is(err, fs.ErrExist) && !replace {
		return ErrExists
	}
	if errors.Is(err, fs.ErrExist) {
		second := secondName(t.name)
		if err = t.folder.Link(t.name, second); err == nil {
			err = t.folder.Rename(second, t.target)
		}
		if err != nil {
			_ = t.folder.Remove(second)
		}
	}
	if err == nil {
		return nil
	}

	if _, err := t.folder.Lstat(t.target); !replace && !errors.Is(err, fs.ErrNotExist) {
		return ErrExists
	}
	if err := t.folder.Rename(t.name, t.target); err != nil {
		return Pathless(err)
	}
	t.keeps = true

	return nil
}

// close removes the file unless it is in place, and then ends its lock. In the other order, it
// could remove a file that another process has locked in between.
func (t *temporary) close() {
	if !t.keeps {
		_ = t.folder.Remove(t.name)
		t.keeps = true
	}
	closeLocked(t.f)
	_ = t.folder.Close()
}
