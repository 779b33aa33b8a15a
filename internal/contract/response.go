// SPDX-License-Identifier: MPL-2.0

package contract

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/go-json-experiment/json/jsontext"
)

// checkResponse compares what the handler has written with the operation. A handler may
// give up once the client has gone, which ends ctx.
func (x *exchange) checkResponse(ctx context.Context, rec *recorder) {
	if x.route == nil || rec.hijacked || ctx.Err() != nil {
		return
	}
	rec.sent(http.StatusOK) // net/http sends it for a handler that writes nothing

	options := *x.input.Options
	options.IncludeResponseStatus = true
	options.ExcludeResponseBody = !x.checkResponseBody(rec)

	err := openapi3filter.ValidateResponse(ctx, &openapi3filter.ResponseValidationInput{
		RequestValidationInput: x.input,
		Status:                 rec.status,
		Header:                 rec.header,
		Body:                   io.NopCloser(bytes.NewReader(rec.body.Bytes())),
		Options:                &options,
	})
	for _, text := range describe(err) {
		x.violated(text + " (section 4)")
	}
}

// checkResponseBody checks what a schema cannot express, and reports whether the
// document's schema applies to the body.
func (x *exchange) checkResponseBody(rec *recorder) (validate bool) {
	declared := x.declared(rec.status)
	if declared == nil {
		return false
	}

	if rec.body.Len() == 0 && !rec.partial {
		if !mayBeEmpty(declared) {
			x.violated("response: has no body, and one is shown (sections 2 and 4)")
		}
		return false
	}

	media := mediaType(rec.header.Get("Content-Type"))
	if declared.Content.Get(media) == nil {
		x.violated("response: its Content-Type is missing or not one that the operation declares (section 4)")
		return false
	}

	return rec.readable() && x.checkResponseJSON(media, rec.body.Bytes())
}

// mayBeEmpty reports whether the document allows a response to have no body.
func mayBeEmpty(declared *openapi3.Response) bool {
	allowed, _ := declared.Extensions["x-empty-allowed"].(bool)
	return allowed
}

func (x *exchange) checkResponseJSON(media string, body []byte) (valid bool) {
	if media == mediaJSON && !jsontext.Value(body).IsValid() {
		x.violated("response: is not one valid JSON value without repeated names (section 4)")
		return false
	}
	return true
}

// declared returns the response that the document declares for a status, or nil.
func (x *exchange) declared(status int) *openapi3.Response {
	responses := x.route.Operation.Responses
	for _, ref := range []*openapi3.ResponseRef{responses.Status(status), responses.Default()} {
		if ref != nil {
			return ref.Value
		}
	}
	return nil
}

// recorder passes a response on and keeps what is needed to validate it: the status,
// the headers as they were sent, and up to LimitBody bytes of the body.
type recorder struct {
	http.ResponseWriter

	status   int // 0 until the headers are sent
	header   http.Header
	body     bytes.Buffer
	partial  bool // body is incomplete
	hijacked bool
}

// Unwrap returns the wrapped writer for http.ResponseController.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

// WriteHeader records the status unless the response is informational: the one to
// validate follows.
func (rec *recorder) WriteHeader(status int) {
	if rec.status == 0 && (status >= http.StatusOK || status == http.StatusSwitchingProtocols) {
		rec.sent(status)
	}
	rec.ResponseWriter.WriteHeader(status)
}

// sent records the headers as they are now, since later changes do not reach the
// client.
func (rec *recorder) sent(status int) {
	if rec.status == 0 {
		rec.status, rec.header = status, rec.Header().Clone()
	}
}

func (rec *recorder) Write(p []byte) (int, error) {
	rec.sent(http.StatusOK)

	n, err := rec.ResponseWriter.Write(p)
	rec.keep(p[:n])
	if err != nil && !errors.Is(err, http.ErrBodyNotAllowed) {
		rec.partial = true
	}
	return n, err
}

func (rec *recorder) keep(p []byte) {
	if rec.partial {
		return
	}

	if rec.body.Len()+len(p) > LimitBody {
		rec.partial = true
		rec.body = bytes.Buffer{}
		return
	}

	rec.body.Write(p)
}

// readable reports whether the body is complete and not compressed.
func (rec *recorder) readable() bool {
	return !rec.partial && rec.header.Get("Content-Encoding") == ""
}

// Flush implements http.Flusher, for handlers that do not use http.ResponseController.
func (rec *recorder) Flush() { _ = rec.FlushError() }

// FlushError sends the headers and what was written so far.
func (rec *recorder) FlushError() error {
	rec.sent(http.StatusOK)
	return http.NewResponseController(rec.ResponseWriter).Flush()
}

// Hijack hands the connection to the handler. The response is not validated then.
func (rec *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(rec.ResponseWriter).Hijack()
	rec.hijacked = rec.hijacked || err == nil

	return conn, buffered, err
}
