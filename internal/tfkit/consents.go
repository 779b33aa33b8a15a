// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"cmp"
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
// The zero value is ready to use, and safe for concurrent use. A person takes about 100 bytes,
// regardless of the length of the identity.
type Consents struct {
	Claims

	mu      sync.Mutex
	seen    map[personKey]choice.Confirmed // people whose record was shown, and the last write that the service has confirmed
	spelled map[personKey]personKey        // people by the identity in lower case, of identities that have others
	reread  time.Time                      // when a second reading may take place; zero before the first contradiction
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
	Keeper  *Object          // of a withdrawal, another object that looks after the person; nil if there is none
}

// Do judges what the service holds. A write or a withdrawal is judged right before it leaves, and sent
// if the act is to send. What was written is remembered before another object of the run can judge.
// Errors are *transport.Error, and client.ErrCached and client.ErrGone of an act to refuse.
func (c ConsentCase) Do(ctx context.Context, e choice.Evidence, action choice.Action) (j Judged, err error) {
	if action == choice.Refresh || action == choice.Plan {
		read, err := c.Client.ReadConsent(ctx, c.Person)
		if err != nil && !read.IsNone {
			return Judged{}, err
		}
		return c.judge(e, read, action)
	}

	release, err := c.Client.Consents.Hold(ctx, c.Person)
	if err != nil {
		return Judged{}, err
	}
	defer release()

	var refusal error
	j = Judged{Evidence: e, Verdict: choice.Overruled, Act: choice.Send}
	result, err := c.Client.UpdateConsent(ctx, c.Person, client.ConsentWrite{
		Record: e.Wanted,
		Judge: func(read choice.Reading) bool {
			j, refusal = c.judge(e, read, action)
			return j.Act == choice.Send
		},
		Blind: e.Overrules && e.Anew,
		Shows: e.Anew || e.Withdraws,
	})
	if err != nil {
		return j, err
	}
	if !result.Sent {
		return j, refusal
	}

	j.Last.Sent = e.Wanted.Print()
	if result.Shown != nil {
		j.Last.Shown = choice.PrintOf(*result.Shown)
	}
	c.Consents.remember(c.Person, j.Last)

	return j, nil
}

// judge completes the evidence by a reading and by what the run knows, and judges it.
func (c ConsentCase) judge(e choice.Evidence, read choice.Reading, action choice.Action) (Judged, error) {
	read.Twice = e.Twice
	e.Reading = read
	e.Keeping = c.Client.Keeping

	last, isSeen := c.Consents.lastOf(c.Person)
	e.Known = e.Known || isSeen
	if last != (choice.Confirmed{}) && action != choice.Refresh { // a state is as its own last write was shown
		e.Last = last
	}
	var keeper *Object
	if e.Withdraws {
		keeper = c.Consents.Keeper(c.Object, c.Person)
		e.Taken = keeper != nil
	}

	isRecord := !read.IsNone && !read.Cached
	if isRecord && !isSeen {
		c.Consents.remember(c.Person, choice.Confirmed{})
	}

	verdict := choice.Judge(e)
	j := Judged{Evidence: e, Verdict: verdict, Act: verdict.On(action), Keeper: keeper}

	switch {
	case j.Act != choice.Refuse:
		return j, nil
	case verdict == choice.Unread:
		return j, client.ErrCached
	}

	return j, client.ErrGone
}

// IsSeen reports whether this run has seen or written a record of a person.
func (c *Consents) IsSeen(p client.Person) bool {
	_, isSeen := c.lastOf(p)
	return isSeen
}

// lastOf returns the last write about a person that the service has confirmed in this run, and whether a
// record was seen or written.
func (c *Consents) lastOf(p client.Person) (last choice.Confirmed, isSeen bool) {
	c.mu.Lock()
	defer c.mu.Unlock()

	last, isSeen = c.seen[keyOf(p)]

	return last, isSeen
}

// remember records that the service has shown a record of a person, or confirmed a write unless last is
// zero.
func (c *Consents) remember(p client.Person, last choice.Confirmed) {
	c.mu.Lock()
	defer c.mu.Unlock()

	if c.seen == nil {
		c.seen = map[personKey]choice.Confirmed{}
	}
	c.seen[keyOf(p)] = cmp.Or(last, c.seen[keyOf(p)])
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
			c.spelled = map[personKey]personKey{}
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
