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

// isAfter reports whether the listing is later than at by a lag. At may be of the clock of another
// machine, so the service's dates have to agree, where date, that of at, and the listing's are
// known. They are to the second.
func (l listing) isAfter(at, date time.Time, lag time.Duration) bool {
	isDated := !date.IsZero() && !l.date.IsZero()
	return l.began.Sub(at) >= lag && (!isDated || l.date.Add(2*time.Second).Sub(date) >= lag)
}

// about returns what the listing shows of a person.
func (l listing) about(identity string) view {
	v := view{listing: l}
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

// poller is what all who wait in one scope share. Who holds the turn reads the list or takes
// what was read last; the others wait for the turn.
type poller struct {
	turn   chan struct{} // holds one value while somebody has the turn
	last   time.Time     // when the latest reading began
	latest listing       // the latest that was read to its end
}

func (p *pollers) look(ctx context.Context, about client.Person, after, since time.Time) (view, error) {
	p.mu.Lock()
	own := p.scopes[about.Scope]
	if own == nil {
		own = &poller{turn: make(chan struct{}, 1)}
		p.scopes[about.Scope] = own
	}
	p.mu.Unlock()

	came := time.Now()
	interval := pollInterval(came.Sub(since))
	for {
		select {
		case own.turn <- struct{}{}:
		case <-ctx.Done():
			return view{}, ctx.Err()
		}

		// A failure is that of all who waited meanwhile, and not of those who come later.
		due, latest := own.last.Add(interval), own.latest
		isNew := latest.began.After(after) && (latest.err == nil || latest.ended.After(came))
		if !isNew && !time.Now().Before(due) {
			latest, isNew = p.read(ctx, about.Scope), true
			own.last = latest.began
			if ctx.Err() == nil { // else it may have ended with the context
				own.latest = latest
			}
		}
		<-own.turn

		if isNew {
			return latest.about(about.Identity), latest.err
		}
		if err := transport.Pause(ctx, time.Until(due)); err != nil {
			return view{}, err
		}
	}
}

// pollInterval returns the interval between polls. It grows with how long the youngest
// waiter has waited; up to a tenth is added at random.
func pollInterval(waited time.Duration) time.Duration {
	interval := min(max(waited/10, pollFloor), pollCeiling)
	return interval + rand.N(interval/10) //nolint:gosec // spreading load needs no secrecy
}

// read reads the list. It ends with the context of the reader, but does not give up early for its
// deadline, since a failure is that of others too. A panic is an error, which leaves the objects
// that wait in state.
func (p *pollers) read(ctx context.Context, scope client.Scope) (l listing) {
	l.began = time.Now()
	defer func() {
		if recover() != nil {
			l.ended, l.err = time.Now(), client.DeferredError("", scope, transport.ClassInternal, "reading the pending list ended in a panic")
		}
	}()

	reading, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	defer context.AfterFunc(ctx, end)()

	list, err := p.lister.ListPending(reading, scope)

	return listing{began: l.began, ended: time.Now(), all: list.Records, gap: list.Gap, err: err, cached: list.Cached, date: list.Date}
}
