// SPDX-License-Identifier: MPL-2.0

package transport

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

// limitWindow bounds the memory for a zstd stream, in bytes. It is what RFC 8878 asks
// every decoder of HTTP to accept, and not more.
const limitWindow = 8 << 20

// Stream is an answer that is read while it comes. Its status is of class 2xx.
type Stream struct {
	Call     *Call
	Response *http.Response
}

// Close ends the answer, whether or not it was read to its end.
func (s *Stream) Close() { s.Response.Body.Close() }

// NetworkError returns the error with which the network ended the answer; nil if it did not.
func (s *Stream) NetworkError() error { return s.Call.body.err }

// Delimited reports whether the transport shows that the answer is complete.
func (s *Stream) Delimited() bool {
	return s.Response.ProtoMajor >= 2 || s.Response.ContentLength >= 0 || slices.Contains(s.Response.TransferEncoding, "chunked")
}

// Why an answer cannot be unpacked.
var (
	ErrCoding  = errors.New("the answer is compressed in a way that was not asked for, or not as it says")
	ErrNothing = errors.New("the answer says that it is compressed and has no content; what is compressed is never empty, even without records")
)

// Unpacked returns the body without its compression. A compressed stream may consist of
// several, one after the other, and never of none.
func (s *Stream) Unpacked() (io.ReadCloser, error) {
	coding := strings.ToLower(strings.TrimSpace(s.Response.Header.Get("Content-Encoding")))
	if coding == "" || coding == "identity" {
		return io.NopCloser(s.Response.Body), nil
	}

	packed := bufio.NewReader(s.Response.Body)
	if _, err := packed.Peek(1); errors.Is(err, io.EOF) {
		return nil, ErrNothing
	} else if err != nil {
		return nil, err
	}

	switch coding {
	case "gzip", "x-gzip":
		return gzip.NewReader(packed)
	case "zstd":
		d, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(limitWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}

	return nil, ErrCoding
}

// chunk is how much is read ahead at a time, in bytes.
const chunk = 256 << 10

// ErrPanic is the error of a reader whose goroutine ended in a panic.
var ErrPanic = errors.New("panic")

// Ahead returns a reader that reads text, which is read from the answer, in a goroutine of
// its own, so that the network, the decompression and the parser do not wait for each other.
// stop ends it, even while it waits for the network, and closes the answer. It may
// be called twice.
func (s *Stream) Ahead(text io.Reader) (r io.Reader, stop func()) {
	read, write := io.Pipe()
	done := make(chan struct{})

	go func() {
		defer close(done)
		defer func() {
			if recover() != nil { // its value may hold a record
				_ = write.CloseWithError(ErrPanic)
			}
		}()

		_, err := io.CopyBuffer(write, struct{ io.Reader }{text}, make([]byte, chunk))
		_ = write.CloseWithError(err)
	}()

	return read, func() {
		_ = read.Close()
		s.Close()
		<-done
	}
}
