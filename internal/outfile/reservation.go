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
	"sync"
)

// Target says where a file is to be written.
type Target struct {
	Path string
	// Replace allows a regular file at Path to be replaced. Without it, a file at Path
	// is ErrExists, even if it appears while the new one is being written.
	Replace bool
	// CreateFolders creates missing folders with mode 0700. They stay, also without a file.
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

	key       string // of the path in use; empty if it is not held, or kept
	temporary *temporary
	out       *Writer
}

// Reserve checks that files can be written to the targets, and prevents others from writing
// them until Close; after Commit or Keep, other objects of this run until it ends. It creates
// folders and the temporary files, and nothing else. Its errors are *TargetError and name no path.
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

func (t *reservedTarget) reserve(paths *PathsInUse) (err error) {
	if t.CreateFolders {
		if err := os.MkdirAll(filepath.Dir(t.Path), 0o700); err != nil {
			return folderError(err)
		}
	}

	key := canonical(t.Path)
	if _, isUsed := paths.used.LoadOrStore(key, nil); isUsed {
		return ErrInUse
	}
	t.key = key

	folder, name, err := openFolder(t.Path)
	if err != nil {
		return err
	}
	settle(key)
	if t.temporary, err = openTemporary(folder, name, !t.Replace); err != nil {
		folder.Close()
		return err
	}

	return t.check()
}

// check returns an error if the target may not be written because of what is there.
func (t *reservedTarget) check() error {
	if !t.temporary.isInPlace() {
		return errRemoved
	}

	_, err := statRegular(t.temporary.folder, t.temporary.target)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !t.Replace {
		return ErrExists
	}

	return err
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

// Commit puts the files of all targets in place, and describes them by target. Until everything is
// on the disk, every target stays as it was. The paths are then kept as by Keep, and the files have
// their temporary names too until Settle or Confirm. If a file cannot be put in place, ErrPartial
// says that those before it are: they are left as by a killed process, for the next one to replace.
func (r *Reservation) Commit() ([]File, error) {
	files := make([]File, len(r.targets))
	for i, t := range r.targets {
		err := r.sync(t.out.f)
		var info fs.FileInfo
		if err == nil {
			info, err = t.out.f.Stat()
		}
		if err == nil {
			files[i] = File{SHA256: hex.EncodeToString(t.out.sum.Sum(nil)), Bytes: t.out.n, Stamp: stampOf(info)}
			err = t.check()
		}
		if err != nil {
			return nil, &TargetError{i, Pathless(err)}
		}
	}

	for i, t := range r.targets {
		if err := t.temporary.putInPlace(t.Replace); err != nil {
			if i > 0 {
				err = fmt.Errorf("%w; %w", err, ErrPartial)
			}
			for _, before := range r.targets[:i] {
				before.temporary.keeps = true
			}
			return nil, &TargetError{i, err}
		}
	}

	// The new names survive a crash then, if the system supports that. The files are complete
	// either way.
	for _, t := range r.targets {
		if folder, err := t.temporary.folder.Open("."); err == nil {
			_ = r.sync(folder)
			_ = folder.Close()
		}
		holdUnrecorded(t.key, t.temporary)
		t.temporary, t.key = nil, ""
	}

	return files, nil
}

// Keep keeps the paths for this object until the run ends.
func (r *Reservation) Keep() {
	for _, t := range r.targets {
		t.key = ""
	}
}

// Close releases everything that was not committed: unfinished files, paths and locks.
func (r *Reservation) Close() {
	for _, t := range r.targets {
		if t.temporary != nil {
			t.temporary.close()
		}
		if t.key != "" {
			r.paths.used.Delete(t.key)
		}
	}
	r.targets = nil
}
