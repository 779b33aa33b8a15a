package client

import (
	"context"
	"slices"
	"sync/atomic"
	"time"
)

// call is one use of an operation. It travels in the request's context, so that
// every layer of the transport knows what it is carrying.
type call struct {
	op       operation
	endpoint endpoint
	host     string
	scheme   string
	redact   *redactor
	// attribute is whose value the body holds, where it can be large; size is that of
	// the body, in bytes.
	attribute string
	size      int
	// beforeRetry looks whether the request should still be sent again; nil: it should.
	beforeRetry func() error

	attempts   int
	truncated  int           // answers that ended in the middle of the JSON
	retryAfter time.Duration // what the service last asked to wait
	location   string        // where the service wanted to send the request
	remark     string        // what the layers below know about a 401
	sent       atomic.Bool   // this attempt's request reached the connection
}

type callKey struct{}

func callFrom(ctx context.Context) *call {
	k, _ := ctx.Value(callKey{}).(*call)
	return k
}

func (s *sender) newCall(r request) *call {
	return &call{
		op:          r.op,
		endpoint:    r.to,
		host:        hostOf(s.base),
		scheme:      s.base.Scheme,
		redact:      newRedactor(slices.Concat(r.private, s.auth.secrets)...),
		attribute:   r.attribute,
		size:        len(r.body),
		beforeRetry: r.beforeRetry,
	}
}

// fail makes an error of this call.
func (k *call) fail(kind ErrorClass, status int, detail string) *Error {
	return &Error{
		Class: kind, Status: status, Detail: detail,
		Operation: k.op.name, Method: k.op.method, Template: k.endpoint.template,
		Attempts: k.attempts,
		Queued:   k.op.queues,
		// An unreadable success is still a success: the change may be there.
		Ambiguous: k.op.effect && status/100 == 2,
	}
}
