// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Limits on the size of an answer in memory, in bytes after decompression, and on what is shown of the
// service's words and of an answer that is not JSON, in characters. The interface names none (section 8).
const (
	LimitJSON    = 32 << 20
	LimitError   = 64 << 10
	limitMessage = 300
	limitExcerpt = 80
)

// Answer is the answer that was asked for: what its header says, and its content, JSON or a stream.
type Answer struct {
	Exchange

	Header    http.Header
	MediaType string         // as declared, and not safe to print; empty if it is not
	JSON      jsontext.Value // empty where there was no body, and of a stream
	Body      *Body          // of a stream, which the caller closes; nil otherwise
}

// complete are the statuses of an answer that is the whole one, for each kind of operation. An
// acknowledgement or a part must not pass for the data.
var complete = map[int][kinds]bool{
	http.StatusOK:        {Reads: true, Writes: true, Queues: true, Exports: true, LogsIn: true},
	http.StatusCreated:   {Writes: true, Queues: true, LogsIn: true},
	http.StatusAccepted:  {Writes: true, Queues: true},
	http.StatusNoContent: {Reads: true, Writes: true, Queues: true, Exports: true, LogsIn: true},
}

// read reads a response, and its body to the end unless it streams: as the answer of the call if it is what was asked
// for, and otherwise as its refusal. The error is that of a body that is cut or cannot be read.
func (c *call) read(resp *http.Response, b *Body) (err error) {
	a := Answer{Exchange: c.known, Header: resp.Header}
	a.Status = resp.StatusCode
	a.MediaType, _, _ = mime.ParseMediaType(resp.Header.Get("Content-Type"))
	a.Date, _ = http.ParseTime(resp.Header.Get("Date"))
	if a.Date.Year() == 9999 { // RFC 3339 cannot write what is computed from it, so that state would lose a request
		a.Date = time.Time{}
	}

	// An answer is a copy if an earlier answer, received before the request was sent, is of a later date. The clocks of
	// the machines of one service are within seconds of each other.
	const tolerance = 2
	isOld := !a.Date.IsZero() && a.Date.Unix()+tolerance < c.newestBefore
	isKept := strings.Trim(resp.Header.Get("Age"), "0") != ""
	a.Cached = isKept || isOld

	b.response = resp
	if !complete[a.Status][c.Op.Kind] {
		refuse := c.refuse
		if slices.Contains([]int{http.StatusNotFound, http.StatusGone}, a.Status) {
			refuse = c.missing
		}
		c.refusal, err = refuse(a, resp.Body)
		return err
	}
	if c.Op.Streams {
		a.Body = b
		b.IsDelimited = resp.ProtoMajor >= 2 || resp.ContentLength >= 0 || slices.Contains(resp.TransferEncoding, "chunked")
	} else {
		a.JSON, err = a.Parse(resp.Body)
	}
	if err != nil {
		return err
	}

	// What is not a success may come from a gateway with another clock.
	c.answer = a
	c.sender.mu.Lock()
	defer c.sender.mu.Unlock()
	c.sender.newest.Store(max(c.sender.newest.Load(), a.Date.Unix()))

	return nil
}

// Parse returns the content of an answer that has this body: JSON, or of a write or a login nothing.
// Everything else is an *Error, or an error of the body as it is.
func (a Answer) Parse(r io.Reader) (jsontext.Value, error) {
	body, err := io.ReadAll(io.LimitReader(r, LimitJSON+1))
	if err != nil {
		return nil, err
	}

	if len(body) > LimitJSON {
		return nil, NewError(a.Exchange, ClassTooLarge, "the answer is larger than "+strconv.Itoa(LimitJSON>>20)+" MiB")
	}
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\uFEFF")))

	v, err := jsonvalue.Parse(body)
	isAcknowledged := a.Status == http.StatusAccepted && a.MediaType == "text/plain" // in words that say no more
	switch {
	case err == nil:
		return v, nil
	case len(body) == 0 && a.Op.Kind != Reads, isAcknowledged && a.isWords(body):
		return nil, nil
	}

	return nil, a.syntaxError(body, err)
}

// isWords reports whether a body is text, and not a record, even a broken one.
func (a Answer) isWords(body []byte) bool {
	return strings.HasPrefix(a.MediaType, "text/") && bytes.IndexAny(body, "{[<") != 0
}

// syntaxError returns the error of an answer whose body is not JSON. err says why.
func (a Answer) syntaxError(body []byte, err error) *Error {
	switch {
	case len(body) == 0:
		e := NewError(a.Exchange, ClassEmpty, "the answer has no body")
		_ = a.isAbsence(e, map[int]string{http.StatusOK: AbsentEmpty, http.StatusNoContent: Absent204}[a.Status])
		return e
	case errors.Is(err, io.ErrUnexpectedEOF):
		return NewError(a.Exchange, ClassTruncated, "the JSON ends in the middle")
	case a.isWords(body), body[0] == '<':
		return PageError(a, body)
	}

	return NewError(a.Exchange, ClassPayload, jsonvalue.DescribeSyntax(err))
}

// ShownType returns the declared type of the body, safe to print.
func (a Answer) ShownType() string {
	return cmp.Or(a.Redact.Text(a.MediaType, limitExcerpt), "no content type")
}

// PageError returns the error of an answer that is a page for people. begin is its beginning, at least.
func PageError(a Answer, begin []byte) *Error {
	e := NewError(a.Exchange, ClassNotJSON, "the answer is a page that begins with "+strconv.Quote(a.Redact.excerpt(begin)))
	e.Code = a.ShownType()
	return e
}

// markup is what a page has besides its words. A script without an end reaches to that of
// the page.
var markup = regexp.MustCompile(`(?is)<(?:script|style)\b.*?(?:</(?:script|style)>|$)|<[^>]*>`)

// excerpt returns the first words of a page that came in place of JSON. The user recognises a portal or a proxy
// by them.
func (r *Redactor) excerpt(body []byte) string {
	text := r.Clean(string(body[:min(len(body), LimitError)]))
	if len(body) >= LimitError {
		text = text[:len(text)/2] // what was cut off may end in the middle of a secret
	}

	// Redacted twice, since removing markup may remove a part of a secret.
	words := strings.Fields(markup.ReplaceAllString(text, " "))

	return r.Text(strings.Join(words, " "), limitExcerpt)
}

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

// EndError returns the error of a stream that was read to its end and has an unknown trailer field, which may report
// a failure after the answer had begun. ignored has the fields that say nothing, as wire.ignored.
func (a Answer) EndError(ignored map[jsontext.Pointer]string) error {
	for name, values := range a.Body.response.Trailer {
		isEmpty, isIgnored := strings.Join(values, "") == "", ignored[jsontext.Pointer("/"+name)] == decode.AnyValue
		if !isEmpty && !isIgnored && !slices.Contains(harmlessTrailers, name) {
			return NewError(a.Exchange, ClassPayload, "the answer ends with the trailer field "+name+", which may say that it failed; if it says nothing, "+
				`wire.ignored = { "/`+name+`" = "*" } leaves it out`)
		}
	}
	return nil
}
