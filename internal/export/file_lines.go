// SPDX-License-Identifier: MPL-2.0

package export

import (
	"bufio"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	// block is the size in bytes of what is compressed, or written, at a time.
	block = 512 << 10

	// zstdWindow limits the memory that writing and reading the file take, in bytes.
	zstdWindow = 1 << 20
)

// lineFile writes lines to a file, and compresses them.
type lineFile struct {
	lines  *bufio.Writer
	packer io.Closer     // takes the lines; nil without compression
	packed *bufio.Writer // takes what the packer makes of them
}

// startLines starts to write lines to a file. They are in the file after finish.
func startLines(to io.Writer, compression string) (*lineFile, error) {
	if compression == uncompressed {
		return &lineFile{lines: bufio.NewWriterSize(to, block)}, nil
	}

	packed := bufio.NewWriterSize(to, block)
	if compression == gzipped {
		packer := gzip.NewWriter(packed)
		return &lineFile{bufio.NewWriterSize(packer, block), packer, packed}, nil
	}

	packer, err := zstd.NewWriter(packed, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(zstdWindow), zstd.WithEncoderLevel(zstd.SpeedDefault))
	if err != nil {
		return nil, err
	}

	return &lineFile{bufio.NewWriterSize(packer, block), packer, packed}, nil
}

// line writes the parts of one line.
func (f *lineFile) line(parts ...[]byte) error {
	for _, part := range parts {
		if _, err := f.lines.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// finish writes what is left.
func (f *lineFile) finish() error {
	if err := f.lines.Flush(); err != nil || f.packer == nil {
		return err
	}
	if err := f.packer.Close(); err != nil {
		return err
	}
	return f.packed.Flush()
}
