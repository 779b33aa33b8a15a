package export

import (
	"bytes"
	"errors"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// Values of compression.
const (
	uncompressed = "none"
	gzipped      = "gzip"
	zstandard    = "zstd"
)

// fileSink writes records as lines into files: one for all kinds, or one for each.
type fileSink struct {
	withKind bool
	reserved *outfile.Reservation
	size     *quota
	files    []*lineFile // by target; nil for an optional one without records
	outputs  []output
	targets  [len(records.Counts{})]int // by kind
	compress string
}

// newFileSink returns a sink that has begun to write every file but the optional ones.
func newFileSink(m *dayModel, outputs []output, reserved *outfile.Reservation) (*fileSink, error) {
	s := &fileSink{
		withKind: m.WithKind.ValueBool(),
		compress: m.Compression.ValueString(),
		reserved: reserved,
		size:     &quota{limit: m.MaxBytes.ValueInt64()},
		files:    make([]*lineFile, len(outputs)),
		outputs:  outputs,
	}
	for i, o := range outputs {
		s.targets[o.kind] = i // without {kind}, all kinds go to target 0
	}

	return s, s.begin()
}

// begin starts all files but the optional ones.
func (s *fileSink) begin() error {
	for i, o := range s.outputs {
		if o.optional {
			continue
		}

		if err := s.start(i); err != nil {
			s.abort()
			return err
		}
	}

	return nil
}

// start begins to write the file of a target.
func (s *fileSink) start(target int) error {
	out, err := s.reserved.Writer(target)
	if err != nil {
		return err
	}

	s.files[target] = startLines(&bounded{out, s.size}, s.compress)
	return nil
}

// Restart forgets every record.
func (s *fileSink) Restart() error {
	s.abort()
	s.size.used.Store(0)

	for i, f := range s.files {
		if f != nil {
			s.reserved.Discard(i)
			s.files[i] = nil
		}
	}

	return s.begin()
}

// abort ends the writing of all files and waits for it. It has no effect after finish.
func (s *fileSink) abort() {
	for _, f := range s.files {
		if f != nil {
			f.abort()
		}
	}
}

// finish writes what is left and waits for it.
func (s *fileSink) finish() error {
	var all error
	for _, f := range s.files {
		if f != nil {
			all = errors.Join(all, f.finish())
		}
	}
	return all
}

// Record writes one record as a line. The record keeps its spelling; only white space that
// would break the line is removed.
func (s *fileSink) Record(k records.Kind, record jsontext.Value) error {
	line, err := oneLine(record)
	if err != nil {
		return err
	}
	f, err := s.fileOf(k)
	if err != nil {
		return err
	}

	if s.withKind {
		return f.line(lineBegins[k], line, wrappedEnds)
	}

	return f.line(nil, line, lineEnds)
}

// oneLine returns a record without line breaks. It does not change record.
func oneLine(record jsontext.Value) (jsontext.Value, error) {
	if bytes.IndexByte(record, '\n') < 0 && bytes.IndexByte(record, '\r') < 0 {
		return record, nil
	}

	line := record.Clone()
	err := line.Compact()
	return line, err
}

// fileOf returns the file for records of a kind. It starts an optional one.
func (s *fileSink) fileOf(k records.Kind) (*lineFile, error) {
	target := s.targets[k]
	if s.files[target] == nil {
		if err := s.start(target); err != nil {
			return nil, err
		}
	}
	return s.files[target], nil
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

// quota limits the size of all files of an object together, in bytes.
type quota struct {
	limit int64 // 0 for none
	used  atomic.Int64
}

// bounded is a writer that fails with errTooMuch when the quota is used up.
type bounded struct {
	*outfile.Writer

	size *quota
}

func (b *bounded) Write(p []byte) (int, error) {
	if used := b.size.used.Add(int64(len(p))); b.size.limit > 0 && used > b.size.limit {
		return 0, errTooMuch
	}
	return b.Writer.Write(p)
}
