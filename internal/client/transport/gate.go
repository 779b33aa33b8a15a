// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// Gate bounds the number of requests in flight and their rate, and sends none while the
// service has asked for time.
type Gate struct {
	next     http.RoundTripper
	slots    chan struct{}
	interval time.Duration // between two requests; 0 without a bound

	mu    sync.Mutex
	free  time.Time // when the rate allows the next request
	until time.Time // when the service accepts requests again
}

func newGate(concurrency int, perSecond float64, next http.RoundTripper) *Gate {
	g := &Gate{next: next, slots: make(chan struct{}, concurrency)}
	if perSecond > 0 {
		g.interval = time.Duration(float64(time.Second) / perSecond)
	}
	return g
}

// RoundTrip holds a slot until the answer's body is closed.
func (g *Gate) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := g.Enter(req.Context(), 1); err != nil {
		return nil, err
	}

	resp, err := g.pass(req)
	if err != nil {
		g.Leave(0)
		return nil, err
	}

	resp.Body = &gatedBody{ReadCloser: resp.Body, leave: sync.OnceFunc(func() { g.Leave(0) })}

	return resp, nil
}

// pass sends a request of a caller that has entered.
func (g *Gate) pass(req *http.Request) (*http.Response, error) {
	resp, err := g.next.RoundTrip(req)
	if wait, ok := askedToWait(resp); err == nil && ok {
		callFrom(req.Context()).retryAfter = wait
		g.hold(wait)
	}

	return resp, err
}

// Enter waits for a slot, until the rate allows so many requests one right after the other,
// and until the service no longer asks for time. The service comes last: its answer to
// another request may arrive during the first waits. The caller calls leave.
func (g *Gate) Enter(ctx context.Context, requests int) error {
	select {
	case g.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}

	err := Pause(ctx, time.Until(g.reserve(requests)))
	for wait := g.Remaining(); err == nil && wait > 0; wait = g.Remaining() {
		err = Pause(ctx, wait)
	}
	if err != nil {
		g.Leave(requests)
	}

	return err
}

// reserve returns when the rate allows so many requests together, and keeps that time free.
func (g *Gate) reserve(requests int) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()

	if now := time.Now(); g.free.Before(now) {
		g.free = now
	}
	at := g.free.Add(time.Duration(requests-1) * g.interval)
	g.free = at.Add(g.interval)

	return at
}

// Leave releases the slot, and leaves the time of unsent requests to others.
func (g *Gate) Leave(unsent int) {
	g.mu.Lock()
	g.free = g.free.Add(-time.Duration(unsent) * g.interval)
	g.mu.Unlock()

	<-g.slots
}

// Remaining returns how long the service still wants all callers to wait; zero or less
// if it does not.
func (g *Gate) Remaining() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Until(g.until)
}

// hold keeps all callers waiting. A shorter wait does not shorten a longer one.
func (g *Gate) hold(wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()

	if until := time.Now().Add(wait); until.After(g.until) {
		g.until = until
	}
}

// Pause waits for d, or until the context ends. It returns the context's error then.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()

	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// gatedBody leaves the gate when it is closed.
type gatedBody struct {
	io.ReadCloser
	leave func()
}

func (b *gatedBody) Close() error {
	err := b.ReadCloser.Close()
	b.leave()
	return err
}
