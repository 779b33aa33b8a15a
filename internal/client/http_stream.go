package client

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

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
	call  *call
	resp  *http.Response
	head  head  // of the answer without its compression
	floor int64 // of the rate, in bytes per second; 0 is none
}

func (s *streamed) close() { s.resp.Body.Close() }

// delimited reports whether the transport shows that the answer is complete.
func (s *streamed) delimited() bool {
	return s.resp.ProtoMajor >= 2 || s.resp.ContentLength >= 0 || slices.Contains(s.resp.TransferEncoding, "chunked")
}

var errCoding = errors.New("the answer is compressed in a way that was not asked for, or not as it says")

// unpacked returns the body without its compression.
func (s *streamed) unpacked(body io.Reader) (io.ReadCloser, error) {
	switch strings.ToLower(strings.TrimSpace(s.resp.Header.Get("Content-Encoding"))) {
	case "", "identity":
		return io.NopCloser(body), nil
	case "gzip", "x-gzip":
		return gzip.NewReader(body)
	case "zstd":
		return newZstdReader(body)
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

// rateWindow is how much time is spent waiting for an answer before its rate is judged.
// Time that its reader takes does not count, so that a slow disk is not the service's fault.
const rateWindow = time.Minute

var errTooSlow = errors.New("the answer is slower than the floor")

// rateFloor is a reader that fails with errTooSlow where less than floor bytes per second
// arrive during a rateWindow.
type rateFloor struct {
	io.Reader

	floor  int64 // bytes per second; 0 is none
	waited time.Duration
	read   int64
}

func (r *rateFloor) Read(p []byte) (int, error) {
	began := time.Now()
	n, err := r.Reader.Read(p)
	r.waited += time.Since(began)
	r.read += int64(n)

	if r.waited < rateWindow || err != nil {
		return n, err
	}
	if float64(r.read) < float64(r.floor)*r.waited.Seconds() {
		return n, errTooSlow
	}

	r.waited, r.read = 0, 0

	return n, nil
}
