package outfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Target says where a file is to be written.
type Target struct {
	Path string
	// Replace allows a regular file at Path to be replaced. Without it, a file at Path
	// is ErrExists, even if it appears while the new one is being written.
	Replace bool
	// CreateFolders creates missing folders with mode 0700.
	CreateFolders bool
}

// TargetError is an error about one of several targets.
type TargetError struct {
	Target int // index among the targets of the reservation
	Err    error
}

func (e *TargetError) Error() string { return e.Err.Error() }

func (e *TargetError) Unwrap() error { return e.Err }

// Reservation holds the targets of one object from before data is requested until its
// files are in place. It is used by one goroutine; each of its writers may be used by
// another one.
type Reservation struct{ targets []*reservedTarget }

// reservedTarget is one target of a reservation.
type reservedTarget struct {
	Target

	index   int    // among the targets of the reservation
	release func() // gives the path back; nil once a file is in place
	created []string
	folder  *os.Root
	name    string
	lock    *targetLock
	out     *Writer
}

// Reserve checks that files can be written to the targets, and prevents others from
// writing them: other objects of this run until the run ends, other processes until
// Close. It creates lock files and nothing else. Its errors are *TargetError and name no
// path.
func (p *PathsInUse) Reserve(targets ...Target) (*Reservation, error) {
	r := &Reservation{}
	for i, target := range targets {
		t := &reservedTarget{Target: target, index: i}
		r.targets = append(r.targets, t)

		if err := t.reserve(p); err != nil {
			r.Close()
			return nil, &TargetError{i, err}
		}
	}

	return r, nil
}

func (t *reservedTarget) reserve(paths *PathsInUse) error {
	if err := t.open(); err != nil {
		return err
	}

	release, free := paths.Take(t.Path)
	if !free {
		return ErrInUse
	}

	t.release = release
	t.Replace = t.Replace || paths.wasLeft(t.Path)

	// Checked before locking too: a file that may not be replaced needs no lock.
	if err := t.check(); err != nil {
		return err
	}

	return t.acquireLock()
}

// acquireLock locks the target, and checks it again under the lock.
func (t *reservedTarget) acquireLock() error {
	lock, err := lockTarget(t.folder, t.name)
	if err != nil {
		return err
	}
	t.lock = lock

	if err := t.check(); err != nil {
		return err
	}

	return t.lock.removeLeftovers()
}

// open opens the folder of the target, and creates it if the target allows that.
func (t *reservedTarget) open() error {
	if !t.CreateFolders {
		return t.openFolder()
	}

	// A reservation that is closed at the same moment may remove a folder that it
	// created, so this is tried again.
	var err error
	for range 3 {
		if err := t.createFolders(); err != nil {
			return err
		}
		if err = t.openFolder(); !errors.Is(err, ErrNoFolder) {
			return err
		}
	}

	return err
}

func (t *reservedTarget) openFolder() (err error) {
	t.folder, t.name, err = openFolder(t.Path)
	return err
}

func (t *reservedTarget) createFolders() error {
	if _, err := nameOf(t.Path); err != nil {
		return err
	}

	folder := filepath.Dir(t.Path)
	t.created = append(t.created, missingFolders(folder)...)

	err := os.MkdirAll(folder, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}

	return folderError(err)
}

// missingFolders returns folder and those above it that do not exist, the innermost
// first.
func missingFolders(folder string) (missing []string) {
	for ; folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, folder)
	}
	return missing
}

// check returns an error if the target may not be written because of what is there.
func (t *reservedTarget) check() error {
	_, err := statRegular(t.folder, t.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}

	if !t.Replace {
		return ErrExists
	}

	if writtenByAnother(t.folder, t.name) {
		return ErrBusy
	}

	return nil
}

// Writer returns the writer of a target's new file, which the first call creates. The
// file is at its target after Commit.
func (r *Reservation) Writer(target int) (*Writer, error) {
	t := r.targets[target]
	if t.out != nil {
		return t.out, nil
	}

	temporary, err := createTemporary(t.folder, t.lock)
	if err != nil {
		return nil, &TargetError{target, err}
	}
	t.out = newWriter(temporary)

	return t.out, nil
}

// Discard drops what has been written to a target; the next call of Writer starts again.
func (r *Reservation) Discard(target int) { r.targets[target].discard() }

func (t *reservedTarget) discard() {
	if t.out != nil {
		t.out.temporary.discard() // leaves a file alone that is in place
		t.out = nil
	}
}

// Keep keeps the paths in use until the run ends, even if nothing is committed.
func (r *Reservation) Keep() {
	for _, t := range r.targets {
		t.release = nil
	}
}

// Close releases everything that was not committed: unfinished files, paths, locks,
// and folders that were created and are empty.
func (r *Reservation) Close() {
	// The first target may have created a folder that holds the locks of the others.
	for _, t := range slices.Backward(r.targets) {
		t.close()
	}
	r.targets = nil
}

func (t *reservedTarget) close() {
	t.discard()

	if t.lock != nil {
		t.lock.release()
	}
	if t.release != nil {
		t.release()
	}
	if t.folder != nil {
		t.folder.Close()
	}

	for _, folder := range t.created {
		_ = os.Remove(folder) // fails if the folder is not empty, as it should
	}
}
