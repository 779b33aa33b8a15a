// SPDX-License-Identifier: MPL-2.0

package export

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"

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

// write writes the records of a day as lines into the files, one for all kinds or one for each, in
// place of what an answer that broke off left there. A record keeps its spelling; only white space that
// would break its line is removed.
func (e *dayExport) write(day client.Records) error {
	e.bytes.Store(0)
	e.records.Store(0)
	var of [len(records.Counts{})]*output // by kind; without {kind}, the first is that of all
	var ends []func() error               // bring the lines to the files, in order
	for _, o := range e.outputs {
		of[o.kind] = o
		more, err := e.begin(o)
		if err != nil {
			return err
		}
		ends = append(ends, more...)
	}

	for kind, record := range day {
		if err := cmp.Or(of[kind], of[0]).writeLine(kind, record); err != nil {
			return err
		}
		e.records.Add(1)
	}

	for _, end := range ends {
		if err := end(); err != nil {
			return err
		}
	}

	return nil
}

// writeLine writes the line of a record.
func (o *output) writeLine(kind records.Kind, record jsontext.Value) error {
	end := "\n"
	if o.withKind {
		_, _ = o.lines.WriteString(`{"kind":"` + kind.String() + `","record":`) // an error comes again
		end = "}\n"
	}
	_, _ = o.lines.Write(oneLine(record))
	_, err := o.lines.WriteString(end)

	return err
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

// bounded is a file that fails with errTooMuch when all files together would exceed max_bytes.
type bounded struct {
	*outfile.Output

	export *dayExport
}

func (b bounded) Write(p []byte) (int, error) {
	limit := b.export.day.MaxBytes.ValueInt64() // zero for none
	if written := b.export.bytes.Add(int64(len(p))); limit > 0 && written > limit {
		return 0, errTooMuch
	}
	return b.Output.Write(p)
}

// begin begins the file of an output. Its lines are in the file after the ends.
func (e *dayExport) begin(o *output) (ends []func() error, err error) {
	file := bufio.NewWriterSize(bounded{o.file, e}, block)
	o.lines = file

	var packer io.WriteCloser
	switch e.day.Compression.ValueString() {
	case gzipped:
		packer = gzip.NewWriter(file)
	case zstandard:
		packer, err = zstd.NewWriter(file, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(zstdWindow), zstd.WithEncoderLevel(zstd.SpeedDefault))
	}
	if packer != nil {
		o.lines = bufio.NewWriterSize(packer, block)
		ends = append(ends, o.lines.Flush, packer.Close)
	}

	return append(ends, file.Flush), errors.Join(err, o.file.Begin())
}
