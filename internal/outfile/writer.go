package outfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"os"
	"runtime"
	"sync"
	"syscall"
)

// What a file that grows has to leave on the disk for everything else, and how often
// that is looked at, in bytes. A file that is smaller than a step is never looked at:
// the system says itself where it does not fit.
const (
	spaceMargin = 64 << 20
	spaceStep   = 16 << 20
)

// Writer is a file while it is being written.
type Writer struct {
	temporary *temporary
	sum       hash.Hash
	n         int64
	next      int64 // where the free space is looked at
	begun     int64 // up to where the system has been told to write to the disk
	free      func(*os.File) (int64, bool)
}

func newWriter(t *temporary) *Writer {
	return &Writer{temporary: t, sum: sha256.New(), free: freeSpace}
}

// Write appends, and takes the digest beside the writing. It fails with ErrNoSpace
// before the disk is full; after an error the digest is worthless, and so is the file.
func (w *Writer) Write(p []byte) (int, error) {
	if w.n >= w.next {
		if err := w.step(); err != nil {
			return 0, err
		}
	}

	var summed sync.WaitGroup
	summed.Go(func() { w.sum.Write(p) })
	n, err := w.temporary.f.Write(p)
	summed.Wait()

	w.n += int64(n)
	return n, explained(err)
}

// step looks at the free space and sends what was written on its way to the disk.
func (w *Writer) step() error {
	if w.next > 0 {
		if free, known := w.free(w.temporary.f); known && free < spaceMargin {
			return ErrNoSpace
		}
		if length := w.n - w.begun; length > 0 {
			startWriteback(w.temporary.f, w.begun, length)
			w.begun = w.n
		}
	}
	w.next = w.n + spaceStep
	return nil
}

// Size returns how much was written so far, in bytes.
func (w *Writer) Size() int64 { return w.n }

// complete waits until the file is on the disk and describes it.
func (w *Writer) complete() (File, error) {
	_ = mark(w.temporary.f)
	if err := w.temporary.f.Sync(); err != nil {
		return File{}, explained(err)
	}
	info, err := w.temporary.f.Stat()
	if err != nil {
		return File{}, explained(err)
	}
	if runtime.GOOS == "windows" { // does not rename open files
		if err := w.temporary.close(); err != nil {
			return File{}, explained(err)
		}
	}
	return File{SHA256: hex.EncodeToString(w.sum.Sum(nil)), Bytes: w.n, Stamp: stampOf(info)}, nil
}

// explained drops the path from an error and recognises a full disk.
func explained(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return ErrNoSpace
	}
	return pathless(err)
}
