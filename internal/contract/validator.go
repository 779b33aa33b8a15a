package contract

import (
	"bytes"
	"io"
	"net/http"

	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// LimitBody is how much of a response is kept for validation, in bytes. Of a
// larger one only status and headers are validated: an export may be gigabytes.
const LimitBody = 1 << 20

// Validator compares requests and responses with the OpenAPI document. It may be
// used by several goroutines at once.
type Validator struct {
	router routers.Router
}

// New returns a Validator for the document in this package.
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

// Wrap returns next with a look at every request before it and at every response
// after it. What the client sees does not change: next is called whatever the
// request looks like, and its response goes out as it is written.
//
// report gets one sentence for each violation: operation, method, path template,
// place and rule; never a value, an identity or a secret. It is called by the
// goroutine that serves the request, and so by several at once. What it gets about
// a response may come after the client has the response: close the server before
// counting.
//
// Nothing is said about the response of a handler that panics (as with
// http.ErrAbortHandler) or takes over the connection, nor about one that the client
// did not wait for; about the body of a response that is compressed or larger than
// LimitBody; and about a request body that the client did not finish.
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

// restored is the request for the handler: it reads from its body what the client
// sent, including the error at which the client stopped.
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

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// exchange is a request and its response under the operation that they belong to.
type exchange struct {
	route  *routers.Route // nil where the request is for no operation
	input  *openapi3filter.RequestValidationInput
	report func(string)
}

func (v *Validator) find(r *http.Request, report func(string)) *exchange {
	x := &exchange{report: report}
	route, parameters, err := v.router.FindRoute(r)
	if err != nil {
		return x
	}
	x.route = route
	x.input = &openapi3filter.RequestValidationInput{PathParams: parameters, Route: route}
	return x
}

// violated reports text after the operation, method and path template. The method
// of a request that is for no operation is text that anybody could have chosen.
func (x *exchange) violated(text string) {
	if x.route == nil {
		x.report("no operation: " + text)
		return
	}
	x.report(x.route.Operation.OperationID + ": " + x.route.Method + " " + x.route.Path + ": " + text)
}
