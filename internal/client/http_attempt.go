package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// stallError is the error of an attempt that request_timeout has ended. Its text is safe
// to show.
type stallError struct {
	phase phase
	after time.Duration
}

// phase is how far an attempt has come.
type phase int32

const (
	phaseWaiting   phase = iota // nothing has arrived
	phaseReading                // the answer is read as a whole
	phaseStreaming              // the answer is read as a stream
)

func (e *stallError) Error() string {
	limit := e.after.String() + " (request_timeout)"
	switch e.phase {
	case phaseReading:
		return "the answer stalled: it began and was not complete after " + limit
	case phaseStreaming:
		return "the answer stalled: nothing more of it came for " + limit
	case phaseWaiting:
	}

	return "no answer within " + limit
}

// attemptTransport limits the time of one attempt, answer included, and logs its operation,
// path template, status and duration, and never what was sent or received. An answer that
// streams may take any time; the limit is for each of its silences.
type attemptTransport struct {
	next    http.RoundTripper
	timeout time.Duration
	silent  bool // attempts are not logged
}

// RoundTrip sends a request once.
func (t *attemptTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	k := callFrom(req.Context())
	k.attempts++
	k.sent.Store(false)

	ctx, cancel := k.attemptContext(req.Context())
	body := newBoundedBody(ctx, cancel, t.timeout)

	began := time.Now()
	resp, err := t.next.RoundTrip(req.WithContext(ctx))
	if !t.silent {
		k.logAttempt(req.Context(), resp, err, time.Since(began))
	}
	if err != nil {
		defer body.end()
		return nil, causeOf(ctx, err)
	}

	if resp.StatusCode/100 == 3 {
		// The HTTP client above would read it before it asks whether to follow.
		k.location = resp.Header.Get("Location")
		resp.Header.Del("Location")
	}

	body.ReadCloser = resp.Body
	body.phase.Store(int32(phaseReading))
	if k.op.streams {
		body.stream(t.timeout)
	}
	resp.Body = body

	return resp, nil
}

// InterruptGrace is how long an attempt of a deferred request that was sent goes on after
// an interrupt.
const InterruptGrace = 700 * time.Millisecond

// attemptContext returns the context of one attempt. It ends with the caller's, or
// InterruptGrace later where the operation lingers and the request was sent.
func (k *call) attemptContext(parent context.Context) (context.Context, context.CancelCauseFunc) {
	if !k.op.lingers {
		return context.WithCancelCause(parent)
	}

	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	stop := context.AfterFunc(parent, func() {
		if !k.sent.Load() {
			cancel(context.Cause(parent))
			return
		}
		timer := time.AfterFunc(InterruptGrace, func() { cancel(context.Cause(parent)) })
		context.AfterFunc(ctx, func() { timer.Stop() })
	})

	return ctx, func(cause error) {
		stop()
		cancel(cause)
	}
}

// causeOf returns the *stallError that ended the context of an attempt, or else err.
func causeOf(ctx context.Context, err error) error {
	if stall, ok := errors.AsType[*stallError](context.Cause(ctx)); ok && ctx.Err() != nil {
		return stall
	}
	return err
}

// boundedBody is the body of an answer, with the time limit of its attempt until it is
// closed.
type boundedBody struct {
	io.ReadCloser
	//nolint:containedctx // the body lives exactly as long as its attempt, and this is the attempt's context.
	ctx   context.Context
	limit *time.Timer
	phase atomic.Int32
	end   func()
	once  sync.Once

	// silence is how long one read may take; zero where the limit is for all of them.
	silence time.Duration
}

// newBoundedBody returns a body without an answer. It ends the attempt of ctx after the
// timeout.
func newBoundedBody(ctx context.Context, cancel context.CancelCauseFunc, timeout time.Duration) *boundedBody {
	b := &boundedBody{ctx: ctx}
	b.limit = time.AfterFunc(timeout, func() {
		cancel(&stallError{phase: phase(b.phase.Load()), after: timeout})
	})
	b.end = func() {
		b.limit.Stop()
		cancel(nil)
	}

	return b
}

// stream limits the time of each read instead of the whole.
func (b *boundedBody) stream(silence time.Duration) {
	b.limit.Stop()
	b.silence = silence
	b.phase.Store(int32(phaseStreaming))
}

// Read reads from the answer. The error is a *stallError where the time is up.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.silence > 0 {
		b.limit.Reset(b.silence)
		defer b.limit.Stop()
	}

	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = causeOf(b.ctx, err)
	}

	return n, err
}

// Close closes the answer and releases the time limit.
func (b *boundedBody) Close() error {
	err := b.ReadCloser.Close()
	b.once.Do(b.end)
	return err
}

// logAttempt logs the outcome of an attempt, and how long the head of its answer took.
func (k *call) logAttempt(ctx context.Context, resp *http.Response, err error, took time.Duration) {
	fields := map[string]any{
		"operation":   k.op.name,
		"method":      k.op.method,
		"path":        k.endpoint.template,
		"attempt":     k.attempts,
		"duration_ms": took.Milliseconds(),
	}
	if err != nil {
		fields["failure"] = k.transportError(err).Title()
		tflog.Debug(ctx, "Request to the analytics service failed", fields)
		return
	}

	fields["status"] = resp.StatusCode
	tflog.Debug(ctx, "Request to the analytics service answered", fields)
}
