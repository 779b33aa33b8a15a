// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// stallError is the error of an attempt that request_timeout has ended. Its text is safe
// to show.
type stallError struct{ text string }

func (e *stallError) Error() string { return e.text + " (request_timeout)" }

// errTimeUp is the cause of the end of an attempt's context where its time was up.
var errTimeUp = errors.New("the time of the attempt is up")

// stallOr returns the *stallError with a text where the time of an attempt was up, or else
// err.
func stallOr(ctx context.Context, err error, text string) error {
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), errTimeUp) {
		return &stallError{text}
	}
	return err
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
	limit := time.AfterFunc(t.timeout, func() { cancel(errTimeUp) })
	end := func() {
		limit.Stop()
		cancel(nil)
	}

	began := time.Now()
	resp, err := t.next.RoundTrip(req.WithContext(ctx))
	if !t.silent {
		k.logAttempt(req.Context(), resp, err, time.Since(began))
	}
	if err != nil {
		defer end()
		return nil, stallOr(ctx, err, "no answer within "+t.timeout.String())
	}

	if resp.StatusCode/100 == 3 {
		// The HTTP client above would read it before it asks whether to follow.
		k.location = resp.Header.Get("Location")
		resp.Header.Del("Location")
	}

	body := &boundedBody{ReadCloser: resp.Body, ctx: ctx, end: end, limit: limit}
	body.stall = "the answer stalled: it began and was not complete after " + t.timeout.String()
	if k.Op.Streams {
		limit.Stop()
		body.silence = t.timeout
		body.stall = "the answer stalled: nothing more of it came for " + t.timeout.String()
	}
	resp.Body = body

	return resp, nil
}

// interruptGrace is how long an attempt of a deferred request that was sent goes on after
// an interrupt.
const interruptGrace = 700 * time.Millisecond

// attemptContext returns the context of one attempt. It ends with the caller's, or
// interruptGrace later where the operation lingers and the request was sent.
func (k *Call) attemptContext(parent context.Context) (context.Context, context.CancelCauseFunc) {
	if !k.Op.Lingers {
		return context.WithCancelCause(parent)
	}

	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	stop := context.AfterFunc(parent, func() {
		if !k.sent.Load() {
			cancel(context.Cause(parent))
			return
		}
		timer := time.AfterFunc(interruptGrace, func() { cancel(context.Cause(parent)) })
		context.AfterFunc(ctx, func() { timer.Stop() })
	})

	return ctx, func(cause error) {
		stop()
		cancel(cause)
	}
}

// boundedBody is the body of an answer, with the time limit of its attempt until it is
// closed.
type boundedBody struct {
	io.ReadCloser
	//nolint:containedctx // the body lives exactly as long as its attempt, and this is the attempt's context.
	ctx   context.Context
	stall string // what the error says where the time is up
	end   func() // releases the time limit; may be called twice

	// limit is reset to silence for each read, where silence is not zero.
	limit   *time.Timer
	silence time.Duration
}

// Read reads from the answer. The error is a *stallError where the time is up.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.silence > 0 {
		b.limit.Reset(b.silence)
		defer b.limit.Stop()
	}

	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = stallOr(b.ctx, err, b.stall)
	}

	return n, err
}

// Close closes the answer and releases the time limit.
func (b *boundedBody) Close() error {
	err := b.ReadCloser.Close()
	b.end()
	return err
}

// logAttempt logs the outcome of an attempt, and how long the head of its answer took.
func (k *Call) logAttempt(ctx context.Context, resp *http.Response, err error, took time.Duration) {
	fields := map[string]any{
		"operation":   k.Op.Name,
		"method":      k.Op.Method,
		"path":        k.endpoint.template,
		"attempt":     k.attempts,
		"duration_ms": took.Milliseconds(),
	}
	if err != nil {
		fields["failure"] = k.TransportError(err).Title()
		tflog.Debug(ctx, "Request to the analytics service failed", fields)
		return
	}

	fields["status"] = resp.StatusCode
	tflog.Debug(ctx, "Request to the analytics service answered", fields)
}
