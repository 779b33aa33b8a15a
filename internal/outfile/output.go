// SPDX-License-Identifier: MPL-2.0

package outfile

import (
	"context"
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

// PathsInUse are the paths that the objects of one run write, each for one of them: two objects with
// one path would overwrite each other in every run. The zero value is ready for use.
type PathsInUse struct{ used sync.Map } // has the canonical paths

// Target says where a file is to be written.
type Target struct {
	Path          string
	Replace       bool // a regular file at Path; otherwise it is ErrExists, even if it appears while the new one is being written
	CreateFolders bool // that are missing, with mode 0700; they stay, also without a file
}

// Output is a file from before its data is requested until it is in place.
type Output struct {
	Target

	paths *PathsInUse
	key   string // of the path in use; empty if it is not held, or kept

	temporary string   // path of the temporary file
	f         *os.File // that file, open and locked; nil if it is not this output's any more
	isInPlace bool     // it is the target, and its other name is for the next process

	sum    hash.Hash
	summed sync.WaitGroup // of the last block
	block  []byte         // that is being summed
	n      int64
}

// Reserve checks that a file can be written to a target, and prevents others from writing it until
// Close; after Commit or Keep, other objects of this run until it ends. It creates folders and the
// temporary file, and nothing else.
func (p *PathsInUse) Reserve(target Target) (*Output, error) {
	if target.CreateFolders {
		if err := os.MkdirAll(filepath.Dir(target.Path), 0o700); err != nil {
			return nil, folderError(err)
		}
	}

	o := &Output{Target: target, paths: p, temporary: temporaryOf(target.Path)}
	key := canonical(target.Path)
	if _, isUsed := p.used.LoadOrStore(key, nil); isUsed {
		return nil, ErrInUse
	}
	o.key = key

	err := o.openTemporary()
	if err == nil {
		err = Check(target)
	}
	if err != nil {
		o.Close()
		return nil, err
	}

	return o, nil
}

// Begin begins the file, in place of what was written of it before.
func (o *Output) Begin() error {
	o.summed.Wait()
	o.sum, o.n = sha256.New(), 0
	if _, err := o.f.Seek(0, io.SeekStart); err != nil {
		return Pathless(err)
	}
	if err := o.f.Truncate(0); err != nil {
		return Pathless(err)
	}

	return nil
}

// Write appends p, and updates the digest while the caller goes on. It returns ErrNoSpace on a full disk. After an
// error, the file has to begin again.
func (o *Output) Write(p []byte) (n int, _ error) {
	const most = 1 << 20 // of a large record, a copy would take as much memory again
	for block := range slices.Chunk(p, most) {
		o.summed.Wait()
		o.block = append(o.block[:0], block...)
		o.summed.Go(func() { o.sum.Write(o.block) })
		written, err := o.f.Write(block)
		n, o.n = n+written, o.n+int64(written)
		if err != nil {
			return n, Pathless(err)
		}
	}

	return n, nil
}

// Commit puts files in place, and describes them. Until all of them are on the disk, every target stays as it was.
// Their paths are then kept as by Keep, and they have their temporary names too until Settle or Confirm. If a file
// cannot be put in place, ErrPartial says that those before it are, as after a killed process.
func Commit(outputs ...*Output) ([]File, error) {
	var files []File
	for _, o := range outputs {
		file, err := o.finish()
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}

	for i, o := range outputs {
		err := o.putInPlace()
		if err != nil && i > 0 {
			err = fmt.Errorf("%w; %w", err, ErrPartial)
		}
		if err != nil {
			return nil, err
		}
	}

	for _, o := range outputs { // they stay locked
		unrecorded.Store(o.key, &Output{f: o.f, temporary: o.temporary})
		o.f, o.key = nil, ""
	}

	return files, nil
}

// finish brings the file to the disk, and checks that it can be put in place.
func (o *Output) finish() (File, error) {
	o.summed.Wait()
	if err := o.f.Sync(); err != nil {
		return File{}, Pathless(err)
	}
	info, err := o.f.Stat()
	if err != nil {
		return File{}, Pathless(err)
	}
	if !isAt(o.f, o.temporary) {
		return File{}, errRemoved
	}

	return File{SHA256: hex.EncodeToString(o.sum.Sum(nil)), Bytes: o.n, Stamp: stampOf(info)}, Check(o.Target)
}

// Keep keeps the path for this object until the run ends.
func (o *Output) Keep() { o.key = "" }

// Close releases what was not committed or kept: the unfinished file, its lock and its path.
func (o *Output) Close() {
	if o.f != nil && o.isInPlace {
		unlock(o.f)
	} else if o.f != nil {
		_ = removeOpen(o.f, o.temporary)
	}
	o.f = nil

	if o.key != "" {
		o.paths.used.Delete(o.key)
	}
}

// Remove removes the file at path if it still has the digest, and what a killed process left beside it.
// It returns nil also if there is no file, or if another object of this run uses the path: the file there
// is that object's. If the file is another one, it returns ErrAltered. Errors name no path.
func (p *PathsInUse) Remove(ctx context.Context, path, digest string) error {
	held, reserved := p.Reserve(Target{Path: path, Replace: true})
	if errors.Is(reserved, ErrInUse) {
		return nil
	}
	if reserved == nil {
		defer held.Close()
	}

	found, err := Read(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := errors.Join(err, reserved); err != nil {
		return err
	}
	now, _ := StampAt(path)
	if found != (File{digest, found.Bytes, now}) { // or another one was put there since
		return ErrAltered
	}

	return Pathless(os.Remove(path))
}
