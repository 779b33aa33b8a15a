// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// Gate bounds the number of requests in flight and their rate, and sends none while the
// service has asked for time.
type Gate struct {
	slots    *semaphore.Weighted
	interval time.Duration // between two requests; 0 without a bound

	mu    sync.Mutex
	free  time.Time // when the rate allows the next request
	until time.Time // when the service accepts requests again
}

// Enter waits for a slot, until the rate allows so many requests one right after the other,
// and until the service no longer asks for time. The service comes last: its answer to
// another request may arrive during the first waits. The caller calls leave.
func (g *Gate) Enter(ctx context.Context, requests int) error {
	if err := g.slots.Acquire(ctx, 1); err != nil {
		return err
	}

	g.mu.Lock()
	if now := time.Now(); g.free.Before(now) {
		g.free = now
	}
	at := g.free.Add(time.Duration(requests-1) * g.interval)
	g.free = at.Add(g.interval)
	g.mu.Unlock()

	_ = Pause(ctx, time.Until(at))
	for wait := g.remaining(); wait > 0 && ctx.Err() == nil; wait = g.remaining() {
		_ = Pause(ctx, wait)
	}
	if ctx.Err() != nil {
		g.Leave(requests)
	}

	return ctx.Err()
}

// Leave releases the slot, and leaves the time of unsent requests to others.
func (g *Gate) Leave(unsent int) {
	g.mu.Lock()
	g.free = g.free.Add(-time.Duration(unsent) * g.interval)
	g.mu.Unlock()

	g.slots.Release(1)
}

// remaining returns how long the service still wants all callers to wait; zero or less
// if it does not.
func (g *Gate) remaining() time.Duration {
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
