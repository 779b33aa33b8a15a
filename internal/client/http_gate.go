package client

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// gate bounds the number of requests in flight and their rate, and sends none while the
// service has asked for time.
type gate struct {
	next  http.RoundTripper
	slots chan struct{}
	rate  *rate.Limiter

	mu    sync.Mutex
	until time.Time // when the service accepts requests again
	spare bool      // a turn that was not used, for the next request
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

// RoundTrip holds a slot until the answer's body is closed. A request with an admission
// uses the slot and the turns of the admission.
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

// enter waits until a request may be sent. leave has to be called when it has ended.
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

// takeSlot waits for one of the slots, which leave releases.
func (g *gate) takeSlot(ctx context.Context) error {
	select {
	case g.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *gate) leave() { <-g.slots }

// waitTurns waits until the rate allows so many requests one right after the other, and
// the service no longer asks for time. The service comes last: its answer to another
// request may arrive during the first wait.
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

// waitRate waits until the rate allows one request.
func (g *gate) waitRate(ctx context.Context) error {
	if g.rate == nil || g.takeSpare() {
		return nil
	}

	err := g.rate.Wait(ctx)
	if err != nil && ctx.Err() == nil {
		// The limiter fails at once if the wait would outlast the context.
		return context.DeadlineExceeded
	}

	return err
}

// takeSpare takes a turn that another request has waited for and not used, and reports
// whether there was one.
func (g *gate) takeSpare() bool {
	g.mu.Lock()
	defer g.mu.Unlock()

	taken := g.spare
	g.spare = false
	return taken
}

// giveBack leaves an unused turn to the next request. Only one is kept, so that unused
// turns never add up to a burst.
func (g *gate) giveBack() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.spare = true
}

// remaining returns how long the service still wants all callers to wait; zero or less
// if it does not.
func (g *gate) remaining() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Until(g.until)
}

// hold keeps all callers waiting. A shorter wait does not shorten a longer one.
func (g *gate) hold(wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()

	if until := time.Now().Add(wait); until.After(g.until) {
		g.until = until
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
