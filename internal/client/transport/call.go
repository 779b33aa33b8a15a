// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"golang.org/x/sync/semaphore"
)

// RoundTrip makes an attempt when it is its turn, and reads the answer, with which the turn ends. A login is part of the
// attempt that needs it, and takes no turn of its own.
func (c *call) RoundTrip(req *http.Request) (*http.Response, error) {
	c.answer, c.refusal, c.token = Answer{}, nil, ""
	c.sent.Store(false)
	ctx, b, err := c.begin(req.Context())
	if err != nil {
		return nil, err
	}

	c.known.Attempts++
	began := time.Now()
	resp, err := c.send(req.WithContext(ctx))
	if !c.sender.cfg.LogIsOff {
		c.log(ctx, began, resp, err)
	}
	if err == nil {
		err = c.read(resp, b)
	}
	if err != nil {
		resp, err = nil, cmp.Or(context.Cause(ctx), err)
	}

	if c.answer.Body == nil {
		b.Close()
	}
	if c.compared != nil {
		*c.compared = time.Now()
	}

	return resp, err
}

// begin waits for the turn of an attempt, and begins it. What follows from the comparison of an admission is not
// sent where it would have to wait. request_timeout bounds the attempt, or, of an answer that streams, each of its silences.
func (c *call) begin(parent context.Context) (_ context.Context, _ *Body, err error) {
	release := func() {}
	switch {
	case c.Op.Kind == LogsIn: // a part of the attempt that needs it
	case c.compared == nil:
		release, err = c.sender.gate.enter(parent, 1)
	case c.compared.IsZero():
	case time.Since(*c.compared) > staleAfter, time.Until(*c.sender.gate.until.Load()) > 0:
		err = c.outdated()
	}
	if err != nil {
		return nil, nil, err
	}

	timeout := c.sender.cfg.RequestTimeout
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	limit := time.AfterFunc(timeout, func() {
		cancel(&Error{Class: ClassTimeout, Detail: "the answer stalled: it, or the next part of it, was not complete within " + timeout.String() + " (request_timeout)"})
	})
	stop := context.AfterFunc(parent, func() {
		if changes[c.Op.Kind] && c.sent.Load() {
			_ = Pause(ctx, interruptGrace)
		}
		cancel(context.Cause(parent))
	})

	b := &Body{ctx: ctx, timeout: timeout, limit: limit, response: &http.Response{Body: http.NoBody}}
	b.Close = sync.OnceFunc(func() {
		_ = b.response.Body.Close()
		limit.Stop()
		stop()
		cancel(nil)
		release()
	})

	return ctx, b, nil
}

// send sends a clone of a request with credentials and the user's headers, and only to the configured origin: what
// repeats, logs and describes requests never sees them.
func (c *call) send(req *http.Request) (resp *http.Response, err error) {
	s := c.sender
	if req.URL.Scheme+req.URL.Host != s.cfg.Base.Scheme+s.cfg.Base.Host {
		return nil, NewError(c.known, ClassInternal, "a request was about to be sent to another address than base_url")
	}

	clone := req.Clone(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			secured, ok := info.Conn.(*tls.Conn)
			c.isHTTP2.Store(ok && secured.ConnectionState().NegotiatedProtocol == "h2")
		},
		WroteHeaders: func() { c.sent.Store(true) },
	}))
	clone.GetBody = c.bodyAgain
	clone.URL.RawQuery = strings.TrimPrefix(clone.URL.RawQuery+s.query, "&")
	maps.Copy(clone.Header, s.header)
	if s.login != nil && c.Op.Kind != LogsIn {
		if c.token, err = s.login.tokenFor(req.Context(), c); err != nil {
			return nil, err
		}
		clone.Header.Set("Authorization", "bearer "+c.token)
	}

	c.began, c.newestBefore = time.Now(), s.newest.Load()
	resp, err = s.around.RoundTrip(clone)
	c.known.sent = err == nil || c.sent.Load() // an answer may come before HTTP/2 says that it has written the header

	return resp, err
}

