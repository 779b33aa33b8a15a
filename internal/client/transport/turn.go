// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// turnLink sends a request when it is its turn, and ends the turn with the answer. A login is part
// of the attempt that needs it, which has a turn.
type turnLink struct {
	next http.RoundTripper
	gate *gate
}

func (l turnLink) RoundTrip(req *http.Request) (*http.Response, error) {
	c := callOf(req.Context())
	takesTurn := c.admission == nil && !c.Op.Anonymous
	if takesTurn {
		if err := l.gate.enter(req.Context(), 1); err != nil {
			return nil, err
		}
	}

	resp, err := l.next.RoundTrip(req)
	if err != nil {
		if takesTurn {
			l.gate.leave(0)
		}
		return nil, err
	}

	if body, ok := resp.Body.(*attemptBody); ok && takesTurn {
		body.turn = l.gate
	}
	if resp.StatusCode/100 != 2 {
		l.gate.hold(retryAfter(resp))
	}

	return resp, nil
}

// Admission is a place in the queue for a comparison and the write that follows from it, one right after
// the other. A write that would have to wait in between is not sent: its error is of ClassOutdated.
type Admission struct {
	gate     *gate
	unused   int       // turns
	compared time.Time // when the latest request that changes nothing was answered
}

// Admit waits until that many requests may be sent right after each other. Requests with the
// returned context take no other turn, and are sent once. The caller calls Leave. The error is that
// of the context.
func (s *Sender) Admit(ctx context.Context, turns int) (context.Context, *Admission, error) {
	if err := s.gate.enter(ctx, turns); err != nil {
		return ctx, nil, err
	}

	a := &Admission{gate: s.gate, unused: turns}

	return context.WithValue(ctx, admissionKey{}, a), a, nil
}

// Leave ends the admission and leaves the time of its unused turns to others.
func (a *Admission) Leave() { a.gate.leave(a.unused) }

// isOutdated reports whether a comparison was made under the admission, and what follows from it
// cannot be sent at once.
func (a *Admission) isOutdated() bool {
	if a.compared.IsZero() {
		return false
	}
	return time.Since(a.compared) > staleAfter || a.gate.remaining() > 0
}

// staleAfter is how long a comparison is valid. Its write follows without a wait, so that a
// longer time means that the machine stood still.
const staleAfter = time.Second

// gate bounds the number of requests in flight and their rate, and sends none while the
// service has asked for time.
type gate struct {
	slots    *semaphore.Weighted
	interval time.Duration // between two requests; 0 without a bound

	mu    sync.Mutex
	free  time.Time // when the rate allows the next request
	until time.Time // when the service accepts requests again
}

// enter waits for a slot, until the rate allows so many requests one right after the other,
// and until the service no longer asks for time. The service comes last: its answer to
// another request may arrive during the first waits. The caller calls leave.
func (g *gate) enter(ctx context.Context, requests int) error {
	if err := g.slots.Acquire(ctx, 1); err != nil {
		return err
	}

	g.mu.Lock()
	now := time.Now()
	if g.free.Before(now) {
		g.free = now
	}
	wait := g.free.Add(time.Duration(requests-1) * g.interval).Sub(now)
	g.free = now.Add(wait + g.interval)
	wait = max(wait, g.until.Sub(now))
	g.mu.Unlock()

	for ; wait > 0 && ctx.Err() == nil; wait = g.remaining() {
		_ = Pause(ctx, wait)
	}
	if ctx.Err() != nil {
		g.leave(requests)
	}

	return ctx.Err()
}

// leave releases the slot, and leaves the time of unsent requests to others.
func (g *gate) leave(unsent int) {
	g.mu.Lock()
	g.free = g.free.Add(-time.Duration(unsent) * g.interval)
	g.mu.Unlock()

	g.slots.Release(1)
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
