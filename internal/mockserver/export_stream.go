// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strconv"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// exportStream is the answer to one export request.
type exportStream struct {
	ExportAnswer

	day   records
	kinds []int
}

// block is the size of the buffers that an export is written through, in bytes.
const block = 256 << 10

// send writes the answer while it is generated.
func (e *exportStream) send(w http.ResponseWriter) {
	if e.Empty != nil && e.isEmpty() {
		e.sendEmpty(w)
		return
	}

	w.Header().Set("Content-Type", e.mediaType())
	if e.Encoding != "" {
		w.Header().Set("Content-Encoding", e.Encoding)
	}

	if e.Framing == FramingLength {
		e.sendWhole(w)
		return
	}

	if e.Framing == FramingClose {
		// net/http then sends neither a length nor chunks.
		w.Header().Set("Transfer-Encoding", "identity")
	}
	_ = http.NewResponseController(w).Flush() // net/http would give a short answer a length

	if e.encode(w) != nil {
		panic(http.ErrAbortHandler) // the client has gone
	}
}

func (e *exportStream) sendEmpty(w http.ResponseWriter) {
	if e.Empty == NoContent {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.WriteHeader(http.StatusOK)
}

func (e *exportStream) sendWhole(w http.ResponseWriter) {
	var whole bytes.Buffer
	_ = e.encode(&whole) // a bytes.Buffer returns no errors

	w.Header().Set("Content-Length", strconv.Itoa(whole.Len()))
	_, _ = whole.WriteTo(w)
}

func (e *exportStream) mediaType() string {
	if e.Shape == ExportNDJSON {
		return "application/x-ndjson"
	}
	return "application/json"
}

// isEmpty reports whether the day has no records of any kind, even of those that the
// request did not choose.
func (e *exportStream) isEmpty() bool {
	for kind := range Kinds + 1 {
		if e.hasRecords(kind) {
			return false
		}
	}
	return true
}

func (e *exportStream) hasRecords(kind int) bool {
	return e.day.each(kind, func([]byte) error { return io.EOF }) != nil
}

// encode writes the answer with its content coding.
func (e *exportStream) encode(to io.Writer) error {
	w := bufio.NewWriterSize(to, block)

	packer := e.packer(w)
	if packer == nil {
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

// packer returns a writer that applies the content coding, or nil without one.
func (e *exportStream) packer(to io.Writer) io.WriteCloser {
	switch e.Encoding {
	case "gzip":
		packer, _ := gzip.NewWriterLevel(to, gzip.BestSpeed)
		return packer
	case "zstd":
		packer, _ := zstd.NewWriter(to,
			zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<20))
		return packer
	}

	return nil
}

// write writes the answer in its shape.
func (e *exportStream) write(w *bufio.Writer) error {
	if e.Mark {
		_, _ = w.WriteString("\uFEFF")
	}

	switch e.Shape {
	case ExportNested:
		return e.nested(w)
	case ExportArray:
		return e.array(w)
	case ExportNDJSON:
		return e.lines(w)
	}

	return e.object(w)
}

// object writes an object with an array for each kind, and one for the others if
// there are any.
func (e *exportStream) object(w *bufio.Writer) error {
	begin := "{" + e.Beside
	for _, kind := range e.kinds {
		if kind == others && !e.hasRecords(others) {
			continue
		}

		_, _ = w.WriteString(begin + `"` + e.arrayName(kind) + `":`)
		begin = ","
		if err := e.recordsOf(kind, w); err != nil {
			return err
		}
	}

	return w.WriteByte('}')
}

func (e *exportStream) arrayName(kind int) string {
	if kind == others {
		return "others"
	}
	return e.Names[kind]
}

// recordsOf writes the records of one kind as an array.
func (e *exportStream) recordsOf(kind int, w *bufio.Writer) error {
	_ = w.WriteByte('[')

	between := ""
	err := e.day.each(kind, func(record []byte) error {
		err := e.element(w, between, record)
		between = ","
		return err
	})
	if err != nil {
		return err
	}

	return w.WriteByte(']')
}

// element writes one record of an array.
func (e *exportStream) element(w *bufio.Writer, between string, record []byte) error {
	_, _ = w.WriteString(between)
	if e.Pretty {
		_, _ = w.WriteString(e.lineEnd() + "    ")
		record = bytes.Replace(record, []byte("{"), []byte("{"+e.lineEnd()+"      "), 1)
	}

	_, err := w.Write(record)
	return err
}

// nested writes the object under a name.
func (e *exportStream) nested(w *bufio.Writer) error {
	_, _ = w.WriteString(`{"` + e.Wrapper + `":`)
	if err := e.object(w); err != nil {
		return err
	}
	return w.WriteByte('}')
}

// array writes the records of all kinds as one array.
func (e *exportStream) array(w *bufio.Writer) error {
	_ = w.WriteByte('[')

	between := ""
	for _, kind := range e.kinds {
		err := e.day.each(kind, func(record []byte) error {
			_, _ = w.WriteString(between)
			between = ","
			return e.discriminated(w, kind, record)
		})
		if err != nil {
			return err
		}
	}

	return w.WriteByte(']')
}

// lines writes each record on a line.
func (e *exportStream) lines(w *bufio.Writer) error {
	for _, kind := range e.kinds {
		err := e.day.each(kind, func(record []byte) error {
			_ = e.discriminated(w, kind, record) // a bufio.Writer keeps its error
			_, err := w.WriteString(e.lineEnd())
			return err
		})
		if err != nil {
			return err
		}
	}

	return nil
}

// discriminated writes a record with the member that says its kind. A record that has
// no kind, or is not an object, is written unchanged.
func (e *exportStream) discriminated(w *bufio.Writer, kind int, record []byte) error {
	if kind != others && len(record) > 0 && record[0] == '{' {
		_, _ = w.WriteString(`{"` + e.Discriminator + `":"` + e.Values[kind] + `"`)
		if record = record[1:]; record[0] != '}' {
			_ = w.WriteByte(',')
		}
	}

	_, err := w.Write(record)

	return err
}

func (e *exportStream) lineEnd() string {
	if e.CRLF {
		return "\r\n"
	}
	return "\n"
}
