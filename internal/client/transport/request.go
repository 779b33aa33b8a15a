// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
)

// Request is what an endpoint asks the service for.
type Request struct {
	Op Operation
	To Endpoint
	Payload

	// Private are values that no message may show.
	Private []string
	// Compared is when the comparison was answered from which the request follows; zero
	// where it follows from none. It is not sent where it would have to wait.
	Compared time.Time
}

// address sets the URL and the headers of an HTTP request.
func (r Request) address(req *http.Request, base *url.URL) {
	req.URL = r.To.Under(base)
	req.URL.RawQuery = r.Query
	req.Host = req.URL.Host

	req.Header.Set("Accept", "application/json")
	if r.Op.Fresh {
		req.Header.Set("Cache-Control", "no-cache")
	}
	if r.ContentType != "" {
		req.Header.Set("Content-Type", r.ContentType)
	}
}

// Payload holds the parameters of a request as they are sent.
type Payload struct {
	Body        []byte
	ContentType string
	Query       string

	Attribute string // see Call
}

// Where the parameters of a request are.
const (
	InJSON  = "json"
	InForm  = "form"
	InQuery = "query"
)

// Place puts parameters, by name, into the body or the query, as one of these says.
func Place(in string, parameters map[string]any) (Payload, error) {
	if in == InJSON {
		body, err := json.Marshal(parameters, json.Deterministic(true))
		return Payload{Body: body, ContentType: "application/json"}, err
	}

	values := url.Values{}
	for name, value := range parameters {
		values.Set(name, fmt.Sprint(value))
	}
	if in == InQuery {
		return Payload{Query: values.Encode()}, nil
	}

	return Payload{Body: []byte(values.Encode()), ContentType: "application/x-www-form-urlencoded"}, nil
}

// Call is one use of an operation. It travels in the context of its request, so that
// each layer knows what it is sending.
type Call struct {
	Op       Operation
	endpoint Endpoint
	host     string
	scheme   string
	Redact   *Redactor

	// attribute names the attribute whose value the body holds; empty where the body is
	// small.
	attribute string
	// size is the length of the body, in bytes.
	size int
	// once: the caller decides whether the request is sent again, also after a 401.
	once bool
	// compared is that of the request.
	compared time.Time

	attempts   int
	truncated  int           // answers that ended in the middle of the JSON
	retryAfter time.Duration // what the service last asked to wait
	location   string        // where the service wanted to send the request
	remark     string        // what the layers below know about a 401
	renewed    bool          // the credential was renewed after a 401
	sent       atomic.Bool   // this attempt's request reached the connection
}

type callKey struct{}

// callFrom returns the call of a request's context; nil where it carries none.
func callFrom(ctx context.Context) *Call {
	k, _ := ctx.Value(callKey{}).(*Call)
	return k
}

// newCall returns the call of a request to the origin of t. Its messages show nothing that
// is private in r, and no secret of t.
func (t *authTransport) newCall(r Request) *Call {
	redact := NewRedactor(r.Private...)
	redact.secrets = &t.secrets

	return &Call{
		Op:        r.Op,
		endpoint:  r.To,
		host:      t.host,
		scheme:    t.base.Scheme,
		Redact:    redact,
		attribute: r.Attribute,
		size:      len(r.Body),
		compared:  r.Compared,
	}
}

// Fail returns an error of this call. status is 0 where there was no answer.
func (k *Call) Fail(class ErrorClass, status int, detail string) *Error {
	return &Error{
		Class:     class,
		Status:    status,
		Detail:    detail,
		Operation: k.Op.Name,
		Method:    k.Op.Method,
		Template:  k.endpoint.template,
		Attempts:  k.attempts,
		Queued:    k.Op.Queues,
		// An unreadable success is still a success: the change may be there.
		Ambiguous: k.Op.Effect && status/100 == 2,
	}
}

// ErrOutdated is the cause of the error of a write that was not sent, because it would have
// had to wait after its comparison.
var ErrOutdated = errors.New("the update had to wait each time after it was compared with what the service holds, so it was not sent")

// staleAfter is how long a comparison is valid. Its write follows without a wait, so that a
// longer time means that the machine stood still.
const staleAfter = time.Second

// Interrupted returns the error of an operation whose context ended before anything was sent.
func Interrupted(op Operation, to Endpoint, err error) *Error {
	return (&Call{Op: op, endpoint: to}).TransportError(err)
}

// Outdated returns the error of an operation that would have to wait after its comparison.
func Outdated(op Operation, to Endpoint) *Error {
	return (&Call{Op: op, endpoint: to}).outdated()
}

// follows reports whether the request follows from a comparison.
func (k *Call) follows() bool { return !k.compared.IsZero() }

// outdated returns the error with the cause ErrOutdated. The write needs another comparison.
func (k *Call) outdated() *Error {
	e := k.Fail(ClassRateLimited, 0, ErrOutdated.Error())
	e.Cause = ErrOutdated
	return e
}
