// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"bufio"
	"bytes"
	"cmp"
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

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Limits on the size of an answer in memory, in bytes after decompression, and on what is shown
// of the service's own words, and of an answer that is not JSON, in characters. The interface
// names none (section 8).
const (
	LimitJSON    = 32 << 20
	LimitError   = 64 << 10
	limitMessage = 300
	limitExcerpt = 80
)

// Answer is an answer with a status of class 2xx: a value, whose facts the header says and whose
// content is JSON, or a stream.
type Answer struct {
	Exchange

	JSON jsontext.Value // empty where there was no body, and of a stream

	// Response has a body only of a stream, which the caller closes.
	Response *http.Response
}

// read reads the body of a response to its end, unless it streams, so that a cut shows where the
// request can be repeated. It is the response handler of go-retryablehttp. The status of a refusal
// says all, except that a gateway which fails may begin to say that what is read is not there.
func (c *call) read(resp *http.Response) error {
	isSuccess, limit := resp.StatusCode/100 == 2, LimitError
	if isSuccess && c.Op.Streams {
		return nil
	}
	if isSuccess {
		limit = LimitJSON + 1
	}
	defer resp.Body.Close()

	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(limit)))
	isOpen := isSuccess
	if resp.StatusCode/100 == 4 && !c.Op.Effect {
		isOpen = true
	}
	if err != nil && isOpen {
		return CauseError(c.exchange(), err)
	}

	c.body, resp.Body = body, http.NoBody
	if isSuccess {
		c.json, err = c.answer(resp).Parse(body)
		return err
	}

	return nil
}

// answer returns what the header of a response says.
func (c *call) answer(resp *http.Response) Answer {
	a := Answer{Exchange: c.known, Response: resp}
	a.isSent = c.sent.Load()
	a.Status = resp.StatusCode
	age := resp.Header.Get("Age")
	hasAge := age != "" && age != "0"
	a.Date, _ = http.ParseTime(resp.Header.Get("Date"))
	if a.Date.Year() == 9999 { // RFC 3339 cannot write what is computed from it, and state not hold that
		a.Date = time.Time{}
	}

	// An answer that was made before another one, which came before the request was sent, is a copy.
	// The clocks of the machines of one service are within seconds of each other.
	const tolerance = 2
	isOld := !a.Date.IsZero() && a.Date.Unix()+tolerance < c.newestBefore
	a.Cached = hasAge || isOld

	return a
}

// noteDate records when the service has made an answer, unless that is not known. It returns the latest of
// these times.
func (s *Sender) noteDate(date time.Time) (newest int64) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if !date.IsZero() {
		s.newest = max(s.newest, date.Unix())
	}

	return s.newest
}

// Incomplete returns the error of an answer whose status, of class 2xx, says that it is not the whole
// answer; nil where it is. An acknowledgement or a part must not pass for the data.
func (a Answer) Incomplete() error {
	switch {
	case a.Status == http.StatusOK, a.Status == http.StatusNoContent:
		return nil
	case a.Status == http.StatusCreated && a.Op.Method == http.MethodPost: // a token
		return nil
	case a.Status != http.StatusPartialContent && a.Op.Effect: // a part was not asked for
		return nil
	}

	return NewError(a.Exchange, ClassPayload, "an answer with the status "+strconv.Itoa(a.Status)+" is not a complete one")
}

// Parse returns the content of an answer that has this body: JSON, or of a write or a login nothing.
// Everything else is an *Error.
func (a Answer) Parse(body []byte) (jsontext.Value, error) {
	if err := a.Incomplete(); err != nil {
		return nil, err
	}
	if len(body) > LimitJSON {
		return nil, NewError(a.Exchange, ClassTooLarge, "the answer is larger than "+strconv.Itoa(LimitJSON>>20)+" MiB")
	}

	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\uFEFF")))
	mayBeEmpty := a.Op.Effect || a.Op.Anonymous
	if len(body) == 0 && mayBeEmpty {
		return nil, nil
	}
	if len(body) == 0 {
		return nil, NewError(a.Exchange, ClassEmpty, "the answer has no body")
	}

	v, err := jsonvalue.Parse(body)
	if err != nil {
		return nil, a.syntaxError(body, err)
	}

	return v, nil
}

