package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Target says where a file is to be written.
type Target struct {
	Path string
	// Replace allows a regular file at Path to be replaced; without it, a file at
	// Path is ErrExists, also where it appears while the new one is being written.
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

// Reservation holds the targets of one object from before data is asked for until its
// files are in place. It is used by one goroutine; its writers may be used by one
// goroutine each.
type Reservation struct{ places []*place }

// place is one target of a reservation.
type place struct {
	Target

	release func() // gives the path back; nil once a file is in place
	created []string
	folder  *os.Root
	name    string
	lock    *targetLock
	out     *Writer
}

// Reserve checks that files can be written to the targets and keeps everybody else
// from writing them: other objects of this run until its end, other processes until
// Close. It leaves nothing but lock files. Errors are *TargetError and name no path.
func (p *PathsInUse) Reserve(targets ...Target) (*Reservation, error) {
	r := &Reservation{}
	for i, target := range targets {
		t := &place{Target: target}
		r.places = append(r.places, t)

		if err := t.reserve(p); err != nil {
			r.Close()
			return nil, &TargetError{i, err}
		}
	}
	return r, nil
}

func (p *place) reserve(paths *PathsInUse) error {
	if err := p.open(); err != nil {
		return err
	}

	release, free := paths.Take(p.Path)
	if !free {
		return ErrInUse
	}
	p.release = release
	p.Replace = p.Replace || paths.wasLeft(p.Path)

	if err := p.check(); err != nil { // before the lock: a file of somebody else needs none
		return err
	}
	lock, err := lockTarget(p.folder, p.name)
	if err != nil {
		return err
	}
	p.lock = lock

	if err := p.check(); err != nil {
		return err
	}
	return p.lock.removeLeftovers()
}

// open opens the folder and creates it where that is wanted. A reservation that ends
// at the same moment may remove a folder that it created, so this is tried again.
func (p *place) open() (err error) {
	if _, err := nameOf(p.Path); err != nil {
		return err
	}

	for range 3 {
		if p.CreateFolders {
			if err := p.createFolders(); err != nil {
				return err
			}
		}
		p.folder, p.name, err = openFolder(p.Path)
		if !errors.Is(err, ErrNoFolder) || !p.CreateFolders {
			break
		}
	}
	return err
}

func (p *place) createFolders() error {
	folder := filepath.Dir(p.Path)
	for at := folder; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		p.created = append(p.created, at)
	}

	if err := os.MkdirAll(folder, 0o700); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrFolder, pathless(err))
	}
	return nil
}

// check reports what is in the way at the target.
func (p *place) check() error {
	info, err := p.folder.Lstat(p.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return pathless(err)
	}

	if !info.Mode().IsRegular() {
		return ErrNotRegular
	}
	if !p.Replace {
		return ErrExists
	}
	if writtenByAnother(p.folder, p.name) {
		return ErrBusy
	}
	return nil
}

// Writer returns the writer of a target's new file, which it creates when it is first
// called. The file is not at its target before Commit.
func (r *Reservation) Writer(target int) (*Writer, error) {
	p := r.places[target]
	if p.out != nil {
		return p.out, nil
	}

	t, err := createTemporary(p.folder, p.lock)
	if err != nil {
		return nil, &TargetError{target, err}
	}
	p.out = newWriter(t)
	return p.out, nil
}

// Discard drops what was written to a target so far; Writer begins anew.
func (r *Reservation) Discard(target int) {
	p := r.places[target]
	if p.out != nil {
		p.out.temporary.discard()
		p.out = nil
	}
}

// Keep keeps the paths in use until the run ends, also where nothing is committed.
func (r *Reservation) Keep() {
	for _, p := range r.places {
		p.release = nil
	}
}

// Commit puts all files that were written in their places, and describes them by
// target; targets without a writer have the zero File. Until everything is on the
// disk, every target stays as it was. Where a file cannot be put in its place, those
// before it are taken back; ErrPartial says that the file system did not allow it.
func (r *Reservation) Commit() ([]File, error) {
	files := make([]File, len(r.places))
	for i, p := range r.places {
		if p.out == nil {
			continue
		}
		file, err := p.out.complete()
		if err != nil {
			return nil, &TargetError{i, err}
		}
		files[i] = file
	}

	if err := r.publish(); err != nil {
		return nil, err
	}

	for _, p := range r.places {
		if p.out != nil {
			p.release = nil // the path stays this object's until the run ends
			syncFolder(p.folder)
		}
	}
	return files, nil
}

// publish gives all files their names.
func (r *Reservation) publish() error {
	several := 0
	for _, p := range r.places {
		if p.out != nil {
			several++
		}
	}

	var done []*published
	for i, p := range r.places {
		if p.out == nil {
			continue
		}

		one, err := p.publish(several > 1)
		if err == nil {
			done = append(done, one)
			continue
		}

		for _, earlier := range slices.Backward(done) {
			if !earlier.takeBack() {
				err = fmt.Errorf("%w; %w", err, ErrPartial)
				break
			}
		}
		return &TargetError{i, err}
	}

	for _, one := range done {
		one.keep()
	}
	return nil
}

// Close lets go of everything that was not committed: unfinished files, paths, locks,
// and folders that were created and are empty.
func (r *Reservation) Close() {
	for _, p := range r.places {
		p.close()
	}
	r.places = nil
}

func (p *place) close() {
	if p.out != nil {
		p.out.temporary.discard() // does nothing to a file that is in its place
	}
	if p.lock != nil {
		p.lock.release()
	}
	if p.release != nil {
		p.release()
	}
	if p.folder != nil {
		p.folder.Close()
	}

	for _, folder := range p.created {
		_ = os.Remove(folder) // fails where there is something in it, as it should
	}
}

// published is a file in its place that can still be taken back.
type published struct {
	place    *place
	old      string // name of the file that was replaced; empty where there is none
	replaced bool
}

// publish gives the file its name. With reversible, the file that it replaces stays
// under another name, where the file system has hard links.
func (p *place) publish(reversible bool) (*published, error) {
	one := &published{place: p}
	if !p.Replace {
		return one, p.out.temporary.publishNew(p.name)
	}

	if _, err := p.folder.Lstat(p.name); err == nil {
		one.replaced = true
	}
	if one.replaced && reversible && p.lock.held() {
		if err := p.folder.Link(p.name, p.lock.oldName()); err == nil {
			one.old = p.lock.oldName()
		}
	}

	if err := p.out.temporary.publish(p.name); err != nil {
		one.keep()
		return nil, err
	}
	return one, nil
}

// takeBack restores what was in the file's place, and reports whether it could.
func (o *published) takeBack() bool {
	if !o.replaced {
		return o.place.folder.Remove(o.place.name) == nil
	}
	return o.old != "" && o.place.folder.Rename(o.old, o.place.name) == nil
}

// keep drops the file that was replaced.
func (o *published) keep() {
	if o.old != "" {
		_ = o.place.folder.Remove(o.old)
	}
}

// syncFolder makes the new name last through a crash, where the system can do that;
// the file itself is complete either way.
func syncFolder(folder *os.Root) {
	if f, err := folder.Open("."); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}
