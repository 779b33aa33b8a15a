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

// ConsentCase is the consent of one person, before the service and what the run knows.
type ConsentCase struct {
	*Service

	Person client.Person
	Object *Object // that the case is of; nil in the plan of a create
}

// Judged is a judgement and what follows from it.
type Judged struct {
	choice.Evidence

	Verdict choice.Verdict
	Act     choice.Act
	Last    choice.Confirmed // what was written; zero if nothing was
	Keeper  *Object          // another object that looks after the person; nil if there is none
}

// ErrUnused returns why a reading must not be gone by, if the act is to refuse it.
func (j Judged) ErrUnused() error {
	switch {
	case j.Act != choice.Refuse:
		return nil
	case j.Verdict == choice.Unread:
		return client.ErrCached
	}
	return client.ErrGone
}

// judge completes the evidence by a reading and by what the run knows, and judges it.
func (c ConsentCase) judge(e choice.Evidence, read choice.Reading, action choice.Action) Judged {
	read.Twice = e.Twice
	e.Reading = read
	e.Keeping = c.Client.Keeping()

	last, isSeen := c.Consents.evidence(c.Person)
	e.Known = e.Known || isSeen
	if last != (choice.Confirmed{}) && action != choice.Refresh { // a state is as its own last write was shown
		e.Last = last
	}
	keeper := c.Consents.Keeper(c.Object, c.Person)
	e.Taken = e.Withdraws && keeper != nil

	verdict := choice.Judge(e)
	isRecord := !read.IsNone && !read.Cached
	if isRecord && !isSeen {
		c.Consents.change(c.Person, func(t *traces) { t.isSeen = true })
	}

	return Judged{Evidence: e, Verdict: verdict, Act: verdict.On(action), Keeper: keeper}
}

// Read judges what the service holds. Errors are *transport.Error.
func (c ConsentCase) Read(ctx context.Context, e choice.Evidence, action choice.Action) (Judged, error) {
	read, err := c.Client.ReadConsent(ctx, c.Person)
	if err != nil {
		return Judged{}, err
	}
	return c.judge(e, read, action), nil
}

// Send judges an update right before it leaves, and sends it if nothing stands against it. What was
// written is remembered before another object of the run can judge. shows asks for a reading after
// a write whose answer does not show the record. Errors are *transport.Error.
func (c ConsentCase) Send(ctx context.Context, e choice.Evidence, action choice.Action, shows bool) (Judged, error) {
	release, err := c.Client.HoldConsent(ctx, c.Person)
	if err != nil {
		return Judged{}, err
	}
	defer release()

	j := Judged{Evidence: e, Verdict: choice.Overruled, Act: choice.Send}
	result, err := c.Client.UpdateConsent(ctx, c.Person, client.ConsentWrite{
		ConsentUpdate: e.Wanted,
		Judge: func(read choice.Reading) bool {
			j = c.judge(e, read, action)
			return j.Act == choice.Send
		},
		Blind: e.Overrules && e.Anew,
		Shows: shows,
	})
	if err != nil || !result.Sent {
		return j, err
	}

	j.Last.Sent = e.Wanted.Print()
	if result.Shown != nil {
		j.Last.Shown = choice.PrintOf(*result.Shown)
	}
	c.Consents.change(c.Person, func(t *traces) { t.last, t.isSeen = j.Last, true })

	return j, nil
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

// IsSeen reports whether this run has seen or written a record of a person.
func (c *Consents) IsSeen(p client.Person) bool { return c.of(p).isSeen }

// evidence returns the last confirmed write of this run, and whether a record was seen or written.
func (c *Consents) evidence(p client.Person) (last choice.Confirmed, isSeen bool) {
	t := c.of(p)
	return t.last, t.isSeen
}

// IsSpelledTwice records an identity. It reports whether the run has another one that differs only
// by the case of letters. An identity in lower case is recorded only if it is one of few: there may
// be millions.
func (c *Consents) IsSpelledTwice(p client.Person, isOneOfFew bool) bool {
	own := keyOf(p)
	p.Identity = strings.ToLower(p.Identity)
	lower := keyOf(p)

	c.mu.Lock()
	defer c.mu.Unlock()

	first, isKnown := c.spelled[lower]
	if isKnown {
		return first != own
	}
	if own != lower || isOneOfFew {
		if c.spelled == nil {
			c.spelled = map[[16]byte][16]byte{}
		}
		c.spelled[lower] = own
	}

	return false
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
