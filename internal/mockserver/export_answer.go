package mockserver

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Shapes of an export. The interface shows none (section 4, gaps): all of them are
// assumptions.
const (
	ExportObject = "object" // {"persons": […], "sessions": […], "events": […]}
	ExportNested = "nested" // the same under one name
	ExportArray  = "array"  // […], each record with a discriminator
	ExportNDJSON = "ndjson" // a record on each line, with a discriminator
)

// Framings of an export: what tells the client where it ends.
const (
	FramingChunked = "chunked"
	FramingLength  = "length" // holds the answer in memory
	FramingClose   = "close"  // nothing but the end of the connection
)

// ExportAnswer is how an export is answered. The zero value is an object of arrays,
// in chunks, as it is.
type ExportAnswer struct {
	Shape string
	// Names are those of the arrays in an object; empty are persons, sessions, events.
	Names [Kinds]string
	// Wrapper is the name that ExportNested nests under; empty is "data".
	Wrapper string
	// Discriminator is the member of a record that says its kind, empty is "type";
	// Values are what it says, empty are person, session, event.
	Discriminator string
	Values        [Kinds]string
	// Pretty puts each record of a JSON shape on lines of its own, indented.
	Pretty bool
	// Mark begins with a byte order mark; CRLF ends lines as Windows does.
	Mark, CRLF bool
	// Encoding is a content coding: empty, gzip or zstd, whatever the client accepts.
	Encoding string
	Framing  string
	// Empty answers a day without records with 204 where it is NoContent, and with a
	// body of no bytes where it is "". Nil: as any other day.
	Empty any
}

// Validate refuses values that are not among the constants.
func (a ExportAnswer) Validate() error {
	for _, c := range []struct {
		name, value string
		accepted    []string
	}{
		{"shape", a.Shape, []string{"", ExportObject, ExportNested, ExportArray, ExportNDJSON}},
		{"encoding", a.Encoding, []string{"", "gzip", "zstd"}},
		{"framing", a.Framing, []string{"", FramingChunked, FramingLength, FramingClose}},
	} {
		if !slices.Contains(c.accepted, c.value) {
			return fmt.Errorf("the %s of an export is one of %q, not %q", c.name, c.accepted[1:], c.value)
		}
	}
	return nil
}

func (a ExportAnswer) withDefaults() ExportAnswer {
	a.Shape = cmp.Or(a.Shape, ExportObject)
	a.Wrapper = cmp.Or(a.Wrapper, "data")
	a.Discriminator = cmp.Or(a.Discriminator, "type")
	a.Framing = cmp.Or(a.Framing, FramingChunked)
	for i, name := range kindNames {
		a.Names[i] = cmp.Or(a.Names[i], name+"s")
		a.Values[i] = cmp.Or(a.Values[i], name)
	}
	return a
}

// exported is the answer of one export.
type exported struct {
	ExportAnswer

	day   records
	kinds []int
}

// block is how much of an export is in memory at a time, in bytes.
const block = 256 << 10

// send writes the answer while it is made.
func (e *exported) send(w http.ResponseWriter) {
	if e.Empty != nil && e.isEmpty() {
		status := http.StatusOK
		if e.Empty == NoContent {
			status = http.StatusNoContent
		}
		w.WriteHeader(status)
		return
	}
	media := "application/json"
	if e.Shape == ExportNDJSON {
		media = "application/x-ndjson"
	}
	w.Header().Set("Content-Type", media)
	if e.Encoding != "" {
		w.Header().Set("Content-Encoding", e.Encoding)
	}
	switch e.Framing {
	case FramingLength:
		var whole bytes.Buffer
		_ = e.encode(&whole)
		w.Header().Set("Content-Length", strconv.Itoa(whole.Len()))
		_, _ = whole.WriteTo(w)
		return
	case FramingClose:
		// This is how net/http is told to send neither a length nor chunks.
		w.Header().Set("Transfer-Encoding", "identity")
	}
	_ = http.NewResponseController(w).Flush() // so that a short answer has no length either
	if e.encode(w) != nil {
		panic(http.ErrAbortHandler) // the client has gone
	}
}

