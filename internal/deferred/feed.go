package deferred

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// The pending list is read at most once in pollFloor while somebody waits, more
// rarely the longer the youngest waiter has been waiting, and not at the same moment
// as by another process.
const (
	pollFloor   = time.Second
	pollCeiling = 30 * time.Second
)

// lister reads the pending list of a scope.
type lister interface {
	ListPending(ctx context.Context, scope client.Scope) (client.PendingList, error)
}

// feeds has one feed for each scope.
type feeds struct {
	lister lister

	mu     sync.Mutex
	scopes map[client.Scope]*feed
}

func newFeeds(l lister) *feeds {
	return &feeds{lister: l, scopes: map[client.Scope]*feed{}}
}

func (f *feeds) look(ctx context.Context, about person, after, since time.Time) (sight, error) {
	l, err := f.of(about.scope).reading(ctx, after, since)
	if err != nil {
		return sight{}, err
	}
	return l.about(about.identity), nil
}

func (f *feeds) of(scope client.Scope) *feed {
	f.mu.Lock()
	defer f.mu.Unlock()

	own := f.scopes[scope]
	if own == nil {
		own = &feed{
			lister: f.lister, scope: scope, wake: make(chan struct{}, 1),
			asking: map[*asker]bool{}, served: map[*asker]bool{},
		}
		f.scopes[scope] = own
	}
	return own
}

// reading is the pending list as it was read once.
type reading struct {
	began      time.Time
	byIdentity map[string][]client.PendingRecord
	unassigned []client.PendingRecord
	gap        string
	err        error
}

// about returns what the reading shows of a person.
func (r *reading) about(identity string) sight {
	return sight{began: r.began, records: r.byIdentity[identity], unassigned: r.unassigned, gap: r.gap}
}

// feed reads the pending list of one scope for all who wait in this process. Who
// asks while a reading is under way gets the next one: a reading that began before a
// request was submitted proves nothing about it.
type feed struct {
	lister lister
	scope  client.Scope
	wake   chan struct{} // somebody came or went

	mu      sync.Mutex
	asking  map[*asker]bool // for the next reading
	served  map[*asker]bool // by the reading that is under way
	running bool
	latest  *reading
	last    time.Time // beginning of the latest reading
	abandon context.CancelFunc
}

type asker struct {
	since   time.Time // when it began to wait, over all its readings
	reading chan *reading
}

// reading returns one that began at the time after, or later. It waits for the next
// one unless the latest will do.
func (f *feed) reading(ctx context.Context, after, since time.Time) (*reading, error) {
	f.mu.Lock()
	latest := f.latest
	f.mu.Unlock()
	if latest != nil && latest.err == nil && latest.began.After(after) {
		return latest, nil
	}

	a := &asker{since: since, reading: make(chan *reading, 1)}
	f.join(ctx, a)
	select {
	case r := <-a.reading:
		return r, r.err
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
		// A reading serves others too, so it does not end with the one who came first.
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

// run reads as long as somebody asks.
func (f *feed) run(ctx context.Context) {
	for {
		wait, idle := f.untilNext()
		if idle {
			return
		}
		if wait <= 0 {
			f.read(ctx)
			continue
		}

		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-f.wake:
		}
		timer.Stop()
	}
}

// untilNext returns how long to wait for the next reading, or that nobody asks.
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

// pollInterval grows with the youngest waiter's time; up to a tenth is added at
// random.
func pollInterval(waited time.Duration) time.Duration {
	interval := min(max(waited/10, pollFloor), pollCeiling)
	return interval + rand.N(interval/10) //nolint:gosec // spreading load needs no secrecy
}

// read reads the list once and hands it to everybody who asked before it began.
func (f *feed) read(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	f.mu.Lock()
	f.served, f.asking = f.asking, map[*asker]bool{}
	f.last, f.abandon = time.Now(), cancel
	f.mu.Unlock()

	r := f.list(ctx)

	f.mu.Lock()
	defer f.mu.Unlock()
	for a := range f.served {
		a.reading <- r // never waits: each asker has room for one
	}
	f.served, f.abandon, f.latest = map[*asker]bool{}, nil, r
}

func (f *feed) list(ctx context.Context) (r *reading) {
	began := time.Now()
	defer func() {
		// A panic in here would end the process with every resource in flight.
		if recover() != nil {
			r = &reading{began: began, err: client.DeferredError("", f.scope, client.ClassInternal, "reading the pending list ended in a panic")}
		}
	}()

	list, err := f.lister.ListPending(ctx, f.scope)
	r = &reading{began: began, byIdentity: map[string][]client.PendingRecord{}, gap: list.Gap, err: err}
	for _, record := range list.Records {
		identity, known := record.Identity.Get()
		if !known {
			r.unassigned = append(r.unassigned, record)
			continue
		}
		r.byIdentity[identity] = append(r.byIdentity[identity], record)
	}
	return r
}
