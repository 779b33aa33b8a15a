package export

import (
	"bufio"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	// block is the size in bytes of what one stage of the writing hands to the next.
	block = 512 << 10

	// blocks is the number of blocks of a file: one is filled, one is written, and one is
	// on its way.
	blocks = 3

	// zstdWindow limits the memory that writing and reading the file take, in bytes.
	zstdWindow = 1 << 20
)

var errPanic = errors.New("writing the file ended in a panic, which is a defect of the provider")

// lineFile compresses and writes lines in a goroutine of its own, beside the reading of
// the records.
type lineFile struct {
	block []byte      // is filled with lines
	full  chan []byte // blocks to write
	empty chan []byte // blocks to fill

	stopping sync.Once
	stop     chan struct{}
	ended    chan struct{}
	err      error // of the writing; valid once ended is closed
}

// startLines starts to write lines to a file. Call finish or abort.
func startLines(to io.Writer, compression string) *lineFile {
	f := &lineFile{
		block: make([]byte, 0, block),
		full:  make(chan []byte, blocks),
		empty: make(chan []byte, blocks),
		stop:  make(chan struct{}),
		ended: make(chan struct{}),
	}
	for range blocks - 1 {
		f.empty <- nil // made when it is needed
	}

	go func() {
		defer close(f.ended)
		defer func() {
			if recover() != nil { // its value may hold a record
				f.err = errPanic
			}
		}()
		f.err = f.pack(to, compression)
	}()

	return f
}

// line appends the parts of one line.
func (f *lineFile) line(begin, record, end []byte) error {
	for _, part := range [...][]byte{begin, record, end} {
		if err := f.append(part); err != nil {
			return err
		}
	}
	return nil
}

// append adds text to the block, and hands over each block that is full.
func (f *lineFile) append(p []byte) error {
	for len(p) > cap(f.block)-len(f.block) {
		room := cap(f.block) - len(f.block)
		f.block = append(f.block, p[:room]...)
		p = p[room:]

		if err := f.handOver(); err != nil {
			return err
		}
	}

	f.block = append(f.block, p...)

	return nil
}

// handOver gives the block to the writing goroutine and takes an empty one.
func (f *lineFile) handOver() error {
	select {
	case f.full <- f.block:
	case <-f.ended:
		return f.err
	}

	select {
	case f.block = <-f.empty:
	case <-f.ended:
		return f.err
	}

	if f.block == nil {
		f.block = make([]byte, 0, block)
	}

	return nil
}

// finish writes what is left and waits for it.
func (f *lineFile) finish() error {
	if len(f.block) > 0 {
		if err := f.handOver(); err != nil {
			return err
		}
	}

	close(f.full)
	<-f.ended

	return f.err
}

// abort ends the writing and waits for it. It has no effect after finish.
func (f *lineFile) abort() {
	f.stopping.Do(func() { close(f.stop) })
	<-f.ended
}

// pack compresses the blocks into the file.
func (f *lineFile) pack(to io.Writer, compression string) error {
	packer, err := newPacker(to, compression)
	if err != nil {
		return err
	}

	for {
		select {
		case <-f.stop:
			_ = packer.Close() // frees its memory; the file is given up
			return nil

		case lines, more := <-f.full:
			if !more {
				return packer.Close()
			}

			if _, err := packer.Write(lines); err != nil {
				_ = packer.Close()
				return err
			}
			f.empty <- lines[:0]
		}
	}
}

// newPacker returns a writer that compresses. Its Close flushes it and leaves the file
// open.
func newPacker(to io.Writer, compression string) (io.WriteCloser, error) {
	if compression == uncompressed {
		return plain{to}, nil
	}

	file := bufio.NewWriterSize(to, block)
	if compression == gzipped {
		return &buffered{gzip.NewWriter(file), file}, nil
	}

	z, err := zstd.NewWriter(file, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(zstdWindow), zstd.WithEncoderLevel(zstd.SpeedDefault))
	if err != nil {
		return nil, err
	}

	return &buffered{z, file}, nil
}

// plain is a packer that does not compress.
type plain struct{ io.Writer }

func (plain) Close() error { return nil }

// buffered is a packer whose output is buffered.
type buffered struct {
	io.WriteCloser

	file *bufio.Writer
}

func (b *buffered) Close() error {
	if err := b.WriteCloser.Close(); err != nil {
		return err
	}
	return b.file.Flush()
}
