// SPDX-License-Identifier: MPL-2.0

package outfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
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
type Reservation struct {
	paths   *PathsInUse
	targets []*reservedTarget
	sync    func(*os.File) error // waits until a file or folder is on the disk; tests replace it
}

// reservedTarget is one target of a reservation.
type reservedTarget struct {
	Target

	release   func() // gives the path back; nil if it is kept
	folder    *os.Root
	name      string
	temporary *temporary
	out       *Writer
	info      fs.FileInfo // of the new file; nil until it is complete
	replaces  bool        // a file was at the target when the new one was put in place
}

// Reserve checks that files can be written to the targets, and prevents others from writing
// them until Close; if Keep is called, other objects of this run until it ends. It creates the
// temporary files and nothing else. Its errors are *TargetError and name no path.
func (p *PathsInUse) Reserve(targets ...Target) (*Reservation, error) {
	r := &Reservation{paths: p, sync: (*os.File).Sync}
	for i, target := range targets {
		t := &reservedTarget{Target: target}
		r.targets = append(r.targets, t)

		if err := t.reserve(p); err != nil {
			r.Close()
			return nil, &TargetError{i, err}
		}
	}

	return r, nil
}

func (t *reservedTarget) reserve(paths *PathsInUse) error {
	paths.folders.Lock()
	defer paths.folders.Unlock()

	if t.CreateFolders {
		if err := t.createFolder(paths); err != nil {
			return err
		}
	}

	var err error
	if t.folder, t.name, err = openFolder(t.Path); err != nil {
		return err
	}

	if t.release, err = paths.take(t.Path); err != nil {
		return err
	}
	unrecorded.settle(t.Path)
	if t.temporary, err = openTemporary(t.folder, t.name, !t.Replace); err != nil {
		return err
	}

	_, err = t.check(paths)

	return err
}

// createFolder creates the folder of the target, and those above it, with mode 0700, and notes
// those that it has created. What is there, even a link that leads nowhere, is not ours.
func (t *reservedTarget) createFolder(paths *PathsInUse) error {
	var missing []string
	for folder := filepath.Dir(t.Path); folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if _, err := os.Lstat(folder); err == nil {
			break
		}
		missing = append(missing, folder)
	}

	for _, folder := range slices.Backward(missing) {
		err := os.Mkdir(folder, 0o700)
		if err == nil {
			paths.created = append(paths.created, canonical(folder))
		} else if !errors.Is(err, fs.ErrExist) {
			return folderError(err)
		}
	}

	return nil
}

// check reports whether a file is at the target. It returns an error if the target may not be
// written because of what is there. A file that an object of this run has left may be replaced.
func (t *reservedTarget) check(paths *PathsInUse) (taken bool, err error) {
	if !t.temporary.isInPlace() {
		return false, errRemoved
	}

	info, err := statRegular(t.folder, t.name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}

	left, _ := paths.left.Load(canonical(t.Path))
	if !t.Replace && left != stampOf(info) {
		return true, ErrExists
	}
	if paths.hasWritten(info) {
		return true, ErrInUse
	}

	return true, nil
}

// Writer begins a target's new file and returns its writer. The file is at its target after
// Commit.
func (r *Reservation) Writer(target int) (*Writer, error) {
	t := r.targets[target]
	_, err := t.temporary.f.Seek(0, io.SeekStart)
	if err == nil {
		err = t.temporary.f.Truncate(0)
	}
	if err != nil {
		return nil, &TargetError{target, Pathless(err)}
	}
	t.out = &Writer{f: t.temporary.f, sum: sha256.New()}

	return t.out, nil
}

// Writer is a file while it is being written.
type Writer struct {
	f   *os.File
	sum hash.Hash
	n   int64
}

// Write appends p, and updates the digest concurrently. It returns ErrNoSpace on a full disk.
// After an error, neither the digest nor the file is usable.
func (w *Writer) Write(p []byte) (int, error) {
	var summed sync.WaitGroup
	summed.Go(func() { w.sum.Write(p) })
	n, err := w.f.Write(p)
	summed.Wait()

	w.n += int64(n)

	return n, Pathless(err)
}

// Commit puts the files of all targets in place, and describes them by target. Until everything
// is on the disk, every target stays as it was. If a file cannot be put in place, those before
// it are removed; ErrPartial says that some had replaced others, which are lost.
func (r *Reservation) Commit() ([]File, error) {
	files := make([]File, len(r.targets))
	for i, t := range r.targets {
		err := r.sync(t.out.f)
		if err == nil {
			t.info, err = t.out.f.Stat()
		}
		if err != nil {
			return nil, &TargetError{i, Pathless(err)}
		}
		files[i] = File{SHA256: hex.EncodeToString(t.out.sum.Sum(nil)), Bytes: t.out.n, Stamp: stampOf(t.info)}
	}

	for i, t := range r.targets {
		if err := t.publish(r.paths); err != nil {
			if !undo(r.targets[:i]) {
				err = fmt.Errorf("%w; %w", err, ErrPartial)
			}
			return nil, &TargetError{i, err}
		}
	}

	// The new names survive a crash then, if the system supports that. The files are complete
	// either way.
	for _, t := range r.targets {
		if folder, err := t.folder.Open("."); err == nil {
			_ = r.sync(folder)
			_ = folder.Close()
		}
	}

	return files, nil
}

// publish puts the file of a target in place.
func (t *reservedTarget) publish(paths *PathsInUse) error {
	taken, err := t.check(paths)
	if err != nil {
		return err
	}
	t.replaces = taken

	return t.temporary.putInPlace(t.name, t.Replace || taken)
}

// undo removes files that were put in place, and reports whether everything is as it was.
func undo(targets []*reservedTarget) bool {
	undone := true
	for _, t := range targets {
		if t.replaces {
			undone = false
			continue
		}
		_, err := removeSame(t.folder, t.name, t.info)
		undone = err == nil && undone
	}

	return undone
}

// Keep keeps the paths, and the files in their places, for this object until the run ends.
func (r *Reservation) Keep() {
	r.paths.mu.Lock()
	defer r.paths.mu.Unlock()

	for _, t := range r.targets {
		t.release = nil
		if t.info != nil {
			r.paths.written = append(r.paths.written, t.info)
		}
	}
}

// KeepUnrecorded is Keep for files that Terraform has not recorded yet: a new one keeps its temporary
// name too, until Settle or Confirm.
func (r *Reservation) KeepUnrecorded() {
	r.Keep()
	for _, t := range r.targets {
		if t.temporary.linked {
			unrecorded.add(t.Path, t.temporary)
			t.temporary, t.folder = nil, nil
		}
	}
}

// Close releases everything that was not committed: unfinished files, paths, locks, and folders
// that objects of this run have created and that are empty.
func (r *Reservation) Close() {
	for _, t := range slices.Backward(r.targets) { // the first may have created a folder of the others
		if t.temporary != nil {
			t.temporary.close()
		}
		if t.release != nil {
			t.release()
		}
		if t.folder != nil {
			t.folder.Close()
		}

		r.paths.removeCreated(filepath.Dir(t.Path))
	}

	r.targets = nil
}
