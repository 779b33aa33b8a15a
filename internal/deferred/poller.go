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

func newPollers(l lister) *pollers {
	return &pollers{lister: l, scopes: map[client.Scope]*poller{}}
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
		own = &poller{
			lister: p.lister, scope: scope, wake: make(chan struct{}, 1),
			waiting: map[*waiter]bool{}, served: map[*waiter]bool{},
		}
		p.scopes[scope] = own
	}

	return own
}

// listing is the pending list as it was read once.
type listing struct {
	began, ended time.Time
	all          []answer.PendingRecord
	gap          string
	err          error
	// cached and date are as in answer.PendingList.
	cached bool
	date   time.Time
}

// about returns what the listing shows of a person.
func (l *listing) about(identity string) view {
	v := view{began: l.began, ended: l.ended, all: l.all, gap: l.gap, cached: l.cached, date: l.date}
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

// isUsable reports whether the listing was read successfully, later than a time. A nil
// listing is not usable.
func (l *listing) isUsable(after time.Time) bool {
	return l != nil && l.err == nil && l.began.After(after)
}

// poller reads the pending list of one scope for all who wait in this process. Those who
// arrive while the list is being read share that listing if its reading began late enough for
// them, and otherwise get the next one: a listing that began before a request was submitted
// proves nothing about it.
type poller struct {
	lister lister
	scope  client.Scope
	wake   chan struct{} // somebody came or went

	mu      sync.Mutex
	waiting map[*waiter]bool // for the next listing
	served  map[*waiter]bool // by the listing that is being read
	running bool
	latest  *listing
	last    time.Time // when reading the latest listing began
	abandon context.CancelFunc
}

// waiter waits for one listing.
type waiter struct {
	after   time.Time // its listing begins later
	since   time.Time // when the caller began to wait, over all its listings
	listing chan *listing
}

// await returns a listing that began later than the time after. It waits for the next
// one unless the latest will do.
func (p *poller) await(ctx context.Context, after, since time.Time) (*listing, error) {
	p.mu.Lock()
	latest := p.latest
	p.mu.Unlock()

	if latest.isUsable(after) {
		return latest, nil
	}

	w := &waiter{after: after, since: since, listing: make(chan *listing, 1)}
	p.add(ctx, w)

	select {
	case l := <-w.listing:
		return l, l.err
	case <-ctx.Done():
		p.remove(w)
		return nil, ctx.Err()
	}
}

func (p *poller) add(ctx context.Context, w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()

	if p.abandon != nil && p.last.After(w.after) {
		p.served[w] = true
		return
	}

	p.waiting[w] = true
	if !p.running {
		p.running = true
		// A listing serves others too, so its reading does not end with the first waiter.
		go p.run(context.WithoutCancel(ctx))
	}
	p.signal()
}

func (p *poller) remove(w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()

	delete(p.waiting, w)
	delete(p.served, w)
	if len(p.served) == 0 && p.abandon != nil {
		p.abandon()
	}
	p.signal()
}

func (p *poller) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// run polls as long as somebody waits.
func (p *poller) run(ctx context.Context) {
	for {
		delay, idle := p.untilNext()
		if idle {
			return
		}

		if delay > 0 {
			p.sleep(delay)
		} else {
			p.poll(ctx)
		}
	}
}

// sleep returns after a delay, or earlier if somebody comes or goes.
func (p *poller) sleep(delay time.Duration) {
	timer := time.NewTimer(delay)
	defer timer.Stop()

	select {
	case <-timer.C:
	case <-p.wake:
	}
}

// untilNext returns how long to wait before polling; idle reports that nobody waits.
func (p *poller) untilNext() (delay time.Duration, idle bool) {
	p.mu.Lock()
	defer p.mu.Unlock()

	if len(p.waiting) == 0 {
		p.running = false
		return 0, true
	}

	youngest := time.Time{}
	for w := range p.waiting {
		if w.since.After(youngest) {
			youngest = w.since
		}
	}

	return time.Until(p.last.Add(pollInterval(time.Since(youngest)))), false
}

// pollInterval returns the interval between polls. It grows with how long the youngest
// waiter has waited; up to a tenth is added at random.
func pollInterval(waited time.Duration) time.Duration {
	interval := min(max(waited/10, pollFloor), pollCeiling)
	return interval + rand.N(interval/10) //nolint:gosec // spreading load needs no secrecy
}

// poll reads the list once and hands it to everybody who was waiting before.
func (p *poller) poll(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	p.mu.Lock()
	p.served, p.waiting = p.waiting, map[*waiter]bool{}
	p.last, p.abandon = time.Now(), cancel
	p.mu.Unlock()

	l := p.read(ctx)

	p.mu.Lock()
	defer p.mu.Unlock()

	for w := range p.served {
		w.listing <- l // does not block: each waiter has room for one
	}

	p.served, p.abandon, p.latest = map[*waiter]bool{}, nil, l
}

func (p *poller) read(ctx context.Context) (l *listing) {
	began := time.Now()
	defer func() {
		// A panic in here would end the process with every resource in flight.
		if recover() != nil {
			l = &listing{began: began, err: client.DeferredError("", p.scope, transport.ClassInternal, "reading the pending list ended in a panic")}
		}
	}()

	list, err := p.lister.ListPending(ctx, p.scope)

	return &listing{began: began, ended: time.Now(), all: list.Records, gap: list.Gap, err: err, cached: list.Cached, date: list.Date}
}
