package outfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"os"
	"sync"
	"syscall"
)

// Writer is a file while it is being written.
type Writer struct {
	f   *os.File
	sum hash.Hash
	n   int64
}

// newWriter returns a writer that begins the file anew.
func newWriter(f *os.File) (*Writer, error) {
	_, err := f.Seek(0, io.SeekStart)
	if err == nil {
		err = f.Truncate(0)
	}
	return &Writer{f: f, sum: sha256.New()}, explained(err)
}

// Write appends p, and updates the digest concurrently. It returns ErrNoSpace on a full disk.
// After an error, neither the digest nor the file is usable.
func (w *Writer) Write(p []byte) (int, error) {
	var summed sync.WaitGroup
	summed.Go(func() { w.sum.Write(p) })
	n, err := w.f.Write(p)
	summed.Wait()

	w.n += int64(n)

	return n, explained(err)
}

// Size returns how many bytes have been written.
func (w *Writer) Size() int64 { return w.n }

// complete waits with sync until the file is on the disk, and describes it.
func (w *Writer) complete(sync func(*os.File) error) (File, error) {
	if err := sync(w.f); err != nil {
		return File{}, explained(err)
	}

	info, err := w.f.Stat()
	if err != nil {
		return File{}, explained(err)
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
