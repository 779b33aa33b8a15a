// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Limits on the size of an answer in memory, in bytes after decompression. The interface
// names none (section 8).
const (
	LimitJSON  = 32 << 20
	LimitError = 64 << 10
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
	e := a.Call.Fail(ClassRejected, a.Status, "the answer has a status of success and an error inside, or a member such as success that is false")
	e.Ambiguous = false
	said, _ := readComplaint(a.JSON)
	a.Call.quote(e, said)

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
	if status == http.StatusPartialContent {
		return "the status 206 says that this is a part, which was not asked for, and so is no complete answer to a read or a change"
	}
	if op.Method == http.MethodPost && status == http.StatusCreated {
		return "" // a login makes a token
	}
	if !op.Effect && status != http.StatusOK && status != http.StatusNoContent {
		return "the status " + strconv.Itoa(status) + " is no complete answer to a read"
	}

	return ""
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