// log logs the operation, path template and status of an attempt, and how long the head of its answer took; never
// what was sent or received. err is why there is no answer.
func (c *call) log(ctx context.Context, began time.Time, resp *http.Response, err error) {
	fields := map[string]any{
		"operation":   c.Op.Name,
		"method":      c.Op.Method,
		"path":        c.To.Template,
		"attempt":     c.known.Attempts,
		"duration_ms": time.Since(began).Milliseconds(),
	}
	message := "Request to the analytics service answered"
	if err != nil {
		message = "Request to the analytics service failed"
		fields["failure"] = CauseError(c.known, cmp.Or(context.Cause(ctx), err)).Title()
	} else {
		fields["status"] = resp.StatusCode
		fields["content_type"] = c.known.Redact.Text(resp.Header.Get("Content-Type"), limitExcerpt)
	}
	tflog.Debug(ctx, message, fields)
}

// bodyAgain is GetBody of a request, by which the HTTP stack asks before it repeats a request with a body. It sees to
// it that what changes something is sent once at most.
//
// Over HTTP/2 the stack repeats what is known to be unprocessed; net/http's own copy does so also after a
// PROTOCOL_ERROR, which proves nothing. Over HTTP/1 it repeats where nothing was written, and a GET wherever a
// connection breaks; ValidateHeaders refuses a header that allows it for other methods.
func (c *call) bodyAgain() (io.ReadCloser, error) {
	switch {
	case !c.sent.Load():
	case c.isHTTP2.Load(): // after REFUSED_STREAM or a GOAWAY (RFC 9113, sections 6.8 and 8.7)
		return nil, &Error{Class: ClassUnreachable, Detail: "the connection was closing, and the service refused the request before it processed it (HTTP/2)"}
	case c.Op.Method == http.MethodGet:
		return nil, errors.New("the connection broke and the request is not repeated by itself")
	}

	return io.NopCloser(bytes.NewReader(c.Body)), nil
}

// Admit waits until so many requests may be sent right after each other: a comparison, and the write that follows from
// it. Requests with the returned context take no other turn, and are sent once. A write that would have to wait after
// its comparison is of ClassOutdated, and not sent. The caller calls release. The error is that of the context.
func (s *Sender) Admit(ctx context.Context, turns int) (_ context.Context, release func(), err error) {
	release, err = s.gate.enter(ctx, turns)
	return context.WithValue(ctx, admissionKey{}, new(time.Time)), release, err
}

// outdated returns the error of a write that would have to wait after its comparison.
func (c *call) outdated() *Error {
	return NewError(c.known, ClassOutdated, "the update had to wait each time after it was compared with what the service holds, so it was not sent")
}

const (
	// interruptGrace is how long an attempt of a write that was sent goes on after an interrupt:
	// its outcome could not be found out otherwise.
	interruptGrace = 700 * time.Millisecond

	// staleAfter is how long a comparison is valid. Its write follows without a wait, so that a
	// longer time means that the machine stood still.
	staleAfter = time.Second
)

// gate bounds the number of requests in flight and their rate, and sends none while the
// service has asked for time.
type gate struct {
	slots    *semaphore.Weighted
	interval time.Duration // between two requests; 0 without a bound

	mu    sync.Mutex
	free  time.Time                 // when the rate allows the next request
	until atomic.Pointer[time.Time] // when the service accepts requests again; mu is held to change it
}

// enter waits for a slot, for the rate of so many requests, and until the service no longer asks for time. That comes
// last: its answer to another request may arrive during the first waits. The caller calls release.
func (g *gate) enter(ctx context.Context, requests int) (release func(), err error) {
	if err := g.slots.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	release = func() { g.slots.Release(1) }

	g.mu.Lock()
	now := time.Now()
	if g.free.Before(now) {
		g.free = now
	}
	turn := g.free.Add(time.Duration(requests-1) * g.interval)
	g.free = turn.Add(g.interval)
	wait := max(turn.Sub(now), g.until.Load().Sub(now))
	g.mu.Unlock()

	for ; wait > 0 && ctx.Err() == nil; wait = time.Until(*g.until.Load()) {
		_ = Pause(ctx, wait)
	}
	if err = ctx.Err(); err != nil {
		release()
	}

	return release, err
}

// hold keeps all callers waiting. A shorter wait does not shorten a longer one.
func (g *gate) hold(wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()

	if until := time.Now().Add(wait); until.After(*g.until.Load()) {
		g.until.Store(&until)
	}
}

// Pause waits for d, or until the context ends. It returns the context's error then.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
