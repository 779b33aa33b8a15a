// SPDX-License-Identifier: MPL-2.0

package contract

import (
	"bytes"
	"io"
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
)

// LimitBody is the size of the largest response body that is validated, in bytes. Of a
// larger response only the Content-Type is, since an export may have gigabytes.
const LimitBody = 1 << 20

// Validator compares requests and responses with the OpenAPI document. It is safe for
// concurrent use.
type Validator struct {
	router routers.Router
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
// http.ErrAbortHandler), a response that the client did not wait for, and the body of a
// response that is compressed or larger than LimitBody.
func (v *Validator) Wrap(next http.Handler, report func(violation string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		route, _, err := v.router.FindRoute(r)
		if err != nil {
			report("no operation: section 4 has no operation with this path and method")
			next.ServeHTTP(w, r)
			return
		}

		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler) // the client has gone
		}
		r = r.WithContext(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))

		x := exchange{operation: route.Operation, violated: func(text string) {
			report(route.Operation.OperationID + ": " + route.Method + " " + route.Path + ": " + text)
		}}
		x.checkRequest(r, body)

		rec := &recorder{ResponseWriter: w}
		next.ServeHTTP(rec, r)
		if r.Context().Err() == nil {
			x.checkResponse(rec)
		}
	})
}

// exchange is a request, its response and their operation.
type exchange struct {
	operation *openapi3.Operation
	violated  func(text string)
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
	if rec.partial {
		rec.body = bytes.Buffer{}
	} else {
		rec.body.Write(p[:n])
	}

	return n, err
}
