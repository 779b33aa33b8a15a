package client

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	// limitWindow bounds the memory for a zstd stream, in bytes. It is what RFC 8878 asks
	// every decoder of HTTP to accept, and not more.
	limitWindow = 8 << 20

	// limitHead is how much of an answer is kept for an error message, in bytes.
	limitHead = LimitError
)

// streamed is an answer that is read while it comes. Its status is of class 2xx.
type streamed struct {
	call *call
	resp *http.Response
	head head // of the answer without its compression
}

func (s *streamed) close() { s.resp.Body.Close() }

// delimited reports whether the transport shows that the answer is complete.
func (s *streamed) delimited() bool {
	return s.resp.ProtoMajor >= 2 || s.resp.ContentLength >= 0 || slices.Contains(s.resp.TransferEncoding, "chunked")
}

var (
	errCoding  = errors.New("the answer is compressed in a way that was not asked for, or not as it says")
	errNothing = errors.New("the answer says that it is compressed and has no content; what is compressed is never empty, even without records")
)

// unpacked returns the body without its compression. A compressed stream may consist of
// several, one after the other, and never of none.
func (s *streamed) unpacked(body io.Reader) (io.ReadCloser, error) {
	coding := strings.ToLower(strings.TrimSpace(s.resp.Header.Get("Content-Encoding")))
	if coding == "" || coding == "identity" {
		return io.NopCloser(body), nil
	}

	packed := bufio.NewReader(body)
	if _, err := packed.Peek(1); errors.Is(err, io.EOF) {
		return nil, errNothing
	} else if err != nil {
		return nil, err
	}

	switch coding {
	case "gzip", "x-gzip":
		return gzip.NewReader(packed)
	case "zstd":
		return newZstdReader(packed)
	}

	return nil, errCoding
}

func newZstdReader(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(limitWindow))
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

// noted is a reader that remembers its error, to tell it from one of what reads from it.
type noted struct {
	io.Reader

	err error
}

func (n *noted) Read(p []byte) (int, error) {
	read, err := n.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		n.err = err
	}
	return read, err
}

// chunk is how much is read ahead at a time, in bytes.
const chunk = 256 << 10

// ahead reads in a goroutine of its own, so that the network, the decompression and the
// parser do not wait for each other.
type ahead struct {
	*io.PipeReader

	done chan struct{} // closed when the goroutine has ended
}

func readAhead(from io.Reader) *ahead {
	r, w := io.Pipe()
	a := &ahead{PipeReader: r, done: make(chan struct{})}

	go func() {
		defer close(a.done)
		defer func() {
			if recover() != nil { // its value may hold a record
				_ = w.CloseWithError(errPanic)
			}
		}()

		_, err := io.CopyBuffer(w, struct{ io.Reader }{from}, make([]byte, chunk))
		_ = w.CloseWithError(err)
	}()

	return a
}

var errPanic = errors.New("panic")

// stop ends the reading ahead, even while it waits for the network.
func (s *streamed) stop(a *ahead) {
	_ = a.Close()
	s.resp.Body.Close()
	<-a.done
}

// head keeps the first limitHead bytes that are written to it.
type head struct{ bytes []byte }

func (h *head) Write(p []byte) (int, error) {
	if room := limitHead - len(h.bytes); room > 0 {
		h.bytes = append(h.bytes, p[:min(room, len(p))]...)
	}
	return len(p), nil
}
