// SPDX-License-Identifier: MPL-2.0

package contract

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// LimitBody is the size of the largest response body that is validated, in bytes. Of a
// larger response only status and headers are, since an export may have gigabytes.
const LimitBody = 1 << 20

// Validator compares requests and responses with the OpenAPI document. It is safe for
// concurrent use.
type Validator struct {
	router routers.Router
}

// New returns a Validator for the document in this package. The error is that of an
// option.
func New(options ...Option) (*Validator, error) {
	doc, err := load(options)
	if err != nil {
		return nil, err
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
// report is called with one sentence for each violation: operation, method, path
// template, place and rule, never a value, an identity or a secret. Each request calls
// it from its own goroutine. A violation of a response may be reported after the client
// has the response, so a test must close the server before it counts violations.
//
// Not validated are the response of a handler that panics (as with
// http.ErrAbortHandler) or hijacks the connection, a response that the client did not
// wait for, the body of a response that is compressed or larger than LimitBody, and a
// request body that the client did not finish.
func (v *Validator) Wrap(next http.Handler, report func(violation string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, readErr := drain(r.Body)
		x := v.find(r, report)
		x.checkRequest(r, body, readErr == nil)

		rec := &recorder{ResponseWriter: w}
		next.ServeHTTP(rec, restored(r, body, readErr))
		x.checkResponse(r.Context(), rec)
	})
}

func drain(body io.Reader) ([]byte, error) {
	if body == nil || body == http.NoBody {
		return nil, nil
	}
	return io.ReadAll(body)
}

// restored returns the request for the handler. Its body has what the client sent,
// including the error at which the client stopped.
func restored(r *http.Request, body []byte, readErr error) *http.Request {
	if r.Body == nil || r.Body == http.NoBody {
		return r
	}

	var again io.Reader = bytes.NewReader(body)
	if readErr != nil {
		again = io.MultiReader(again, failing{readErr})
	}

	copied := r.WithContext(r.Context())
	copied.Body = struct {
		io.Reader
		io.Closer
	}{again, r.Body}

	return copied
}

// failing is a reader that returns an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// exchange is a request, its response and their operation.
type exchange struct {
	route  *routers.Route // nil if there is no such operation
	input  *openapi3filter.RequestValidationInput
	report func(string)
}

func (v *Validator) find(r *http.Request, report func(string)) *exchange {
	route, parameters, err := v.router.FindRoute(r)
	if err != nil {
		return &exchange{report: report}
	}

	return &exchange{
		route:  route,
		input:  &openapi3filter.RequestValidationInput{PathParams: parameters, Route: route},
		report: report,
	}
}

// violated reports text after operation, method and path template. Those of an unknown
// operation are left out, since a client may put anything there.
func (x *exchange) violated(text string) {
	if x.route == nil {
		x.report("no operation: " + text)
		return
	}
	x.report(x.route.Operation.OperationID + ": " + x.route.Method + " " + x.route.Path + ": " + text)
}

// describe returns a sentence for each objection of kin-openapi. Its own messages quote
// values and names of undeclared properties, which may be private; these sentences
// contain only text from the document.
func describe(err error) []string {
	switch e := err.(type) { //nolint:errorlint // the nesting is the information: errors.As would look through it
	case nil:
		return nil
	case openapi3.MultiError:
		return describeAll(e)
	case *openapi3filter.RequestError:
		return prefixed(requestPlace(e), e.Err)
	case *openapi3filter.ResponseError:
		return prefixed("response", e.Err)
	case *openapi3.SchemaError:
		return []string{describeSchema(e)}
	}

	if errors.Is(err, openapi3filter.ErrInvalidRequired) {
		return []string{"is required and missing"}
	}

	return []string{"does not match the OpenAPI document"}
}

func describeAll(errs openapi3.MultiError) []string {
	var texts []string
	for _, err := range errs {
		texts = append(texts, describe(err)...)
	}
	return texts
}

// requestPlace returns the part of a request that an error is about.
func requestPlace(e *openapi3filter.RequestError) string {
	if e.Parameter != nil {
		return e.Parameter.In + " parameter " + e.Parameter.Name
	}
	return "body"
}

// prefixed describes err, with its place before each sentence.
func prefixed(place string, err error) []string {
	if err == nil {
		return []string{place + ": does not match the OpenAPI document"}
	}

	texts := describe(err)
	for i, text := range texts {
		texts[i] = place + ": " + text
	}

	return texts
}

// describeSchema returns the path of the property and the keyword that it does not
// satisfy. The path has declared properties only, since others have no schema.
func describeSchema(e *openapi3.SchemaError) string {
	where := ""
	if path := e.JSONPointer(); len(path) > 0 {
		where = strings.Join(path, "/") + ": "
	}

	switch e.SchemaField {
	case "required":
		return where + "is required and missing"
	case "properties":
		return where + "has a name that the schema does not declare"
	default:
		return where + "does not satisfy the schema's " + e.SchemaField
	}
}
