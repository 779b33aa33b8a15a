package client

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	answers "github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Limits on the size of an answer in memory, in bytes after decompression. The interface
// names none (section 8).
const (
	LimitJSON  = 32 << 20
	LimitError = 64 << 10
)

// answer is an answer with a status of class 2xx.
type answer struct {
	call   *call
	status int
	json   jsontext.Value // empty where there was no body
	// continued reports whether the answer links to a further page.
	continued bool
	// cached reports whether a cache has kept the answer for some time, and date is when the
	// service made it; zero if it does not say so.
	cached bool
	date   time.Time
}

// wantBody returns an error for an answer without a body.
func (a answer) wantBody() error {
	if len(a.json) == 0 {
		return a.call.fail(ClassEmpty, a.status, "the answer has no body")
	}
	return nil
}

// complaint returns the error that the body reports although the status is one of success;
// nil where it reports none.
func (a answer) complaint() error {
	if !answers.SaysNo(a.json) {
		return nil
	}
	return a.refusal()
}

// refusal returns the error of an answer that says no although its status is one of success.
func (a answer) refusal() error {
	e := a.call.fail(ClassRejected, a.status, "the answer has a status of success and an error inside")
	e.Ambiguous = false
	a.call.quote(e, readComplaint(a.json))

	return e
}

// readAnswer returns the answer that a response holds: JSON or nothing under a status
// of success. Everything else is an *Error. It reads the body to its end, so that a cut
// shows here, inside the retries.
func (k *call) readAnswer(ctx context.Context, resp *http.Response) (answer, error) {
	defer resp.Body.Close()

	if resp.StatusCode/100 != 2 {
		// An error is the same error where its body breaks off.
		body, _ := io.ReadAll(io.LimitReader(resp.Body, LimitError))
		return answer{}, k.statusError(resp, body)
	}
	if detail := k.op.incomplete(resp.StatusCode); detail != "" {
		return answer{}, k.fail(ClassPayload, resp.StatusCode, detail)
	}

	body, err := io.ReadAll(io.LimitReader(resp.Body, LimitJSON+1))
	if err != nil {
		return answer{}, k.transportError(err)
	}
	if len(body) > LimitJSON {
		return answer{}, k.fail(ClassTooLarge, resp.StatusCode, "the answer is larger than "+strconv.Itoa(LimitJSON>>20)+" MiB")
	}

	return k.successAnswer(ctx, resp, body)
}

// incomplete says why an answer with this status, of class 2xx, is not the whole answer;
// empty where it is. An acknowledgement or a part must not pass for the data.
func (op operation) incomplete(status int) string {
	if status == http.StatusPartialContent {
		return "the status 206 says that this is a part, which was not asked for, and so is no complete answer to a read or a change"
	}
	if op.method == http.MethodPost && status == http.StatusCreated {
		return "" // a login makes a token
	}
	if !op.effect && status != http.StatusOK && status != http.StatusNoContent {
		return "the status " + strconv.Itoa(status) + " is no complete answer to a read"
	}

	return ""
}

// successAnswer returns the answer with this body, which is JSON or empty.
func (k *call) successAnswer(ctx context.Context, resp *http.Response, body []byte) (answer, error) {
	body = bytes.TrimPrefix(body, []byte("\uFEFF"))
	if len(bytes.TrimSpace(body)) == 0 {
		return answer{call: k, status: resp.StatusCode}, nil
	}

	v, err := jsonvalue.Parse(body)
	if err == nil {
		k.noteMediaType(ctx, resp)
		k.observeBody(resp.StatusCode, v)
		a := answer{call: k, status: resp.StatusCode, json: v, continued: hasNextLink(resp.Header)}
		age := resp.Header.Get("Age")
		a.cached = age != "" && age != "0"
		a.date, _ = http.ParseTime(resp.Header.Get("Date"))

		return a, nil
	}

	if isPage(resp, body) {
		return answer{}, k.pageError(resp, body)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return answer{}, k.fail(ClassTruncated, resp.StatusCode, "the JSON ends in the middle")
	}

	return answer{}, k.fail(ClassPayload, resp.StatusCode, jsonvalue.DescribeSyntax(err))
}

// pageError returns the error of a page for people. begin is its beginning, at least.
func (k *call) pageError(resp *http.Response, begin []byte) *Error {
	e := k.fail(ClassNotJSON, resp.StatusCode, "the answer is a page that begins with "+strconv.Quote(k.redact.excerpt(begin)))
	e.Code = k.mediaType(resp)
	return e
}

// noteMediaType logs that an answer is JSON and is declared to be something else.
func (k *call) noteMediaType(ctx context.Context, resp *http.Response) {
	if declared := mediaType(resp); declared == noMediaType || strings.HasSuffix(declared, "json") {
		return
	}

	tflog.Info(ctx, "The analytics service declared JSON to be of another type; it was read as JSON", map[string]any{
		"operation": k.op.name, "path": k.endpoint.template, "content_type": k.mediaType(resp),
	})
}

// isPage reports whether the body is meant for people: by its declared type, or
// because it begins like markup.
func isPage(resp *http.Response, body []byte) bool {
	text := bytes.TrimSpace(body)
	switch mediaType(resp) {
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

// mediaType returns the declared type of a body. It is not safe to print.
func mediaType(resp *http.Response) string {
	t, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil || t == "" {
		return noMediaType
	}
	return t
}

// mediaType returns the declared type of a body, safe to print.
func (k *call) mediaType(resp *http.Response) string { return k.redact.text(mediaType(resp), 60) }

// hasNextLink reports whether a Link header (RFC 8288) names a next page.
func hasNextLink(h http.Header) bool {
	for _, value := range h.Values("Link") {
		for link := range strings.SplitSeq(value, ",") {
			if isNextLink(link) {
				return true
			}
		}
	}
	return false
}

// isNextLink reports whether a link such as `</2>; rel="next"` has the relation next.
func isNextLink(link string) bool {
	_, parameters, _ := strings.Cut(link, ">")
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, relations, _ := strings.Cut(parameter, "=")
		if strings.EqualFold(strings.TrimSpace(name), "rel") && namesNext(relations) {
			return true
		}
	}
	return false
}

// namesNext reports whether next is among the relations, which may be quoted.
func namesNext(relations string) bool {
	for relation := range strings.FieldsSeq(strings.Trim(strings.TrimSpace(relations), `"`)) {
		if strings.EqualFold(relation, "next") {
			return true
		}
	}
	return false
}
