//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package outfile

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// openLock creates or opens a lock file and locks it.
func openLock(folder *os.Root, name string) (*os.File, error) {
	f, err := folder.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}

	err = flock(f, unix.LOCK_EX)
	if err == nil {
		return f, nil
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		_ = f.Close()
		return nil, ErrBusy
	}
	_ = folder.Remove(name)
	_ = f.Close()
	return nil, errNoLocks
}

func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// maxHeld bounds the descriptors that the files of a run take.
const maxHeld = 512

// holds are the files that this process has written, locked and open until it ends:
// another process of the same run, which serves another configuration of the provider,
// recognises them by that and does not overwrite them.
var holds struct {
	mu    sync.Mutex
	files map[fileID]*os.File
}

// hold keeps a written file locked and open, or closes it where that cannot be.
func hold(f *os.File) {
	info, err := f.Stat()
	if err != nil || flock(f, unix.LOCK_EX) != nil {
		_ = f.Close()
		return
	}

	holds.mu.Lock()
	defer holds.mu.Unlock()
	if holds.files == nil {
		holds.files = map[fileID]*os.File{}
	}
	if len(holds.files) >= maxHeld {
		_ = f.Close()
		return
	}
	holds.files[idOf(info)] = f
}

// letGo closes a file that is about to be replaced or removed.
func letGo(id fileID) {
	holds.mu.Lock()
	defer holds.mu.Unlock()
	if f, ok := holds.files[id]; ok {
		_ = f.Close()
		delete(holds.files, id)
	}
}

// heldElsewhere reports whether another process holds a file that it has written.
func heldElsewhere(folder *os.Root, name string, info fs.FileInfo) bool {
	holds.mu.Lock()
	_, here := holds.files[idOf(info)]
	holds.mu.Unlock()
	if here {
		return false
	}

	f, err := folder.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(flock(f, unix.LOCK_SH), unix.EWOULDBLOCK)
}

// fileID tells files apart.
type fileID struct{ device, inode uint64 }

func idOf(info fs.FileInfo) fileID {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fileID{}
	}
	return fileID{uint64(stat.Dev), uint64(stat.Ino)} //nolint:unconvert // the types differ between systems
}

// isOurs reports whether this user has written a file that only its owner can read.
func isOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && info.Mode().Perm() == 0o600
}
