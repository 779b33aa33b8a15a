package outfile

import (
	"path/filepath"
	"sync"
)

// Claims are the paths of output files that objects of this run have written. The
// zero value is ready for use.
type Claims struct {
	mu    sync.Mutex
	paths map[string]bool
}

// Claim takes a path for one object of this run, and reports false where another one
// has it: two objects with one file would overwrite each other for ever. release is
// for a file that came to nothing.
func (c *Claims) Claim(path string) (release func(), free bool) {
	key := canonical(path)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paths[key] {
		return nil, false
	}
	if c.paths == nil {
		c.paths = map[string]bool{}
	}
	c.paths[key] = true
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.paths, key)
	}, true
}

// canonical is the same for all spellings of a path, as far as its folder exists.
func canonical(path string) string {
	folder, name := filepath.Split(path)
	if resolved, err := filepath.EvalSymlinks(filepath.Clean(folder)); err == nil {
		folder = resolved
	}
	if absolute, err := filepath.Abs(folder); err == nil {
		folder = absolute
	}
	return filepath.Join(folder, name)
}
