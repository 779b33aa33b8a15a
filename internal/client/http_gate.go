package client

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// gate bounds requests: at most so many at once, at most so many a second, and none
// while the service has asked all callers to wait.
type gate struct {
	next  http.RoundTripper
	slots chan struct{}
	rate  *rate.Limiter

	mu    sync.Mutex
	until time.Time
	spare bool // a turn that nobody used, for the next request
}

func newGate(concurrency int, perSecond float64) *gate {
	g := &gate{slots: make(chan struct{}, concurrency)}
	if perSecond > 0 {
		g.rate = rate.NewLimiter(rate.Limit(perSecond), 1)
	}
	return g
}

// wrap passes requests on to next, and returns g.
func (g *gate) wrap(next http.RoundTripper) http.RoundTripper {
	g.next = next
	return g
}

// RoundTrip holds a slot until the answer's body is closed, so that the bound counts what
// is really under way. A request with an admission uses the slot and the turns of that.
func (g *gate) RoundTrip(req *http.Request) (*http.Response, error) {
	leave, err := g.enter(req.Context())
	if err != nil {
		return nil, err
	}

	resp, err := g.next.RoundTrip(req)
	if err != nil {
		leave()
		return nil, err
	}

	if wait, ok := askedToWait(resp); ok {
		callFrom(req.Context()).retryAfter = wait
		g.hold(wait)
	}

	resp.Body = &gatedBody{ReadCloser: resp.Body, leave: sync.OnceFunc(leave)}
	return resp, nil
}

// enter waits until a request may go on, and returns what ends its stay.
func (g *gate) enter(ctx context.Context) (leave func(), err error) {
	if a := admissionFrom(ctx); a != nil {
		return func() {}, a.enter(ctx)
	}

	if err := g.takeSlot(ctx); err != nil {
		return nil, err
	}
	if err := g.waitTurns(ctx, 1); err != nil {
		g.leave()
		return nil, err
	}

	return g.leave, nil
}

func (g *gate) takeSlot(ctx context.Context) error {
	select {
	case g.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *gate) leave() { <-g.slots }

// waitTurns waits until so many requests may be sent one right after the other. The wish
// of the service comes last: it may have arrived while the rate was waited for.
func (g *gate) waitTurns(ctx context.Context, turns int) error {
	for range turns {
		if err := g.waitRate(ctx); err != nil {
			return err
		}
	}

	for wait := g.remaining(); wait > 0; wait = g.remaining() {
		if err := Pause(ctx, wait); err != nil {
			return err
		}
	}

	return ctx.Err()
}

func (g *gate) waitRate(ctx context.Context) error {
	if g.rate == nil || g.takeSpare() {
		return nil
	}

	err := g.rate.Wait(ctx)
	if err != nil && ctx.Err() == nil {
		// The limiter refuses at once what it could only let through too late.
		return context.DeadlineExceeded
	}
	return err
}

// takeSpare takes over a turn that was waited for and not used.
func (g *gate) takeSpare() bool {
	g.mu.Lock()
	defer g.mu.Unlock()

	taken := g.spare
	g.spare = false
	return taken
}

// giveBack leaves an unused turn to the next request. Only one is kept, so that no burst
// gathers.
func (g *gate) giveBack() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.spare = true
}

// remaining returns how long the service still wants all callers to wait.
func (g *gate) remaining() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Until(g.until)
}

// hold keeps all callers waiting; a shorter wish never shortens a longer one.
func (g *gate) hold(wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until := time.Now().Add(wait); until.After(g.until) {
		g.until = until
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
