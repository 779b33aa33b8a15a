package outfile

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// PathsInUse are the paths that the objects of one run write. The zero value is ready
// for use.
type PathsInUse struct {
	mu    sync.Mutex
	paths map[string]bool
	left  map[string]Stamp // of the files that destroyed objects left behind
}

// Leave notes that an object that is being destroyed leaves its file at path, if the
// file still has the digest. A later object of this run may replace that file, unless it
// is altered in the meantime.
func (p *PathsInUse) Leave(ctx context.Context, path, sha256 string) {
	found, err := Read(ctx, path)
	if err != nil || found.SHA256 != sha256 {
		return
	}

	key := canonical(path)
	p.mu.Lock()
	defer p.mu.Unlock()

	if p.left == nil {
		p.left = map[string]Stamp{}
	}

	p.left[key] = found.Stamp
}

// wasLeft reports whether an object of this run left the file that is at path.
func (p *PathsInUse) wasLeft(path string) bool {
	key := canonical(path)
	p.mu.Lock()
	left, ok := p.left[key]
	p.mu.Unlock()

	if !ok {
		return false
	}

	now, err := Look(path)

	return err == nil && now == left
}

// Take takes a path for one object of the run, and reports whether it was free: two
// objects with one path would overwrite each other in every run. release gives the path
// back where no file was written.
func (p *PathsInUse) Take(path string) (release func(), free bool) {
	key := canonical(path)
	p.mu.Lock()
	defer p.mu.Unlock()

	if p.paths[key] {
		return nil, false
	}

	if p.paths == nil {
		p.paths = map[string]bool{}
	}
	p.paths[key] = true

	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.paths, key)
	}, true
}

// Remove removes the file at path if it still has the digest, and reports whether it is
// gone. A path that another object of this run uses counts as gone: the file there is
// that object's. Errors name no path.
func (p *PathsInUse) Remove(ctx context.Context, path, sha256 string) (gone bool, err error) {
	release, free := p.Take(path)
	if !free {
		return true, nil
	}
	defer release()

	_, err = Look(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if errors.Is(err, ErrNotRegular) {
		return false, nil
	}
	if err != nil {
		return false, err
	}

	return removeLocked(ctx, path, sha256)
}

// removeLocked is Remove for a path that this object has taken and that may be a file.
func removeLocked(ctx context.Context, path, sha256 string) (gone bool, err error) {
	folder, name, err := openFolder(path)
	if err != nil {
		return false, err
	}
	defer folder.Close()

	lock, err := lockTarget(folder, name)
	if err != nil {
		return false, err
	}
	defer lock.release()

	if writtenByAnother(folder, name) {
		return true, nil // another provider configuration has replaced it
	}

	found, err := Read(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil || found.SHA256 != sha256 {
		return false, err
	}

	return true, pathless(folder.Remove(name))
}

// SamePath reports whether two paths name the same file. It resolves symbolic links in
// folders that exist.
func SamePath(a, b string) bool { return canonical(a) == canonical(b) }

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
