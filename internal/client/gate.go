package client

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// gate lets requests through: at most so many at once, at most so many a second,
// and none while the service has asked all of us to wait.
type gate struct {
	next  http.RoundTripper
	slots chan struct{}
	rate  *rate.Limiter

	mu    sync.Mutex
	until time.Time
}

func newGate(next http.RoundTripper, concurrency int, perSecond float64) *gate {
	g := &gate{next: next, slots: make(chan struct{}, concurrency)}
	if perSecond > 0 {
		g.rate = rate.NewLimiter(rate.Limit(perSecond), 1)
	}
	return g
}

// RoundTrip holds a slot until the answer's body is closed, so that the bound
// counts what is really under way.
func (g *gate) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := g.enter(req.Context()); err != nil {
		return nil, err
	}
	resp, err := g.next.RoundTrip(req)
	if err != nil {
		g.leave()
		return nil, err
	}
	if wait, ok := askedToWait(resp); ok {
		callFrom(req.Context()).retryAfter = wait
		g.hold(wait)
	}
	resp.Body = &gatedBody{ReadCloser: resp.Body, leave: sync.OnceFunc(g.leave)}
	return resp, nil
}

func (g *gate) enter(ctx context.Context) error {
	select {
	case g.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := g.waitOpen(ctx); err != nil {
		g.leave()
		return err
	}
	return nil
}

func (g *gate) waitOpen(ctx context.Context) error {
	for wait := g.remaining(); wait > 0; wait = g.remaining() {
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
	if g.rate != nil {
		if err := g.rate.Wait(ctx); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			// The limiter refuses at once what it could only let through too late.
			return context.DeadlineExceeded
		}
	}
	return ctx.Err()
}

func (g *gate) leave() { <-g.slots }

func (g *gate) remaining() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Until(g.until)
}

// hold keeps everybody waiting; a shorter wish never shortens a longer one.
func (g *gate) hold(wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until := time.Now().Add(wait); until.After(g.until) {
		g.until = until
	}
}

// pause waits or ends with its context.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

type gatedBody struct {
	io.ReadCloser
	leave func()
}

func (b *gatedBody) Close() error {
	err := b.ReadCloser.Close()
	b.leave()
	return err
}
