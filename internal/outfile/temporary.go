package outfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// temporary is a file that is not in its place yet.
type temporary struct {
	folder *os.Root
	lock   *targetLock
	f      *os.File
	// name is empty while the file has none, in which case it vanishes with its last
	// descriptor.
	name   string
	closed bool
	placed bool
}

func createTemporary(folder *os.Root, lock *targetLock) (*temporary, error) {
	if f, ok := openUnnamed(folder); ok {
		return &temporary{folder: folder, lock: lock, f: f}, nil
	}

	t := &temporary{folder: folder, lock: lock, name: lock.temporaryName()}
	if !lock.held() {
		t.name = ".analytics-" + rand.Text() + ".tmp" // nobody may remove what anybody may be writing
	}
	f, err := folder.OpenFile(t.name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFolder, pathless(err))
	}
	t.f = f
	return t, nil
}

// publishNew gives the file its name in a way that fails with ErrExists where the name
// is taken, or, on a file system without hard links, looks right before.
func (t *temporary) publishNew(name string) error {
	err := t.link(name)
	if errors.Is(err, fs.ErrExist) {
		if info, err := t.folder.Lstat(name); err == nil && !info.Mode().IsRegular() {
			return ErrNotRegular
		}
		return ErrExists
	}
	if err == nil {
		t.placed = true
		t.dropName()
		return nil
	}
	if t.name == "" {
		return explained(err)
	}

	if _, err := t.folder.Lstat(name); err == nil {
		return ErrExists
	}
	return t.rename(name)
}

// publish gives the file its name, in the place of what has it.
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

// close closes the file where the system does not rename open ones.
func (t *temporary) close() error {
	t.closed = true
	return t.f.Close()
}

// discard removes the file unless it is in its place.
func (t *temporary) discard() {
	if !t.closed {
		_ = t.close()
	}
	if !t.placed {
		t.dropName()
	}
}
