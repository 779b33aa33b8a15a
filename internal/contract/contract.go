// SPDX-License-Identifier: MPL-2.0

// Package contract holds the interface of the service as an OpenAPI document, and a
// validator that tests wrap around the mock server. It compares the requests of the
// provider and the answers of the mock server with that document, so that an error in
// one is not hidden by leniency in the other.
//
// The document is written from the description of the interface alone; "section" in
// the comments is a section of that description. The document leaves open what the
// description does not show. kin-openapi compares; what OpenAPI cannot express is checked
// here: parameters in a body or in the query, none that is undeclared, and empty answers.
// The mock server itself checks credentials and the encoding of paths, and refuses
// parameters that are in two places or repeated.
package contract

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

//go:embed openapi.yaml
var document []byte

const (
	// secretParameter is the query parameter of the secret key (section 5).
	secretParameter = "apiSecretToken"
	mediaForm       = "application/x-www-form-urlencoded"
)

// LimitBody is the size of the largest response body that is validated, in bytes, since an
// export may have gigabytes.
const LimitBody = 1 << 20

// Validator compares requests and responses with the OpenAPI document. It is safe for
// concurrent use.
type Validator struct {
	router routers.Router
}

// New returns a Validator for the document in this package.
func New() (*Validator, error) {
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(document)
	if err != nil {
		return nil, fmt.Errorf("the OpenAPI document cannot be read: %w", err)
	}
	if err := doc.Validate(loader.Context); err != nil {
		return nil, fmt.Errorf("the OpenAPI document is not valid: %w", err)
	}

	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, err
	}

	return &Validator{router: router}, nil
}

// Wrap returns a handler that validates every request before next and every response
// after it. The client sees no difference: next is called even if the request is a
// violation, and its response is sent as it is written.
//
// With a kindParameter, requests may have a query parameter of this name: section 4 does
// not show how an export chooses between the kinds of records, so the provider lets its user
// name one.
//
// report is called with one text for each violation, which may quote what was sent. Each
// request calls it from its own goroutine. A violation of a response may be reported after
// the client has the response, so a test must close the server before it counts violations.
//
// Not validated are the response of a handler that panics (as with
// http.ErrAbortHandler), a response that the client did not wait for, and one that is
// compressed or larger than LimitBody.
func (v *Validator) Wrap(next http.Handler, kindParameter string, report func(violation string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		route, vars, err := v.router.FindRoute(r)
		if err != nil {
			report("no operation: section 4 has no operation with this path and method")
			next.ServeHTTP(w, r)
			return
		}

		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler) // the client has gone
		}
		r.Body = io.NopCloser(bytes.NewReader(body))

		x := exchange{
			input: &openapi3filter.RequestValidationInput{PathParams: vars, Route: route, Options: options},
			violated: func(text string) {
				report(route.Operation.OperationID + ": " + route.Method + " " + route.Path + ": " + text)
			},
		}
		x.checkRequest(r, body, kindParameter)

		rec := &recorder{ResponseWriter: w}
		next.ServeHTTP(rec, r)
		if r.Context().Err() == nil && !rec.partial && rec.Header().Get("Content-Encoding") == "" {
			x.checkResponse(r.Context(), rec)
		}
	})
}

// options leave credentials, and what is in a date or an address, to the mock server.
var options = &openapi3filter.Options{
	MultiError: true, IncludeResponseStatus: true, RejectWhenRequestBodyNotSpecified: true, SkipSettingDefaults: true,
	AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
}

// exchange is a request and its response.
type exchange struct {
	input    *openapi3filter.RequestValidationInput
	violated func(text string)
}

// checkRequest compares a request with its operation. Section 4 (gaps) leaves the place of
// the consent parameters open, section 5 (rule 4) that of the login parameters: without a
// body they are in the query, where they are compared as a form would be. In the document,
// these are the operations that declare a form, and all of its fields as parameters of the
// query too.
func (x *exchange) checkRequest(r *http.Request, body []byte, kindParameter string) {
	operation := x.input.Route.Operation
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		x.violated("the query is not well-formed (section 4)")
	}

	delete(query, secretParameter) // a credential
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if name != kindParameter && operation.Parameters.GetByInAndName(openapi3.ParameterInQuery, name) == nil {
			x.violated("the operation does not declare the parameter " + name + " (section 4)")
			delete(query, name)
		}
	}

	checked := r.Clone(r.Context())
	if len(body) == 0 && operation.RequestBody != nil && operation.RequestBody.Value.Content[mediaForm] != nil {
		body, query = []byte(query.Encode()), nil
		checked.Header.Set("Content-Type", mediaForm)
	}

	checked.URL.RawQuery = query.Encode()
	checked.Body, checked.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	x.input.Request = checked
	x.addViolations(openapi3filter.ValidateRequest(r.Context(), x.input))
}

// checkResponse compares what the handler has written with the operation. In the document,
// x-empty-allowed marks a response that may have no body.
func (x *exchange) checkResponse(ctx context.Context, rec *recorder) {
	status := cmp.Or(rec.status, http.StatusOK) // net/http sends it for a handler that sets none
	responses := x.input.Route.Operation.Responses
	shown := cmp.Or(responses.Status(status), responses.Default())
	if isEmpty, _ := shown.Value.Extensions["x-empty-allowed"].(bool); isEmpty && rec.body.Len() == 0 {
		return
	}

	x.addViolations(openapi3filter.ValidateResponse(ctx, &openapi3filter.ResponseValidationInput{
		RequestValidationInput: x.input, Status: status, Header: rec.Header(), Body: io.NopCloser(&rec.body), Options: options,
	}))
}

// addViolations reports each of the errors of kin-openapi, without the schema and the value that
// follow the first line.
func (x *exchange) addViolations(err error) {
	several, ok := err.(openapi3.MultiError) //nolint:errorlint // kin-openapi returns it as it is
	if err != nil && !ok {
		several = openapi3.MultiError{err}
	}
	for _, each := range several {
		text, _, _ := strings.Cut(each.Error(), "\n")
		x.violated(text)
	}
}

// recorder passes a response on and keeps what is needed to validate it: the status and
// up to LimitBody bytes of the body.
type recorder struct {
	http.ResponseWriter

	status  int // 0 until the headers are sent
	body    bytes.Buffer
	partial bool // body is incomplete
}

// Unwrap returns the wrapped writer for http.ResponseController.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

func (rec *recorder) WriteHeader(status int) {
	rec.status = status
	rec.ResponseWriter.WriteHeader(status)
}

func (rec *recorder) Write(p []byte) (int, error) {
	n, err := rec.ResponseWriter.Write(p)
	rec.partial = rec.partial || err != nil || rec.body.Len()+n > LimitBody
	if !rec.partial {
		rec.body.Write(p[:n])
	}
	return n, err
}
