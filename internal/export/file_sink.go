package export

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// What compression accepts.
const (
	uncompressed = "none"
	gzipped      = "gzip"
	zstandard    = "zstd"
)

const (
	// block is how much is handed from one stage of the writing to the next, in bytes.
	block = 256 << 10

	// zstdWindow keeps the memory of whoever writes and whoever reads the file small.
	zstdWindow = 1 << 20
)

// fileSink writes records as lines into an output file. Compressing and writing
// happen in a goroutine of their own, beside the reading.
type fileSink struct {
	out         *outfile.Writer
	compression string
	withKind    bool
	limit       int64 // of the file, in bytes; 0 is none

	lines *bufio.Writer
	pipe  *io.PipeWriter
	ended chan struct{}
	err   error // what the writing ended with, once it has ended
}

// errAborted ends the writing of a file that nobody wants any more.
var errAborted = errors.New("the export was given up")

var errPanic = errors.New("writing the file ended in a panic, which is a defect of the provider")

func (s *fileSink) start() {
	r, w := io.Pipe()
	s.pipe, s.lines, s.ended = w, bufio.NewWriterSize(w, block), make(chan struct{})
	go func() {
		defer close(s.ended)
		defer func() {
			if recover() != nil { // its value may hold a record
				s.err = errPanic
			}
			_ = r.CloseWithError(s.err)
		}()
		s.err = s.pack(r)
	}()
}

// Restart forgets every record.
func (s *fileSink) Restart() error {
	s.abort()
	err := s.out.Restart()
	s.start()
	return err
}

// abort ends the writing and waits for it.
func (s *fileSink) abort() {
	_ = s.pipe.CloseWithError(errAborted)
	<-s.ended
}

// finish writes what is left and waits for it.
func (s *fileSink) finish() error {
	if err := s.lines.Flush(); err != nil {
		s.abort()
		return err
	}
	_ = s.pipe.Close()
	<-s.ended
	return s.err
}

// Record writes one record as a line, spelled as it is; only white space between its
// parts goes where it would break the line.
func (s *fileSink) Record(k records.Kind, record jsontext.Value) error {
	if bytes.IndexByte(record, '\n') >= 0 || bytes.IndexByte(record, '\r') >= 0 {
		record = record.Clone()
		if err := record.Compact(); err != nil {
			return err
		}
	}
	if s.withKind {
		_, _ = s.lines.WriteString(lineBegins[k])
		_, _ = s.lines.Write(record)
		_, err := s.lines.WriteString("}\n")
		return err
	}
	_, _ = s.lines.Write(record)
	return s.lines.WriteByte('\n')
}

// lineBegins is what stands before a record in a line that says its kind.
var lineBegins = func() (begins [len(records.Counts{})]string) {
	for i := range begins {
		begins[i] = `{"kind":"` + records.Kind(i).String() + `","record":`
	}
	return begins
}()

// pack compresses what comes through the pipe into the file.
func (s *fileSink) pack(lines io.Reader) error {
	file := bufio.NewWriterSize(&bounded{s.out, s.limit}, block)
	var packer io.WriteCloser
	switch s.compression {
	case gzipped:
		packer = gzip.NewWriter(file)
	case zstandard:
		z, err := zstd.NewWriter(file, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(zstdWindow), zstd.WithEncoderLevel(zstd.SpeedDefault))
		if err != nil {
			return err
		}
		packer = z
	default:
		packer = struct {
			io.Writer
			io.Closer
		}{file, io.NopCloser(nil)}
	}
	if _, err := io.CopyBuffer(struct{ io.Writer }{packer}, lines, make([]byte, block)); err != nil {
		_ = packer.Close() // lets go of what it holds; the file is given up
		return err
	}
	if err := packer.Close(); err != nil {
		return err
	}
	return file.Flush()
}

// bounded refuses more than a file may have.
type bounded struct {
	*outfile.Writer

	limit int64
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.limit > 0 && b.Size()+int64(len(p)) > b.limit {
		return 0, errTooMuch
	}
	return b.Writer.Write(p)
}
