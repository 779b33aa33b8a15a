package outfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
)

// temporary is a file that is not in place yet.
type temporary struct {
	folder *os.Root
	lock   *targetLock
	f      *os.File
	name   string // empty if it has none: it vanishes with its last descriptor
	closed bool
	placed bool
}

// createTemporary creates the file, without a name if the system supports that.
func createTemporary(folder *os.Root, lock *targetLock) (*temporary, error) {
	if f, ok := openUnnamed(folder); ok {
		return &temporary{folder: folder, lock: lock, f: f}, nil
	}

	t := &temporary{folder: folder, lock: lock, name: lock.temporaryName()}
	if !lock.held() {
		// Without a lock, another process may be writing the file with the usual name.
		t.name = ".analytics-" + rand.Text() + ".tmp"
	}

	f, err := folder.OpenFile(t.name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, folderError(err)
	}

	t.f = f

	return t, nil
}

// publishNew gives the file its name. It returns ErrExists if the name is taken; on a
// file system without hard links, it can only look at the name just before.
func (t *temporary) publishNew(name string) error {
	err := t.link(name)
	if err == nil {
		t.placed = true
		t.dropName()
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		return existsError(t.folder, name)
	}

	if t.name == "" {
		return explained(err)
	}

	if _, err := t.folder.Lstat(name); err == nil {
		return ErrExists
	}

	return t.rename(name)
}

// existsError returns the error about a name that is taken.
func existsError(folder *os.Root, name string) error {
	if _, err := statRegular(folder, name); errors.Is(err, ErrNotRegular) {
		return ErrNotRegular
	}
	return ErrExists
}

// publish gives the file its name, and replaces the file that has it.
func (t *temporary) publish(name string) error {
	if t.name == "" {
		if err := t.link(t.lock.temporaryName()); err != nil {
			return explained(err)
		}
		t.name = t.lock.temporaryName()
	}

	return t.rename(name)
}

func (t *temporary) link(name string) error {
	if t.name == "" {
		return linkUnnamed(t.folder, t.f, name)
	}
	return t.folder.Link(t.name, name)
}

func (t *temporary) rename(name string) error {
	if err := t.folder.Rename(t.name, name); err != nil {
		return explained(err)
	}
	t.name, t.placed = "", true
	return nil
}

func (t *temporary) dropName() {
	if t.name != "" {
		_ = t.folder.Remove(t.name)
		t.name = ""
	}
}

// close closes the file, on systems that do not rename open files.
func (t *temporary) close() error {
	t.closed = true
	return t.f.Close()
}

// discard removes the file unless it is in place.
func (t *temporary) discard() {
	if !t.closed {
		_ = t.close()
	}
	if !t.placed {
		t.dropName()
	}
}
