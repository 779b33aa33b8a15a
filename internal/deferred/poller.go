// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// While somebody waits, the pending list is read at most once in pollFloor. It is read
// less often the longer the youngest waiter has waited, down to once in pollCeiling, and
// at random offsets from other processes.
const (
	pollFloor   = time.Second
	pollCeiling = 30 * time.Second
)

// lister reads the pending list of a scope.
type lister interface {
	ListPending(ctx context.Context, scope client.Scope) (answer.PendingList, error)
}

// pollers is a watcher with one poller for each scope.
type pollers struct {
	lister lister

	mu     sync.Mutex
	scopes map[client.Scope]*poller
}

func (p *pollers) look(ctx context.Context, about person, after, since time.Time) (view, error) {
	l, err := p.of(about.scope).await(ctx, after, since)
	if err != nil {
		return view{}, err
	}
	return l.about(about.identity), nil
}

func (p *pollers) of(scope client.Scope) *poller {
	p.mu.Lock()
	defer p.mu.Unlock()

	own := p.scopes[scope]
	if own == nil {
		own = &poller{lister: p.lister, scope: scope, changed: make(chan struct{})}
		p.scopes[scope] = own
	}

	return own
}

// listing is the pending list as it was read once.
type listing struct {
	began, ended time.Time              // when reading it did
	all          []answer.PendingRecord // about any person
	gap          string                 // why it cannot be read completely; empty if it can
	err          error
	// cached and date are as in answer.PendingList.
	cached bool
	date   time.Time
}

// about returns what the listing shows of a person.
func (l *listing) about(identity string) view {
	v := view{listing: *l}
	key := answer.PersonKey(identity)
	for _, record := range l.all {
		named, known := record.Identity.Get()
		switch {
		case !known || named != identity && strings.Contains(answer.PersonKey(named), key) && answer.PersonKey(named) != key:
			v.unassigned = append(v.unassigned, record)
		case named == identity:
			v.records = append(v.records, record)
		case answer.PersonKey(named) == key:
			v.respelled = append(v.respelled, record)
		}
	}

	return v
}

// poller reads the pending list of one scope for all who wait in this process. One of those
// who wait begins to read, once the interval is over, and all share what is read. A listing
// that began before a request was submitted proves nothing about it.
type poller struct {
	lister lister
	scope  client.Scope

	mu      sync.Mutex
	reading *reading      // nil if nobody reads
	changed chan struct{} // is closed when a reading begins or ends
	latest  *listing      // the latest that was read successfully; nil if there is none
	last    time.Time     // when the latest reading began
}

// reading is the list while it is being read.
type reading struct {
	began   time.Time
	waiting int // for it
	abandon context.CancelFunc
	done    chan struct{}
	listing *listing // once done is closed
}

// await returns a listing that began later than the time after. since is when the caller began
// to wait, over all its listings.
func (p *poller) await(ctx context.Context, after, since time.Time) (*listing, error) {
	for {
		p.mu.Lock()
		if latest := p.latest; latest != nil && latest.began.After(after) {
			p.mu.Unlock()
			return latest, nil
		}

		delay := time.Until(p.last.Add(pollInterval(time.Since(since))))
		if p.reading == nil && delay <= 0 {
			p.begin(ctx)
		}
		current, changed := p.reading, p.changed
		joins := current != nil && !current.began.Before(after)
		if joins {
			current.waiting++
		}
		p.mu.Unlock()

		if joins {
			return p.join(ctx, current)
		}

		var interval <-chan time.Time
		if current == nil {
			interval = time.After(delay)
		}

		select {
		case <-interval:
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// join waits for a reading. It is abandoned when nobody waits for it any more.
func (p *poller) join(ctx context.Context, r *reading) (*listing, error) {
	select {
	case <-r.done:
		return r.listing, r.listing.err
	case <-ctx.Done():
	}

	p.mu.Lock()
	defer p.mu.Unlock()

	r.waiting--
	if r.waiting == 0 && p.reading == r {
		r.abandon()
		p.end(nil)
	}

	return nil, ctx.Err()
}

// begin begins to read. The caller holds the lock.
func (p *poller) begin(ctx context.Context) {
	// A listing serves others too, so its reading does not end with the first waiter.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := &reading{began: time.Now(), abandon: cancel, done: make(chan struct{})}
	p.reading, p.last = r, r.began
	p.announce()

	go func() {
		defer cancel()
		r.listing = p.read(ctx, r.began)

		// Nobody who has seen the listing may join its reading.
		p.mu.Lock()
		defer p.mu.Unlock()
		close(r.done)
		if p.reading == r {
			p.end(r.listing)
		}
	}()
}

// end ends the reading, with what was read if it was not abandoned. The caller holds the lock.
func (p *poller) end(l *listing) {
	if l != nil && l.err == nil {
		p.latest = l
	}
	p.reading = nil
	p.announce()
}

// announce wakes all who wait. The caller holds the lock.
func (p *poller) announce() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// pollInterval returns the interval between polls. It grows with how long the youngest
// waiter has waited; up to a tenth is added at random.
func pollInterval(waited time.Duration) time.Duration {
	interval := min(max(waited/10, pollFloor), pollCeiling)
	return interval + rand.N(interval/10) //nolint:gosec // spreading load needs no secrecy
}

func (p *poller) read(ctx context.Context, began time.Time) (l *listing) {
	defer func() {
		// A panic in here would end the process with every resource in flight.
		if recover() != nil {
			l = &listing{began: began, err: client.DeferredError("", p.scope, transport.ClassInternal, "reading the pending list ended in a panic")}
		}
	}()

	list, err := p.lister.ListPending(ctx, p.scope)

	return &listing{began: began, ended: time.Now(), all: list.Records, gap: list.Gap, err: err, cached: list.Cached, date: list.Date}
}
