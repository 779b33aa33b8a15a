package outfile

import (
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"os"
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

// Writer is an output file while it is being written.
type Writer struct {
	f    *os.File
	sum  hash.Hash
	n    int64
	next int64 // where the free space is looked at
	free func(*os.File) (int64, bool)
}

// Write appends, and takes the digest beside the writing. It fails with ErrNoSpace
// before the disk is full; after an error the digest is worthless, and so is the file.
func (o *Writer) Write(p []byte) (int, error) {
	if o.n >= o.next {
		if free, known := o.free(o.f); o.next > 0 && known && free < spaceMargin {
			return 0, ErrNoSpace
		}
		o.next = o.n + spaceStep
	}
	var summed sync.WaitGroup
	summed.Go(func() { o.sum.Write(p) })
	n, err := o.f.Write(p)
	summed.Wait()
	o.n += int64(n)
	return n, explained(err)
}

// Restart forgets what was written so far.
func (o *Writer) Restart() error {
	if err := o.f.Truncate(0); err != nil {
		return explained(err)
	}
	_, err := o.f.Seek(0, io.SeekStart)
	o.sum.Reset()
	o.n, o.next = 0, 0
	return explained(err)
}

// Size is how much was written so far, in bytes.
func (o *Writer) Size() int64 { return o.n }

func (o *Writer) file() File {
	return File{SHA256: hex.EncodeToString(o.sum.Sum(nil)), Bytes: o.n}
}

// explained drops the path from an error and recognises a full disk.
func explained(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return ErrNoSpace
	}
	return pathless(err)
}
