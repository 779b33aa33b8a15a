// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Body is the body of an answer that streams. Its attempt, with its turn, lasts until it is closed.
type Body struct {
	IsDelimited bool   // the transport shows that it is complete
	Failure     error  // with which the network ended it; nil if it did not
	Close       func() // ends the attempt

	response *http.Response
	ctx      context.Context //nolint:containedctx // of the attempt, which lasts as long as its answer
	timeout  time.Duration
	limit    *time.Timer // of the attempt, and then of each silence
}

// Read reads from the answer. Its error is why the attempt has ended, if it has.
func (b *Body) Read(p []byte) (int, error) {
	b.limit.Reset(b.timeout)
	n, err := b.response.Body.Read(p)
	b.limit.Stop()

	if err != nil && !errors.Is(err, io.EOF) {
		b.Failure = cmp.Or(context.Cause(b.ctx), err)
		return n, b.Failure
	}

	return n, err
}

// ErrCoding is why an answer cannot be unpacked.
var ErrCoding = errors.New("the answer is compressed in a way that was not asked for, or in another way than it declares")

// Unpack returns a body with this header without its compression. A compressed stream may consist of
// several, one after the other, and never of none: http.NoBody is beside the error of that one.
func Unpack(h http.Header, body io.Reader) (io.ReadCloser, error) {
	coding := strings.ToLower(strings.TrimSpace(h.Get("Content-Encoding")))
	switch coding {
	case "", "identity":
		return io.NopCloser(body), nil
	case "gzip", "zstd":
	default:
		return nil, ErrCoding
	}

	packed := bufio.NewReader(body)
	if _, err := packed.Peek(1); errors.Is(err, io.EOF) {
		return http.NoBody, io.ErrUnexpectedEOF
	}
	if coding == "gzip" {
		return gzip.NewReader(packed)
	}
	// The window is what RFC 8878 asks every decoder of HTTP to accept, and not larger.
	d, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(8<<20))

	return d.IOReadCloser(), err
}

// harmlessTrailers are trailer fields that say nothing about whether the answer is whole.
var harmlessTrailers = []string{"Digest", "Content-Digest", "Repr-Digest", "Content-Md5", "Etag", "Date", "Server-Timing"}

// EndError returns the error of a stream that was read to its end and is not the whole answer: it has an
// unknown trailer field, which may report a failure after the answer had begun. isIgnored reports the fields
// that say nothing.
func (a Answer) EndError(isIgnored func(field string) bool) error {
	for name, values := range a.Body.response.Trailer {
		isEmpty := strings.Join(values, "") == ""
		if !isEmpty && !slices.Contains(harmlessTrailers, name) && !isIgnored(name) {
			return NewError(a.Exchange, ClassPayload, "the answer ends with the trailer field "+name+", which may say that it failed; if it says nothing, "+
				`wire.ignored = { "/`+name+`" = "*" } leaves it out`)
		}
	}
	return nil
}
