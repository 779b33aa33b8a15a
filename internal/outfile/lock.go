package outfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
)

// targetLock prevents other processes from writing a target. The names beside the target
// are derived from it, so that the next process that locks it finds what was left behind.
type targetLock struct {
	folder *os.Root
	stem   string
	file   *os.File // nil if the file system has no locks
}

// lockAttempts is how often a lock file is opened again after another process removed it.
const lockAttempts = 100

// errNoLocks is returned on a file system that has no locks.
var errNoLocks = errors.New("no locks here")

// lockTarget creates and locks the lock file of a target. It returns ErrBusy if another
// process holds the lock, without waiting for it.
func lockTarget(folder *os.Root, name string) (*targetLock, error) {
	sum := sha256.Sum256([]byte(folded(name)))
	l := &targetLock{folder: folder, stem: ".analytics-" + hex.EncodeToString(sum[:8])}

	for range lockAttempts {
		f, err := openLock(folder, l.lockName())
		if errors.Is(err, errNoLocks) {
			return l, nil
		}
		if errors.Is(err, ErrBusy) {
			return nil, ErrBusy
		}
		if err != nil {
			return nil, folderError(err)
		}

		// Its previous holder may have removed the file after it was opened here.
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

// removeLeftovers removes the files that a killed process left behind. Nobody is writing
// them: their writer would hold the lock.
func (l *targetLock) removeLeftovers() error {
	if !l.held() {
		return nil
	}

	for _, name := range []string{l.temporaryName(), l.oldName()} {
		if err := l.removeLeftover(name); err != nil {
			return err
		}
	}

	return nil
}

func (l *targetLock) removeLeftover(name string) error {
	info, err := statRegular(l.folder, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if errors.Is(err, ErrNotRegular) || err == nil && !isOurs(info) {
		return ErrLeftover
	}
	if err != nil {
		return err
	}

	return folderError(l.folder.Remove(name))
}

// release removes the lock file and then unlocks it. In the other order, it could remove
// a file that another process has locked in between.
func (l *targetLock) release() {
	if l.file == nil {
		return
	}

	_ = l.folder.Remove(l.lockName())
	_ = l.file.Close()
	l.file = nil
}
