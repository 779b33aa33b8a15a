// SPDX-License-Identifier: MPL-2.0

package outfile

import (
	"encoding/hex"
	"hash"
	"os"
	"sync"
)

// Writer is a file while it is being written.
type Writer struct {
	f   *os.File
	sum hash.Hash
	n   int64
}

// Write appends p, and updates the digest concurrently. It returns ErrNoSpace on a full disk.
// After an error, neither the digest nor the file is usable.
func (w *Writer) Write(p []byte) (int, error) {
	var summed sync.WaitGroup
	summed.Go(func() { w.sum.Write(p) })
	n, err := w.f.Write(p)
	summed.Wait()

	w.n += int64(n)

	return n, pathless(err)
}

// complete waits with sync until the file is on the disk, and describes it.
func (w *Writer) complete(sync func(*os.File) error) (File, error) {
	if err := sync(w.f); err != nil {
		return File{}, pathless(err)
	}

	info, err := w.f.Stat()
	if err != nil {
		return File{}, pathless(err)
	}

	return File{SHA256: hex.EncodeToString(w.sum.Sum(nil)), Bytes: w.n, Stamp: stampOf(info)}, nil
}
