package outfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// targetLock keeps other processes from writing a target. Names beside the target are
// derived from it, so that the next process that locks it knows what was left behind.
type targetLock struct {
	folder *os.Root
	stem   string
	file   *os.File // nil where the file system has no locks
}

// attempts is how often a lock file is opened anew that another process has removed.
const attempts = 100

// errNoLocks is a file system that has no locks.
var errNoLocks = errors.New("no locks here")

// lockTarget creates and locks the lock file of a target. It fails with ErrBusy where
// another process holds it, and does not wait.
func lockTarget(folder *os.Root, name string) (*targetLock, error) {
	sum := sha256.Sum256([]byte(folded(name)))
	l := &targetLock{folder: folder, stem: ".analytics-" + hex.EncodeToString(sum[:8])}

	for range attempts {
		f, err := openLock(folder, l.lockName())
		if errors.Is(err, errNoLocks) {
			return l, nil
		}
		if errors.Is(err, ErrBusy) {
			return nil, ErrBusy
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFolder, pathless(err))
		}

		// Whoever held the lock before may have removed the file after it was opened.
		if l.isAt(f) {
			l.file = f
			return l, nil
		}
		_ = f.Close()
	}
	return nil, ErrBusy
}

// isAt reports whether an open lock file still has its name.
func (l *targetLock) isAt(f *os.File) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := l.folder.Lstat(l.lockName())
	return err == nil && os.SameFile(opened, named)
}

func (l *targetLock) held() bool { return l.file != nil }

func (l *targetLock) lockName() string { return l.stem + ".lock" }

func (l *targetLock) temporaryName() string { return l.stem + ".tmp" }

func (l *targetLock) oldName() string { return l.stem + ".old" }

// removeLeftovers removes what a process that was killed has left behind. Nobody is
// writing it: its writer would hold the lock.
func (l *targetLock) removeLeftovers() error {
	if !l.held() {
		return nil
	}
	for _, name := range []string{l.temporaryName(), l.oldName()} {
		info, err := l.folder.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return pathless(err)
		}

		if !info.Mode().IsRegular() || !isOurs(info) {
			return ErrLeftover
		}
		if err := l.folder.Remove(name); err != nil {
			return fmt.Errorf("%w: %w", ErrFolder, pathless(err))
		}
	}
	return nil
}

// release removes the lock file while it is still locked, so that nobody else can have
// locked it, and unlocks it.
func (l *targetLock) release() {
	if l.file == nil {
		return
	}
	_ = l.folder.Remove(l.lockName())
	_ = l.file.Close()
	l.file = nil
}
