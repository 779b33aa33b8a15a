// SPDX-License-Identifier: MPL-2.0

package outfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// PathsInUse are the paths that the objects of one run write. The zero value is ready
// for use.
type PathsInUse struct {
	// folders keeps one object from removing a folder in which another begins a file.
	folders sync.Mutex
	created []string // canonical paths of the folders that objects of this run have created

	used sync.Map // has the canonical paths that objects write
	left sync.Map // has the Stamp of a file that a destroyed object left, by canonical path

	// written are the files that objects of this run have written. They tell a path that has
	// another spelling on a file system that folds case.
	mu      sync.Mutex
	written []fs.FileInfo
}

// Leave notes that an object that is being destroyed leaves its file at path, if the
// file still has the digest. A later object of this run may replace that file, unless it
// is altered in the meantime.
func (p *PathsInUse) Leave(ctx context.Context, path, sha256 string) {
	if found, err := Read(ctx, path); err == nil && found.SHA256 == sha256 {
		p.left.Store(canonical(path), found.Stamp)
	}
}

// take takes a path for one object of the run. It returns ErrInUse if another one has it: two
// objects with one path would overwrite each other in every run.
func (p *PathsInUse) take(path string) (release func(), err error) {
	key := canonical(path)
	if _, used := p.used.LoadOrStore(key, nil); used {
		return nil, ErrInUse
	}

	return func() { p.used.Delete(key) }, nil
}

// hasWritten reports whether an object of this run has written a file.
func (p *PathsInUse) hasWritten(info fs.FileInfo) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.written, func(written fs.FileInfo) bool { return os.SameFile(written, info) })
}

// removeCreated removes a folder, and those above it, as long as objects of this run have created
// them and they are empty: the last one that used a folder may not be the one that created it.
func (p *PathsInUse) removeCreated(folder string) {
	p.folders.Lock()
	defer p.folders.Unlock()

	for ; folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		info, err := os.Lstat(folder)
		if err != nil {
			continue // it could not be created, and one above it was
		}

		i := slices.Index(p.created, canonical(folder))
		if i < 0 || !info.IsDir() || os.Remove(folder) != nil { // it is not empty
			return
		}
		p.created = slices.Delete(p.created, i, i+1)
	}
}

// Remove removes the file at path if it still has the digest, and what a killed process left
// beside it. It reports whether the file is gone. A path that another object of this run uses
// counts as gone: the file there is that object's. Errors name no path.
func (p *PathsInUse) Remove(ctx context.Context, path, sha256 string) (gone bool, err error) {
	release, err := p.take(path)
	if err != nil {
		return true, nil // another object has the path
	}
	defer release()

	folder, name, err := openFolder(path)
	if errors.Is(err, ErrNoFolder) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer folder.Close()

	unrecorded.settle(path)
	temporary, locked := openTemporary(folder, name, false)
	if locked == nil {
		defer temporary.close()
	}

	found, info, err := read(ctx, folder, name)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if errors.Is(err, ErrNotRegular) {
		return false, nil
	}
	if err := errors.Join(err, locked); err != nil {
		return false, err
	}
	if p.hasWritten(info) {
		return true, nil
	}
	if found.SHA256 != sha256 {
		return false, nil
	}

	return removeSame(folder, name, info)
}

// removeSame removes a file, unless somebody has put another one in its place. It reports whether
// nothing is there now.
func removeSame(folder *os.Root, name string, info fs.FileInfo) (gone bool, err error) {
	now, err := folder.Lstat(name)
	if err == nil && !os.SameFile(info, now) {
		return false, nil
	}
	if err == nil {
		err = folder.Remove(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}

	return err == nil, Pathless(err)
}

// SamePath reports whether two paths lead to the same file. It resolves symbolic links in
// folders that exist, and recognises a file whose name the file system takes for two spellings.
func SamePath(a, b string) bool {
	if canonical(a) == canonical(b) {
		return true
	}

	first, missing := os.Lstat(a)
	second, err := os.Lstat(b)

	return missing == nil && err == nil && os.SameFile(first, second)
}

// canonical returns the same path for all spellings of it, if its folder exists.
func canonical(path string) string {
	folder, name := filepath.Split(path)
	if resolved, err := filepath.EvalSymlinks(filepath.Clean(folder)); err == nil {
		folder = resolved
	}
	if absolute, err := filepath.Abs(folder); err == nil {
		folder = absolute
	}
	return folded(filepath.Join(folder, name))
}

// folded returns the same name for all names that the system's usual file system takes
// for one.
func folded(name string) string {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return strings.ToLower(name)
	}
	return name
}
