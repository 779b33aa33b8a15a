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

const (
	// spaceMargin is how much space a growing file leaves free on the disk, in bytes.
	spaceMargin = 64 << 20
	// spaceStep is how often the free space is checked, in bytes written. It is not
	// checked for smaller files: the system reports it if they do not fit.
	spaceStep = 16 << 20
)

// Writer is a file while it is being written.
type Writer struct {
	temporary *temporary
	sum       hash.Hash
	n         int64
	next      int64 // offset at which the free space is checked
	begun     int64 // up to where the system has been told to write to the disk
	free      func(*os.File) (int64, bool)
}

func newWriter(t *temporary) *Writer {
	return &Writer{temporary: t, sum: sha256.New(), free: freeSpace}
}

// Write appends p, and updates the digest concurrently. It returns ErrNoSpace before the
// disk is full. After an error, neither the digest nor the file is usable.
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

// step checks the free space, and starts writing to the disk what has been written.
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

// Size returns how many bytes have been written.
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

// explained removes the path from an error, and returns ErrNoSpace if the disk is full.
func explained(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return ErrNoSpace
	}
	return pathless(err)
}
