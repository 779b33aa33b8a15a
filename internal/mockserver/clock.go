// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"slices"
	"sync"
	"time"
)

// Clock tells the server the time. The lifetime of tokens, latency, the delays of
// faults and the due times of deferred requests follow it.
type Clock interface {
	Now() time.Time
	// After returns a channel that receives the time once d has passed; at once if d is
	// not positive.
	After(d time.Duration) <-chan time.Time
}

// systemClock is the clock of package time. Inside testing/synctest it follows the
// time of the bubble.
type systemClock struct{}

func (systemClock) Now() time.Time                         { return time.Now() }
func (systemClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

func (s *Server) clock() Clock {
	if s.Clock == nil {
		return systemClock{}
	}
	return s.Clock
}

// ManualClock is a Clock that moves only when it is advanced. NewManualClock makes
// one.
type ManualClock struct {
	mu     sync.Mutex
	now    time.Time
	timers []manualTimer
	added  chan struct{} // closed and replaced whenever a timer is added
}

type manualTimer struct {
	at time.Time
	c  chan time.Time
}

// NewManualClock returns a clock that shows now.
func NewManualClock(now time.Time) *ManualClock {
	return &ManualClock{now: now, added: make(chan struct{})}
}

// Now returns the time that the clock shows.
func (c *ManualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// After implements Clock.
func (c *ManualClock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()

	t := manualTimer{at: c.now.Add(d), c: make(chan time.Time, 1)}
	if d <= 0 {
		t.c <- c.now
		return t.c
	}

	c.timers = append(c.timers, t)
	close(c.added)
	c.added = make(chan struct{})

	return t.c
}

// Advance moves the clock by d and fires the timers that are due by then.
func (c *ManualClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()

	c.now = c.now.Add(d)
	c.timers = slices.DeleteFunc(c.timers, func(t manualTimer) bool {
		due := !t.at.After(c.now)
		if due {
			t.c <- c.now
		}
		return due
	})
}

// AwaitTimers blocks until at least n timers are pending. A test calls it before
// Advance, to be sure that the server has begun to wait.
func (c *ManualClock) AwaitTimers(n int) {
	for {
		c.mu.Lock()
		pending, added := len(c.timers), c.added
		c.mu.Unlock()

		if pending >= n {
			return
		}
		<-added
	}
}

// shiftedClock is the clock of package time, moved by a fixed duration.
type shiftedClock struct {
	systemClock

	shift time.Duration
}

// ClockFrom returns a Clock that shows now and runs from there.
func ClockFrom(now time.Time) Clock { return shiftedClock{shift: time.Until(now)} }

// Now implements Clock.
func (c shiftedClock) Now() time.Time { return time.Now().Add(c.shift) }