func (e *exported) isEmpty() bool {
	for kind := range Kinds + 1 {
		if e.day.each(kind, func([]byte) error { return io.EOF }) != nil {
			return false
		}
	}
	return true
}

// encode writes the answer with its content coding.
func (e *exported) encode(to io.Writer) error {
	w := bufio.NewWriterSize(to, block)
	var packer io.WriteCloser
	switch e.Encoding {
	case "gzip":
		packer, _ = gzip.NewWriterLevel(w, gzip.BestSpeed)
	case "zstd":
		packer, _ = zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<20))
	default:
		if err := e.write(w); err != nil {
			return err
		}
		return w.Flush()
	}
	plain := bufio.NewWriterSize(packer, block)
	for _, step := range []func() error{func() error { return e.write(plain) }, plain.Flush, packer.Close, w.Flush} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// write writes the answer in its shape.
func (e *exported) write(w *bufio.Writer) error {
	if e.Mark {
		_, _ = w.WriteString("\uFEFF")
	}
	switch e.Shape {
	case ExportArray:
		_, _ = w.WriteString("[")
		if err := e.list(w, e.kinds); err != nil {
			return err
		}
		_, err := w.WriteString("]")
		return err
	case ExportNDJSON:
		for _, kind := range e.kinds {
			if err := e.day.each(kind, func(record []byte) error { return e.discriminated(w, kind, record, e.end()) }); err != nil {
				return err
			}
		}
		return nil
	case ExportNested:
		_, _ = w.WriteString(`{"` + e.Wrapper + `":`)
		if err := e.object(w); err != nil {
			return err
		}
		return w.WriteByte('}')
	}
	return e.object(w)
}

func (e *exported) end() string {
	if e.CRLF {
		return "\r\n"
	}
	return "\n"
}

// object writes an array for each kind, and one for the others where there are any.
func (e *exported) object(w *bufio.Writer) error {
	begin := "{"
	for _, kind := range e.kinds {
		name := "others"
		if kind < Kinds {
			name = e.Names[kind]
		} else if e.day.each(kind, func([]byte) error { return io.EOF }) == nil {
			continue
		}
		_, _ = w.WriteString(begin + `"` + name + `":[`)
		begin = ","
		between := ""
		if err := e.day.each(kind, func(record []byte) error {
			err := e.element(w, between, record)
			between = ","
			return err
		}); err != nil {
			return err
		}
		_ = w.WriteByte(']')
	}
	return w.WriteByte('}')
}

// element writes one record of an array.
func (e *exported) element(w *bufio.Writer, between string, record []byte) error {
	_, _ = w.WriteString(between)
	if e.Pretty {
		_, _ = w.WriteString(e.end() + "    ")
		record = bytes.Replace(record, []byte("{"), []byte("{"+e.end()+"      "), 1)
	}
	_, err := w.Write(record)
	return err
}

// list writes the records of several kinds as the elements of one array.
func (e *exported) list(w *bufio.Writer, kinds []int) error {
	between := ""
	for _, kind := range kinds {
		if err := e.day.each(kind, func(record []byte) error {
			_, _ = w.WriteString(between)
			between = ","
			return e.discriminated(w, kind, record, "")
		}); err != nil {
			return err
		}
	}
	return nil
}

// discriminated writes a record that says its kind.
func (e *exported) discriminated(w *bufio.Writer, kind int, record []byte, end string) error {
	if kind < Kinds && len(record) > 0 && record[0] == '{' {
		_, _ = w.WriteString(`{"` + e.Discriminator + `":"` + e.Values[kind] + `"`)
		if record = record[1:]; record[0] != '}' {
			_ = w.WriteByte(',')
		}
	}
	_, _ = w.Write(record)
	_, err := w.WriteString(end)
	return err
}
