package contract

import (
	"bytes"
	"context"
	"io"
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
