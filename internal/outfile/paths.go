// SPDX-License-Identifier: MPL-2.0

package outfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// PathsInUse are the paths that the objects of one run write, each for one of them: two objects with
// one path would overwrite each other in every run. The zero value is ready for use.
type PathsInUse struct{ used sync.Map } // has the canonical paths

// Remove removes the file at path if it still has the digest, and what a killed process left
// beside it. It reports whether the file is removed, or was before. A path that another object of
// this run uses counts as removed: the file there is that object's. Errors name no path.
func (p *PathsInUse) Remove(ctx context.Context, path, sha256 string) (removed bool, err error) {
	key := canonical(path)
	if _, isUsed := p.used.LoadOrStore(key, nil); isUsed {
		return true, nil
	}
	defer p.used.Delete(key)

	folder, name, err := openFolder(path)
	if errors.Is(err, ErrNoFolder) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer folder.Close()

	settle(key)
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
	if found.SHA256 != sha256 {
		return false, nil
	}

	now, err := folder.Lstat(name)
	if err == nil && !os.SameFile(info, now) { // somebody has put another one there
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

	path = filepath.Join(folder, name)
	if foldsCase {
		path = strings.ToLower(path)
	}

	return path
}

// foldsCase reports whether the system's usual file system takes names for one that differ only by case.
const foldsCase = runtime.GOOS == "windows" || runtime.GOOS == "darwin"
