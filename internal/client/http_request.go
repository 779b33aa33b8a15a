package client

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

// request is what an endpoint asks the service for.
type request struct {
	op operation
	to endpoint
	payload

	// private are values that no message may show.
	private []string
	// compared is when the comparison was answered from which the request follows; zero
	// where it follows from none. It is not sent where it would have to wait.
	compared time.Time
}

// address sets the URL and the headers of an HTTP request.
func (r request) address(req *http.Request, base *url.URL) {
	req.URL = r.to.under(base)
	req.URL.RawQuery = r.query
	req.Host = req.URL.Host

	req.Header.Set("Accept", "application/json")
	if r.op.fresh {
		req.Header.Set("Cache-Control", "no-cache")
	}
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
}

// payload holds the parameters of a request as they are sent.
type payload struct {
	body        []byte
	contentType string
	query       string

	attribute string // see call
}

// place puts parameters, by name, into the body or the query, as one of Placements says.
func place(in string, parameters map[string]any) (payload, error) {
	if in == InJSON {
		body, err := json.Marshal(parameters, json.Deterministic(true))
		return payload{body: body, contentType: "application/json"}, err
	}

	values := url.Values{}
	for name, value := range parameters {
		values.Set(name, fmt.Sprint(value))
	}
	if in == InQuery {
		return payload{query: values.Encode()}, nil
	}

	return payload{body: []byte(values.Encode()), contentType: "application/x-www-form-urlencoded"}, nil
}

// call is one use of an operation. It travels in the context of its request, so that
// each layer knows what it is sending.
type call struct {
	op       operation
	endpoint endpoint
	host     string
	scheme   string
	redact   *redactor
	observer Observer

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
func callFrom(ctx context.Context) *call {
	k, _ := ctx.Value(callKey{}).(*call)
	return k
}

// newCall returns the call of a request to the origin of t. Its messages show nothing that
// is private in r, and no secret of t.
func (t *authTransport) newCall(r request) *call {
	redact := newRedactor(r.private...)
	redact.secrets = &t.secrets

	return &call{
		op:        r.op,
		endpoint:  r.to,
		host:      t.host,
		scheme:    t.base.Scheme,
		redact:    redact,
		observer:  t.observer,
		attribute: r.attribute,
		size:      len(r.body),
		compared:  r.compared,
	}
}

// fail returns an error of this call. status is 0 where there was no answer.
func (k *call) fail(class ErrorClass, status int, detail string) *Error {
	return &Error{
		Class:     class,
		Status:    status,
		Detail:    detail,
		Operation: k.op.name,
		Method:    k.op.method,
		Template:  k.endpoint.template,
		Attempts:  k.attempts,
		Queued:    k.op.queues,
		// An unreadable success is still a success: the change may be there.
		Ambiguous: k.op.effect && status/100 == 2,
	}
}

// errOutdated is the cause of the error of a write that was not sent, because it would have
// had to wait after its comparison.
var errOutdated = errors.New("the update had to wait each time after it was compared with what the service holds, so it was not sent")

// staleAfter is how long a comparison is valid. Its write follows without a wait, so that a
// longer time means that the machine stood still.
const staleAfter = time.Second

// follows reports whether the request follows from a comparison.
func (k *call) follows() bool { return !k.compared.IsZero() }

// outdated returns the error with the cause errOutdated. The write needs another comparison.
func (k *call) outdated() *Error {
	e := k.fail(ClassRateLimited, 0, errOutdated.Error())
	e.cause = errOutdated
	return e
}
