package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

var errAttemptTimeout = errors.New("the attempt took longer than request_timeout")

// attemptTransport bounds one attempt, answer included, and logs it: operation,
// path template, status, duration, and never what was sent or received. An answer
// that streams may take any time, and is bounded in each of its silences.
type attemptTransport struct {
	next    http.RoundTripper
	timeout time.Duration
}

func (t *attemptTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	k := callFrom(req.Context())
	k.attempts++
	k.sent.Store(false)
	ctx, cancel := context.WithCancelCause(req.Context())
	limit := time.AfterFunc(t.timeout, func() { cancel(errAttemptTimeout) })
	end := func() {
		limit.Stop()
		cancel(nil)
	}
	began := time.Now()
	resp, err := t.next.RoundTrip(req.WithContext(ctx))
	logAttempt(req.Context(), k, resp, err, time.Since(began))
	if err != nil {
		defer end()
		return nil, causeOf(ctx, err)
	}
	if resp.StatusCode/100 == 3 {
		// The HTTP client above would read it before it asks whether to follow.
		k.location = resp.Header.Get("Location")
		resp.Header.Del("Location")
	}
	body := &boundedBody{ReadCloser: resp.Body, ctx: ctx, end: end}
	if k.op.streams {
		limit.Stop()
		body.limit, body.silence = limit, t.timeout
	}
	resp.Body = body
	return resp, nil
}

// causeOf tells the attempt's own time limit from the caller's end.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), errAttemptTimeout) {
		return errAttemptTimeout
	}
	return err
}

// boundedBody keeps the attempt's time limit until the body is closed.
type boundedBody struct {
	io.ReadCloser
	//nolint:containedctx // the body lives exactly as long as its attempt, and this is the attempt's context.
	ctx  context.Context
	end  func()
	once sync.Once

	// limit ends the attempt where one read takes longer than silence; nil where the
	// time is for all of them.
	limit   *time.Timer
	silence time.Duration
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.limit != nil {
		b.limit.Reset(b.silence)
		defer b.limit.Stop()
	}
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = causeOf(b.ctx, err)
	}
	return n, err
}

func (b *boundedBody) Close() error {
	err := b.ReadCloser.Close()
	b.once.Do(b.end)
	return err
}

func logAttempt(ctx context.Context, k *call, resp *http.Response, err error, took time.Duration) {
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
