package client

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// How often the pending list is asked for while anybody waits: at least
// pollFloor after the last time, more rarely the longer the youngest waiter has
// been waiting, and never at the same moment as another process.
const (
	pollFloor   = time.Second
	pollCeiling = 30 * time.Second
)

// listing is one look at the pending list, for those who asked before it began.
type listing struct {
	began      time.Time
	byIdentity map[string][]PendingRecord
	err        error
}

// about gives the records about a person, the oldest first.
func (l *listing) about(identity string) []PendingRecord { return l.byIdentity[identity] }

// feed looks at the pending list of one scope for all who wait in this process.
// Whoever asks while a look is under way gets the next one: a listing that began
// before a request was submitted proves nothing about it.
type feed struct {
	client *Client
	scope  Scope
	wake   chan struct{} // somebody came or went

	mu      sync.Mutex
	asking  map[*asker]bool // for the next look
	served  map[*asker]bool // by the look that is under way
	running bool
	latest  *listing
	last    time.Time // beginning of the latest look
	abandon context.CancelFunc
}

type asker struct {
	since   time.Time // when it began to wait, over all its looks
	listing chan *listing
}

func (c *Client) feedOf(scope Scope) *feed {
	c.feedsMu.Lock()
	defer c.feedsMu.Unlock()
	f := c.feeds[scope]
	if f == nil {
		f = &feed{client: c, scope: scope, wake: make(chan struct{}, 1), asking: map[*asker]bool{}, served: map[*asker]bool{}}
		if c.feeds == nil {
			c.feeds = map[Scope]*feed{}
		}
		c.feeds[scope] = f
	}
	return f
}

// recent gives a look that is at most pollFloor old, for whoever wants to know what
// others have pending before sending something.
func (f *feed) recent(ctx context.Context) (*listing, error) {
	f.mu.Lock()
	latest := f.latest
	f.mu.Unlock()
	if latest != nil && latest.err == nil && time.Since(latest.began) <= pollFloor {
		return latest, nil
	}
	return f.next(ctx, time.Now())
}

// outdate forgets the latest look: something was sent since.
func (f *feed) outdate() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.latest = nil
}

// next waits for a look that begins after the call, or the end of the context.
// since is when the caller began to wait altogether.
func (f *feed) next(ctx context.Context, since time.Time) (*listing, error) {
	a := &asker{since: since, listing: make(chan *listing, 1)}
	f.join(ctx, a)
	select {
	case l := <-a.listing:
		return l, l.err
	case <-ctx.Done():
		f.part(a)
		return nil, ctx.Err()
	}
}

func (f *feed) join(ctx context.Context, a *asker) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asking[a] = true
	if !f.running {
		f.running = true
		// The looks serve others too, so they do not end with the one who came first.
		go f.run(context.WithoutCancel(ctx))
	}
	f.signal()
}

func (f *feed) part(a *asker) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.asking, a)
	delete(f.served, a)
	if len(f.served) == 0 && f.abandon != nil {
		f.abandon()
	}
	f.signal()
}

func (f *feed) signal() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// run looks as long as anybody asks.
func (f *feed) run(ctx context.Context) {
	for {
		wait, idle := f.untilNext()
		switch {
		case idle:
			return
		case wait <= 0:
			f.look(ctx)
		default:
			timer := time.NewTimer(wait)
			select {
			case <-timer.C:
			case <-f.wake:
			}
			timer.Stop()
		}
	}
}

// untilNext says how long to wait for the next look, or that nobody asks.
func (f *feed) untilNext() (wait time.Duration, idle bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.asking) == 0 {
		f.running = false
		return 0, true
	}
	youngest := time.Time{}
	for a := range f.asking {
		if a.since.After(youngest) {
			youngest = a.since
		}
	}
	return time.Until(f.last.Add(pollInterval(time.Since(youngest)))), false
}

// pollInterval grows with the youngest waiter's time; up to a tenth is added by
// chance.
func pollInterval(waited time.Duration) time.Duration {
	interval := min(max(waited/10, pollFloor), pollCeiling)
	return interval + rand.N(interval/10) //nolint:gosec // spreading load needs no secrecy
}

func (f *feed) look(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f.mu.Lock()
	f.served, f.asking = f.asking, map[*asker]bool{}
	f.last, f.abandon = time.Now(), cancel
	f.mu.Unlock()
	l := f.list(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	for a := range f.served {
		a.listing <- l // never waits: each asker has room for one
	}
	f.served, f.abandon, f.latest = map[*asker]bool{}, nil, l
}

func (f *feed) list(ctx context.Context) (l *listing) {
	began := time.Now()
	defer func() {
		// A panic in here would end the process with every resource in flight.
		if recover() != nil {
			l = &listing{began: began, err: &Error{
				Kind: KindInternal, Operation: opListPending.name, Method: opListPending.method, Detail: "reading the pending list ended in a panic",
			}}
		}
	}()
	l = &listing{began: began, byIdentity: map[string][]PendingRecord{}}
	records, err := f.client.ListPending(ctx, f.scope)
	l.err = err
	for _, r := range records {
		if id, ok := r.Identity.Get(); ok {
			l.byIdentity[id] = append(l.byIdentity[id], r)
		}
	}
	return l
}
