// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// Consents holds the evidence of a run about the people whose consent its objects keep, write
// and withdraw. It judges nothing: package choice does.
//
// A run is one process of the provider. Terraform starts one for each provider block, and
// others for the plan and for the apply, and none of them knows of the others. It creates
// objects before, while and after it destroys others, and passes nothing from one to the
// next: without this evidence, a renamed object would withdraw what its successor has written.
//
// The zero value is ready to use, and safe for concurrent use. A person takes about 80 bytes,
// regardless of the length of the identity.
type Consents struct {
	mu      sync.Mutex
	people  map[[16]byte]traces
	spelled map[[16]byte][16]byte // people by the identity in lower case, of identities that have others
	reread  time.Time             // when a second reading may take place; zero before the first contradiction
}

// traces are what is known about a person.
type traces struct {
	keeper     *Object          // looks after the person; the first one that does
	rests      *Object          // has nothing to write about the person, by the plan
	withdrawer *Object          // withdraws the person, by the plan
	last       choice.Confirmed // the last write or withdrawal that the service has confirmed
	isSeen     bool             // the service has shown a record
}

// Keep records that an object looks after a person, from before its first request on. It returns
// the other object of this run that does, or nil.
func (c *Consents) Keep(by *Object, p client.Person) (other *Object) {
	c.change(p, func(t *traces) {
		if t.keeper == nil {
			t.keeper = by
		}
		other = t.keeper.unless(by)
	})

	return other
}

// Keeper returns the object that looks after a person, if it is another one than by, which may be
// nil. Called while the person is held, it knows of every write before.
func (c *Consents) Keeper(by *Object, p client.Person) (other *Object) {
	return c.of(p).keeper.unless(by)
}

// PlanRest records that an object has nothing to write about a person in the apply of a plan. It
// returns the other object that withdraws the person by the plan, or nil.
func (c *Consents) PlanRest(by *Object, p client.Person) (withdrawer *Object) {
	c.change(p, func(t *traces) {
		t.rests = by
		withdrawer = t.withdrawer.unless(by)
	})

	return withdrawer
}

// PlanWithdrawal records that a plan destroys an object that withdraws a person. It returns the
// other object that keeps the person and has nothing to write, or nil.
func (c *Consents) PlanWithdrawal(by *Object, p client.Person) (resting *Object) {
	c.change(p, func(t *traces) {
		t.withdrawer = by
		resting = t.rests.unless(by)
	})

	return resting
}

// Confirm records what a confirmed write or withdrawal has left. It is called while the person is
// held.
func (c *Consents) Confirm(p client.Person, last choice.Confirmed) {
	c.change(p, func(t *traces) { t.last, t.isSeen = last, true })
}

// See records that the service has shown a record of a person.
func (c *Consents) See(p client.Person) {
	c.change(p, func(t *traces) { t.isSeen = true })
}

// Evidence returns the last confirmed write of this run, and whether a record was seen or written.
func (c *Consents) Evidence(p client.Person) (last choice.Confirmed, isSeen bool) {
	t := c.of(p)
	return t.last, t.isSeen
}

// IsSpelledTwice records an identity. It reports whether the run has another one that differs only
// by the case of letters.
func (c *Consents) IsSpelledTwice(p client.Person) bool {
	own := keyOf(p)
	p.Identity = strings.ToLower(p.Identity)
	lower := keyOf(p)

	c.mu.Lock()
	defer c.mu.Unlock()

	if c.spelled == nil {
		c.spelled = map[[16]byte][16]byte{}
	}
	first, isKnown := c.spelled[lower]
	if !isKnown {
		c.spelled[lower] = own
	}

	return isKnown && first != own
}

// WaitToReread waits until what contradicts the evidence may be read a second time: a lag after the
// first contradiction of this run, so that all objects share one pause.
func (c *Consents) WaitToReread(ctx context.Context, lag time.Duration) error {
	c.mu.Lock()
	if c.reread.IsZero() {
		c.reread = time.Now().Add(lag)
	}
	at := c.reread
	c.mu.Unlock()

	return transport.Pause(ctx, time.Until(at))
}

func (c *Consents) of(p client.Person) traces {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.people[keyOf(p)]
}

func (c *Consents) change(p client.Person, change func(*traces)) {
	c.mu.Lock()
	defer c.mu.Unlock()

	if c.people == nil {
		c.people = map[[16]byte]traces{}
	}

	t := c.people[keyOf(p)]
	change(&t)
	c.people[keyOf(p)] = t
}