// syntaxError returns the error of a body that is not JSON; nil for an acknowledgement in words, such as
// "Accepted", which say no more than the status does.
func (a Answer) syntaxError(body []byte, err error) error {
	isAcknowledged := a.Op.Effect && a.Status == http.StatusAccepted
	switch {
	case isAcknowledged && a.isWords(body) && a.MediaType() == "text/plain":
		return nil
	case body[0] == '<', a.isWords(body):
		return PageError(a, body)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return NewError(a.Exchange, ClassTruncated, "the JSON ends in the middle")
	}

	return NewError(a.Exchange, ClassPayload, jsonvalue.DescribeSyntax(err))
}

// isWords reports whether a body is text, and not JSON under another name, which is a record even if
// it is broken.
func (a Answer) isWords(body []byte) bool {
	return strings.HasPrefix(a.MediaType(), "text/") && !bytes.ContainsAny(body[:1], "{[<")
}

// MediaType returns the declared type of the body; empty if there is none. It is not safe to print.
func (a Answer) MediaType() string {
	t, _, _ := mime.ParseMediaType(a.Response.Header.Get("Content-Type"))
	return t
}

// ShownType returns the declared type of the body, safe to print.
func (a Answer) ShownType() string {
	return cmp.Or(a.Redact.Text(a.MediaType(), 60), "no content type")
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

// excerpt returns the first words of a page that was sent in place of JSON, by which the
// user recognises the portal or proxy that answered. body has at most LimitError bytes.
func (r *Redactor) excerpt(body []byte) string {
	text := r.Clean(string(body))
	if len(body) == LimitError {
		text = text[:len(text)/2] // what was cut off may end in the middle of a secret
	}

	// Redacted twice, since removing markup may remove a part of a secret.
	words := strings.Fields(markup.ReplaceAllString(text, " "))

	return r.Text(strings.Join(words, " "), limitExcerpt)
}

// NetworkError returns the error with which the network ended a stream; nil if it did not.
func (a Answer) NetworkError() error {
	body, _ := a.Response.Body.(*attemptBody)
	return body.failure
}

// IsDelimited reports whether the transport shows that a stream is complete.
func (a Answer) IsDelimited() bool {
	return a.Response.ProtoMajor >= 2 || a.Response.ContentLength >= 0 || slices.Contains(a.Response.TransferEncoding, "chunked")
}

// Why an answer cannot be unpacked.
var (
	ErrCoding  = errors.New("the answer is compressed in a way that was not asked for, or in another way than it declares")
	ErrNothing = errors.New("the answer declares a compression but has no content; compressed data is never empty, even without records")
)

// Unpacked returns the body of a stream without its compression. A compressed stream may consist of
// several, one after the other, and never of none.
func (a Answer) Unpacked() (io.ReadCloser, error) {
	coding := strings.ToLower(strings.TrimSpace(a.Response.Header.Get("Content-Encoding")))
	if coding == "" || coding == "identity" {
		return io.NopCloser(a.Response.Body), nil
	}

	packed := bufio.NewReader(a.Response.Body)
	if _, err := packed.Peek(1); errors.Is(err, io.EOF) && a.IsDelimited() {
		return nil, ErrNothing
	} else if errors.Is(err, io.EOF) { // the connection may have broken
		return nil, io.ErrUnexpectedEOF
	} else if err != nil {
		return nil, err
	}

	switch coding {
	case "gzip", "x-gzip":
		return gzip.NewReader(packed)
	case "zstd":
		const window = 8 << 20 // what RFC 8878 asks every decoder of HTTP to accept, and not more
		d, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(window))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}

	return nil, ErrCoding
}
