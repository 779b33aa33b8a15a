// SPDX-License-Identifier: MPL-2.0

package export

import (
	"bufio"
	"bytes"
	"io"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// Values of compression.
const (
	uncompressed = "none"
	gzipped      = "gzip"
	zstandard    = "zstd"
)

const (
	// block is the size in bytes of what is compressed, or written, at a time.
	block = 512 << 10

	// zstdWindow limits the memory that writing and reading the file take, in bytes.
	zstdWindow = 1 << 20
)

// dayFiles writes records as lines into the files of an export: one for all kinds, or one for
// each.
type dayFiles struct {
	*dayExport

	reserved *outfile.Reservation
	targets  [len(records.Counts{})]int // by kind; without {kind}, all kinds go to target 0
}

// write writes the records of a day, in place of those before. A record keeps its spelling; only
// white space that would break its line is removed.
func (f *dayFiles) write(day client.Records) error {
	if err := f.start(); err != nil {
		return err
	}

	withKind := f.day.WithKind.ValueBool()
	for kind, record := range day {
		begin, end := []byte(nil), lineEnds
		if withKind {
			begin, end = lineBegins[kind], wrappedEnds
		}
		if err := f.outputs[f.targets[kind]].lines.line(begin, oneLine(record), end); err != nil {
			return err
		}
		f.written.records.Add(1)
	}

	return f.finish()
}

// start starts all files, and drops those of an answer that broke off.
func (f *dayFiles) start() error {
	f.written.bytes.Store(0)
	records := f.written.records.Swap(0)
	if f.written.begun && f.written.restarted != nil {
		f.written.restarted(records)
	}
	f.written.begun = true

	for i, o := range f.outputs {
		f.targets[o.kind] = i
		if err := f.startFile(i); err != nil {
			return err
		}
	}

	return nil
}

// startFile begins to write the file of a target.
func (f *dayFiles) startFile(target int) error {
	out, err := f.reserved.Writer(target)
	if err != nil {
		return err
	}

	f.outputs[target].lines, err = startLines(&bounded{out, f.day.MaxBytes.ValueInt64(), &f.written}, f.day.Compression.ValueString())

	return err
}

// finish writes what is left of every file.
func (f *dayFiles) finish() error {
	for _, o := range f.outputs {
		if err := o.lines.finish(); err != nil {
			return err
		}
	}

	return nil
}

// oneLine returns a record without the white space between its parts if that would break the line.
// It changes record, in its place: a copy of the largest one would take as much memory again.
func oneLine(record jsontext.Value) jsontext.Value {
	if bytes.IndexByte(record, '\n') < 0 && bytes.IndexByte(record, '\r') < 0 {
		return record
	}

	line := record[:0]
	for rest := record; len(rest) > 0; {
		n := 1
		if rest[0] == '"' {
			n = jsonvalue.ValueLen(rest)
		}
		if rest[0] > ' ' {
			line = append(line, rest[:n]...)
		}
		rest = rest[n:]
	}

	return line
}

// The parts of a line before and after the record.
var (
	lineEnds    = []byte("\n")
	wrappedEnds = []byte("}\n")
	lineBegins  = func() (begins [len(records.Counts{})][]byte) {
		for i := range begins {
			begins[i] = []byte(`{"kind":"` + records.Kind(i).String() + `","record":`)
		}
		return begins
	}()
)

// progress counts what has been written of a day. It may be read at any time.
type progress struct {
	records atomic.Int64
	bytes   atomic.Int64 // of all files together, after compression
	begun   bool

	// restarted is called when an answer broke off, after so many records, and the day is
	// read from its beginning again; nil for nothing.
	restarted func(records int64)
}

// bounded is a writer that fails with errTooMuch when all files together would exceed a
// limit.
type bounded struct {
	*outfile.Writer

	limit   int64 // 0 for none
	written *progress
}

func (b *bounded) Write(p []byte) (int, error) {
	if written := b.written.bytes.Add(int64(len(p))); b.limit > 0 && written > b.limit {
		return 0, errTooMuch
	}
	return b.Writer.Write(p)
}

// lineFile writes lines to a file, and compresses them.
type lineFile struct {
	lines  *bufio.Writer
	packer io.WriteCloser // takes blocks of lines; nil without a compression
	packed *bufio.Writer  // takes what the packer makes of them
}

// startLines starts to write lines to a file. They are in the file after finish.
func startLines(to io.Writer, compression string) (f *lineFile, err error) {
	f = &lineFile{packed: bufio.NewWriterSize(to, block)}
	switch compression {
	case gzipped:
		f.packer = gzip.NewWriter(f.packed)
	case zstandard:
		f.packer, err = zstd.NewWriter(f.packed, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(zstdWindow), zstd.WithEncoderLevel(zstd.SpeedDefault))
	default:
		f.lines = f.packed
		return f, nil
	}
	f.lines = bufio.NewWriterSize(f.packer, block)

	return f, err
}

// line writes one line, which consists of a record and what is around it.
func (f *lineFile) line(begin, record, end []byte) error {
	_, _ = f.lines.Write(begin) // an error comes again
	_, _ = f.lines.Write(record)
	_, err := f.lines.Write(end)
	return err
}

// finish writes what is left.
func (f *lineFile) finish() error {
	if err := f.lines.Flush(); err != nil {
		return err
	}
	if f.packer == nil {
		return nil
	}
	if err := f.packer.Close(); err != nil {
		return err
	}

	return f.packed.Flush()
}
