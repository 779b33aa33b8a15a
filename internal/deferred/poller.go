// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
)

// While somebody waits, the pending list is read at most once in pollFloor. It is read less often the longer the
// youngest waiter has waited, down to once in pollCeiling, and at random offsets from other processes.
const (
	pollFloor   = time.Second
	pollCeiling = 30 * time.Second
)

type listFunc func(ctx context.Context, scope client.Scope) (decode.PendingList, error)

type pollers struct {
	list listFunc
	use  string // of the list, as wire.pending.use has it

	mu     sync.Mutex
	scopes map[client.Scope]*poller
}

// snapshot is a readFunc. The longer the caller has waited, the less often it reads; a tenth is added at random.
func (p *pollers) snapshot(ctx context.Context, about client.Person, after, since time.Time) (proof.Snapshot, error) {
	interval := min(max(time.Since(since)/10, pollFloor), pollCeiling)
	interval += rand.N(interval / 10) //nolint:gosec // spreading load needs no secrecy

	p.mu.Lock()
	own := p.scopes[about.Scope]
	if own == nil {
		own = &poller{pollers: p, scope: about.Scope, turn: make(chan struct{}, 1)}
		p.scopes[about.Scope] = own
	}
	p.mu.Unlock()

	for {
		select {
		case own.turn <- struct{}{}:
		case <-ctx.Done():
			return proof.Snapshot{}, client.DeferredError("", transport.ClassCancelled, "the run was interrupted or its time was up")
		}
		latest, isNew := own.take(ctx, after, interval)
		<-own.turn

		if isNew {
			return latest.About(about.Identity), latest.err
		}
		_ = transport.Pause(ctx, time.Until(latest.Ended.Add(interval))) // the next select shows that the context has ended
	}
}

// poller is what all who wait in one scope share. Who holds the turn reads the list or takes
// what was read last; the others wait for the turn.
type poller struct {
	*pollers

	scope  client.Scope
	turn   chan struct{} // holds one value while somebody has the turn
	latest outcome       // of the latest reading that did not end with its reader
}

type outcome struct {
	proof.Listing

	err error
}

// take returns the latest reading of the list, and whether it is new: it began later than the time after. If the
// interval since it is over, and it is not new or a failure, take reads the list. That ends with the context, but does
// not give up early for its deadline, since a failure is that of others too. A panic is an error, so that waiting
// objects stay in state.
func (p *poller) take(ctx context.Context, after time.Time, interval time.Duration) (latest outcome, isNew bool) {
	isNew = p.latest.Began.After(after)
	isUsable := isNew && p.latest.err == nil
	if isUsable || time.Since(p.latest.Ended) < interval {
		return p.latest, isNew
	}

	began := time.Now()
	var list decode.PendingList
	defer func() {
		if recover() != nil {
			latest.err = client.DeferredError("", transport.ClassInternal, "reading the pending list ended in a panic")
		}
		latest.Listing, isNew = proof.NewListing(began, time.Now(), list), true
		if ctx.Err() == nil { // else it may have ended with the context
			p.latest = latest
		}
	}()

	reading, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	defer context.AfterFunc(ctx, end)()

	if p.use != client.ListIgnored {
		list, latest.err = p.list(reading, p.scope)
	}
	if p.use == client.ListPartial {
		list.Gap = ""
	}

	return latest, true
}
