// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// RoundTrip makes one attempt, for which it enters the gate. Only a stream leaves it later,
// when its answer is closed.
func (k *Call) RoundTrip(req *http.Request) (*http.Response, error) {
	gate := k.sender.Gate
	if err := gate.Enter(req.Context(), 1); err != nil {
		return nil, err
	}

	if err := k.attempt(req); err != nil {
		gate.Leave(0)
		return nil, err
	}
	if !k.Op.Streams {
		gate.Leave(0)
		return k.response, nil
	}

	end := k.body.end
	k.body.end = sync.OnceFunc(func() {
		end()
		gate.Leave(0)
	})

	return k.response, nil
}

// attempt sends the request once and reads its answer, both within request_timeout. It logs
// the operation, path template, status and duration, and never what was sent or received. An
// answer that streams is read later and may take any time; the limit is for each of its
// silences.
func (k *Call) attempt(req *http.Request) error {
	k.attempts++
	k.sent.Store(false)

	timeout := k.sender.cfg.RequestTimeout
	ctx, cancel := k.attemptContext(req.Context())
	limit := time.AfterFunc(timeout, func() { cancel(errTimeUp) })
	end := func() {
		limit.Stop()
		cancel(nil)
	}

	began := time.Now()
	resp, err := k.send(req.WithContext(ctx))
	if err != nil {
		err = k.TransportError(stallOr(ctx, err, "no answer within "+timeout.String()))
	}
	k.log(req.Context(), resp, err, time.Since(began))
	if err != nil {
		end()
		return err
	}

	if wait, ok := askedToWait(resp); ok && !k.Op.Anonymous {
		k.sender.Gate.hold(wait)
	}

	k.body = &answerBody{ReadCloser: resp.Body, ctx: ctx, end: end, limit: limit}
	resp.Body, k.response = k.body, resp
	if k.Op.Streams && resp.StatusCode/100 == 2 {
		limit.Stop()
		k.body.silence = timeout
		k.body.stall = "the answer stalled: nothing more of it came for " + timeout.String()
		return nil
	}

	k.body.stall = "the answer stalled: it began and was not complete after " + timeout.String()
	k.answer, err = k.readAnswer(req.Context(), resp)

	return err
}

// interruptGrace is how long an attempt of a deferred request that was sent goes on after
// an interrupt.
const interruptGrace = 700 * time.Millisecond

// attemptContext returns the context of one attempt. It ends with the caller's, or
// interruptGrace later where the operation lingers and the request was sent.
func (k *Call) attemptContext(parent context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	stop := context.AfterFunc(parent, func() {
		if k.Op.Lingers && k.sent.Load() {
			_ = Pause(ctx, interruptGrace)
		}
		cancel(context.Cause(parent))
	})

	return ctx, func(cause error) {
		stop()
		cancel(cause)
	}
}

// log logs the outcome of an attempt, and how long the head of its answer took.
func (k *Call) log(ctx context.Context, resp *http.Response, err error, took time.Duration) {
	if k.sender.cfg.LogIsOff {
		return
	}

	fields := map[string]any{
		"operation":   k.Op.Name,
		"method":      k.Op.Method,
		"path":        k.To.template,
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

// answerBody is the body of an answer, with the time limit of its attempt until it is
// closed.
type answerBody struct {
	io.ReadCloser
	//nolint:containedctx // the body lives exactly as long as its attempt, and this is the attempt's context.
	ctx   context.Context
	stall string // what the error says where the time is up
	end   func() // releases the time limit; may be called twice
	err   error  // with which the network ended the answer

	// limit is reset to silence for each read, where silence is not zero.
	limit   *time.Timer
	silence time.Duration
}

// Read reads from the answer. The error is a *stallError where the time is up.
func (b *answerBody) Read(p []byte) (int, error) {
	if b.silence > 0 {
		b.limit.Reset(b.silence)
		defer b.limit.Stop()
	}

	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = stallOr(b.ctx, err, b.stall)
		b.err = err
	}

	return n, err
}

// Close closes the answer and releases the time limit.
func (b *answerBody) Close() error {
	err := b.ReadCloser.Close()
	b.end()
	return err
}
