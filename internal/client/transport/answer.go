// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"bufio"
	"bytes"
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
	"github.com/hashicorp/terraform-plugin-log/tflog"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Limits on the size of an answer in memory, in bytes after decompression. The interface
// names none (section 8).
const (
	LimitJSON  = 32 << 20
	LimitError = 64 << 10
)

// limitMessage bounds what is shown of the service's own words, in characters; limitExcerpt
// what is shown of an answer that is not JSON.
const (
	limitMessage = 300
	limitExcerpt = 80
)

// Answer is an answer with a status of class 2xx.
type Answer struct {
	Call   *Call
	Status int
	JSON   jsontext.Value // empty where there was no body
	// Continued reports whether the answer links to a further page.
	Continued bool
	// Cached reports whether a cache has kept the answer for some time, and Date is when the
	// service made it; zero if it does not say so.
	Cached bool
	Date   time.Time
}

// WantBody returns an error for an answer without a body.
func (a Answer) WantBody() error {
	if len(a.JSON) == 0 {
		return a.Call.Fail(ClassEmpty, a.Status, "the answer has no body")
	}
	return nil
}

// Refusal returns the error of an answer that says no although its status is one of success.
func (a Answer) Refusal() error {
	e := a.Call.Fail(ClassRejected, a.Status, "the answer has a status of success, but it holds an error, or a member such as success that is false")
	e.Ambiguous = false
	a.Call.quote(e, a.JSON)

	return e
}

// readAnswer returns the answer that a response holds: JSON or nothing under a status
// of success. Everything else is an *Error. It reads the body to its end, so that a cut
// shows here, inside the retries.
func (k *Call) readAnswer(ctx context.Context, resp *http.Response) (Answer, error) {
	defer resp.Body.Close()

	if resp.StatusCode/100 != 2 {
		// An error is the same error where its body breaks off.
		body, _ := io.ReadAll(io.LimitReader(resp.Body, LimitError))
		return Answer{}, k.statusError(resp, body)
	}
	if detail := k.Op.Incomplete(resp.StatusCode); detail != "" {
		return Answer{}, k.Fail(ClassPayload, resp.StatusCode, detail)
	}

	body, err := io.ReadAll(io.LimitReader(resp.Body, LimitJSON+1))
	if err != nil {
		return Answer{}, k.TransportError(err)
	}
	if len(body) > LimitJSON {
		return Answer{}, k.Fail(ClassTooLarge, resp.StatusCode, "the answer is larger than "+strconv.Itoa(LimitJSON>>20)+" MiB")
	}

	return k.SuccessAnswer(ctx, resp, body)
}

// Incomplete says why an answer with this status, of class 2xx, is not the whole answer;
// empty where it is. An acknowledgement or a part must not pass for the data.
func (op Operation) Incomplete(status int) string {
	isPart := status == http.StatusPartialContent // which was not asked for
	isToken := op.Method == http.MethodPost && status == http.StatusCreated
	if status == http.StatusOK || status == http.StatusNoContent || isToken || op.Effect && !isPart {
		return ""
	}
	return "an answer with the status " + strconv.Itoa(status) + " is not a complete one"
}

// SuccessAnswer returns the answer with this body, which is JSON or empty.
func (k *Call) SuccessAnswer(ctx context.Context, resp *http.Response, body []byte) (Answer, error) {
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	if len(bytes.TrimSpace(body)) == 0 {
		return Answer{Call: k, Status: resp.StatusCode}, nil
	}

	v, err := jsonvalue.Parse(body)
	if err == nil {
		if declared := MediaType(resp); declared != noMediaType && !strings.HasSuffix(declared, "json") {
			tflog.Info(ctx, "The analytics service declared JSON to be of another type; it was read as JSON", map[string]any{
				"operation": k.Op.Name, "path": k.To.template, "content_type": k.MediaType(resp),
			})
		}
		a := Answer{Call: k, Status: resp.StatusCode, JSON: v, Continued: HasNextLink(resp.Header)}
		a.Cached, a.Date = freshness(resp)

		return a, nil
	}

	if isPage(resp, body) {
		return Answer{}, k.PageError(resp, body)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return Answer{}, k.Fail(ClassTruncated, resp.StatusCode, "the JSON ends in the middle")
	}

	return Answer{}, k.Fail(ClassPayload, resp.StatusCode, jsonvalue.DescribeSyntax(err))
}

// freshness returns whether a cache has kept an answer for some time, and when the service
// made it; zero if it does not say so.
func freshness(resp *http.Response) (cached bool, date time.Time) {
	age := resp.Header.Get("Age")
	date, _ = http.ParseTime(resp.Header.Get("Date"))

	return age != "" && age != "0", date
}

// PageError returns the error of a page for people. begin is its beginning, at least.
func (k *Call) PageError(resp *http.Response, begin []byte) *Error {
	e := k.Fail(ClassNotJSON, resp.StatusCode, "the answer is a page that begins with "+strconv.Quote(k.Redact.excerpt(begin)))
	e.Code = k.MediaType(resp)
	return e
}

// isPage reports whether the body is meant for people: by its declared type, or
// because it begins like markup.
func isPage(resp *http.Response, body []byte) bool {
	text := bytes.TrimSpace(body)
	switch MediaType(resp) {
	case "text/html", "application/xhtml+xml":
		return true
	case "text/plain", "text/xml", "application/xml":
		// JSON under another name is a record, even if it is broken.
		return !bytes.HasPrefix(text, []byte("{")) && !bytes.HasPrefix(text, []byte("["))
	}

	return bytes.HasPrefix(text, []byte("<"))
}

// noMediaType stands for an answer that declares no type.
const noMediaType = "no content type"

// MediaType returns the declared type of a body. It is not safe to print.
func MediaType(resp *http.Response) string {
	t, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil || t == "" {
		return noMediaType
	}
	return t
}

// MediaType returns the declared type of a body, safe to print.
func (k *Call) MediaType(resp *http.Response) string { return k.Redact.Text(MediaType(resp), 60) }

// HasNextLink reports whether a Link header (RFC 8288) names a next page, as in
// `</2>; rel="prev next"`.
func HasNextLink(h http.Header) bool {
	for link := range strings.SplitSeq(strings.Join(h.Values("Link"), ","), ",") {
		_, parameters, _ := strings.Cut(link, ">")
		for parameter := range strings.SplitSeq(parameters, ";") {
			name, relations, _ := strings.Cut(parameter, "=")
			named := strings.Fields(strings.Trim(strings.TrimSpace(strings.ToLower(relations)), `"`))
			if strings.EqualFold(strings.TrimSpace(name), "rel") && slices.Contains(named, "next") {
				return true
			}
		}
	}

	return false
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
	ErrCoding  = errors.New("the answer is compressed in a way that was not asked for, or in another way than it declares")
	ErrNothing = errors.New("the answer declares a compression but has no content; compressed data is never empty, even without records")
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
