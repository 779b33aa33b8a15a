// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

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
	c.log(ctx, began, resp, err)
	if err == nil {
		err = c.read(resp, b)
	}
	if err != nil {
		resp, err = nil, cmp.Or(context.Cause(ctx), err)
	}

	if c.answer.Body == nil {
		b.Close()
	}
	if c.compared != nil && c.Op.Kind == Reads {
		*c.compared = time.Now()
	}

	return resp, err
}

// begin waits for the turn of an attempt, and begins it. An admission has one already, and what follows from
// its comparison is not sent where it would have to wait. An attempt lasts until the end of the answer's body.
// request_timeout bounds it, or, of an answer that streams, each of its silences.
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

// Admit waits until that many requests may be sent right after each other: a comparison, and the write
// that follows from it. Requests with the returned context take no other turn, and are sent once. A write
// that would have to wait after its comparison is not sent: its error is of ClassOutdated. The caller
// calls release. The error is that of the context.
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

// enter waits for a slot, until the rate allows so many requests one right after the other, and until the
// service no longer asks for time. The service comes last: its answer to another request may arrive
// during the first waits. The caller calls release.
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
