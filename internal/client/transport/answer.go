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
	"github.com/hashicorp/terraform-plugin-log/tflog"
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

// Answer is an answer with a status of class 2xx.
type Answer struct {
	Call   *Call
	Status int
	JSON   jsontext.Value // empty where there was no body, and of a stream
	// Response has a body only of a stream, which the caller closes.
	Response *http.Response
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
// shows here, inside the retries. The context is that of the attempt.
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
		return Answer{}, k.TransportError(cmp.Or(context.Cause(ctx), err))
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

// SuccessAnswer returns the answer with this body, which is JSON, or of a write or a login empty.
func (k *Call) SuccessAnswer(ctx context.Context, resp *http.Response, body []byte) (Answer, error) {
	a := Answer{Call: k, Status: resp.StatusCode, Response: resp}
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\uFEFF")))
	if len(body) == 0 && (k.Op.Effect || k.Op.Anonymous) {
		return a, nil
	}
	if len(body) == 0 {
		return Answer{}, k.Fail(ClassEmpty, resp.StatusCode, "the answer has no body")
	}

	var err error
	declared := MediaType(resp)
	if a.JSON, err = jsonvalue.Parse(body); err == nil {
		if declared != "" && !strings.HasSuffix(declared, "json") {
			tflog.Info(ctx, "The analytics service declared JSON to be of another type; it was read as JSON", map[string]any{
				"operation": k.Op.Name, "path": k.To.template, "content_type": k.MediaType(resp),
			})
		}
		return a, nil
	}

	// JSON under another name is a record, even if it is broken.
	looksLikeJSON := body[0] == '{' || body[0] == '['
	if body[0] == '<' || strings.HasPrefix(declared, "text/") && !looksLikeJSON {
		return Answer{}, k.PageError(resp, body)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return Answer{}, k.Fail(ClassTruncated, resp.StatusCode, "the JSON ends in the middle")
	}

	return Answer{}, k.Fail(ClassPayload, resp.StatusCode, jsonvalue.DescribeSyntax(err))
}

// Freshness returns whether a cache has kept an answer for some time, and when the service
// made it; zero if it does not say so, or names the last year that RFC 3339 can write: state could
// not hold the times that are computed from that.
func Freshness(resp *http.Response) (cached bool, date time.Time) {
	age := resp.Header.Get("Age")
	date, _ = http.ParseTime(resp.Header.Get("Date"))
	if date.Year() == 9999 {
		date = time.Time{}
	}

	return age != "" && age != "0", date
}

// PageError returns the error of a page for people. begin is its beginning, at least.
func (k *Call) PageError(resp *http.Response, begin []byte) *Error {
	e := k.Fail(ClassNotJSON, resp.StatusCode, "the answer is a page that begins with "+strconv.Quote(k.Redact.excerpt(begin)))
	e.Code = k.MediaType(resp)
	return e
}

// MediaType returns the declared type of a body; empty if there is none. It is not safe to print.
func MediaType(resp *http.Response) string {
	t, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return t
}

// MediaType returns the declared type of a body, safe to print.
func (k *Call) MediaType(resp *http.Response) string {
	return cmp.Or(k.Redact.Text(MediaType(resp), 60), "no content type")
}

// linkText is text of a Link header (RFC 8288) in which targets and quotes end: what stands in them, such
// as a title, is no parameter.
const linkText = `(?:[^"<]|<[^>]*>|"(?:[^"\\]|\\.)*")*`

var (
	wholeLink = regexp.MustCompile(`^` + linkText + `$`)

	// nextLink is a link to a next page, as in `</2>; rel="prev next"`, also without the quotes.
	nextLink = regexp.MustCompile(`(?i)^` + linkText + `;\s*rel\s*=\s*` +
		`(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|(?:[^",;]*\s)?next(?:[\s,;]|$))`)
)

// HasNextLink reports whether a Link header names a next page, or may name one where a target or a
// quote of it does not end.
func HasNextLink(h http.Header) bool {
	return slices.ContainsFunc(h.Values("Link"), func(link string) bool {
		return nextLink.MatchString(link) || !wholeLink.MatchString(link) && strings.Contains(strings.ToLower(link), "next")
	})
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

// IsContinued reports whether a header says that an answer is a part, or that there is a next page.
func IsContinued(h http.Header) bool { return h.Get("Content-Range") != "" || HasNextLink(h) }

// NetworkError returns the error with which the network ended a stream; nil if it did not.
func (a Answer) NetworkError() error {
	body, _ := a.Response.Body.(*streamBody)
	return body.err
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
	if _, err := packed.Peek(1); errors.Is(err, io.EOF) {
		return nil, ErrNothing
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
