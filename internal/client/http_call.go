package client

import (
	"context"
	"sync/atomic"
	"time"
)

// call is one use of an operation. It travels in the context of its request, so that
// each layer knows what it is sending.
type call struct {
	op       operation
	endpoint endpoint
	host     string
	scheme   string
	redact   *redactor

	// attribute names the attribute whose value the body holds; empty where the body is
	// small.
	attribute string
	// size is the length of the body, in bytes.
	size int
	// beforeRetry is called before the request is sent again, which its error prevents.
	beforeRetry func() error

	attempts   int
	truncated  int           // answers that ended in the middle of the JSON
	retryAfter time.Duration // what the service last asked to wait
	location   string        // where the service wanted to send the request
	remark     string        // what the layers below know about a 401
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
	return &call{
		op:          r.op,
		endpoint:    r.to,
		host:        hostOf(t.base),
		scheme:      t.base.Scheme,
		redact:      newRedactor(t.secretsAnd(r.private)...),
		attribute:   r.attribute,
		size:        len(r.body),
		beforeRetry: r.beforeRetry,
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
