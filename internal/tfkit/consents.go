// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"cmp"
	"context"
	"slices"
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
// The zero value is ready to use, and safe for concurrent use.
type Consents struct {
	Claims

	contradicted sync.Once
	reread       time.Time // when a second reading may take place, after the first contradiction
}

// What is said of people, and of whom two objects disagree about, or may. The detail is completed by the rows
// of a batch, and by the other objects, each on a line of its own.
var (
	RetainedConsent = Problem{
		Summary: "The consent stays at the service",
		Detail:  "Destroying this resource only removes it from state: on_destroy is \"retain\". To withdraw the consent as well, apply on_destroy = \"withdraw\" first and destroy then.",
	}
	// MissingConsent is the same for each person, so that Terraform counts equal warnings.
	MissingConsent = Problem{
		Summary: "A consent record is missing",
		Detail:  "Two readings show no consent record, although Terraform knows of one and nothing can remove it. The resource leaves state; nothing was withdrawn.",
		Do:      "look at the service for a consent that is still there. If it has lost the record, an apply writes a first one. If readings lag, raise wire.lag, and import the person or apply the file again.",
	}
	SharedConsent = Problem{
		Summary: "Two resources manage the consent of one person",
		Detail:  "Where they differ, each apply undoes the other one, and the plan never stays empty. The other one is:",
		Do:      "keep one of them and take the other one, or its rows, out of the configuration, with on_destroy = \"retain\" applied first.",
	}
	KeptConsent = Problem{
		Summary: "Another resource keeps the consent to be withdrawn",
		Detail:  "The plan destroys a resource with on_destroy = \"withdraw\", and leaves another one of the same person as it is. The consent would be withdrawn, and the next plan would give it again. The other one is:",
		Do:      "keep the first resource in the configuration, apply on_destroy = \"retain\", and remove it then. If the plan calls it deposed, both have one address, after an interrupted replacement: take that out of state, and import the person again.\n\n    terraform state rm ADDRESS\n    terraform import ADDRESS ID\n\nTo withdraw the consent, set the five clauses of the other resource to false, or remove both.",
	}
	SupersededWithdrawal = Problem{
		Summary: "Not withdrawn, another resource writes it",
		Detail:  "Another resource of the run writes the consent of the same person, so it was not withdrawn. Terraform forgets the destroyed resource only. The other one is:",
		Do:      "nothing, if the resource was renamed; a moved block avoids the replacement. To withdraw the consent, set the five clauses of the other resource to false.",
	}
	SpelledTwice = Problem{
		Summary: "Two identities differ by case only",
		Detail:  "Another identity_id of the plan differs by the case of letters only. If the service takes the two for one person, they overwrite and withdraw each other's consent.",
		Do:      "nothing, if they are two people. Otherwise take one of them out of the configuration, with on_destroy = \"retain\" applied first.",
	}
)

// With returns the problem with more detail.
func (p Problem) With(detail string) Problem {
	p.Detail += detail
	return p
}

// ConsentCase is the consent of one person: the evidence, and what was judged and done.
type ConsentCase struct {
	choice.Evidence

	Person client.Person
	Object *Object // that withdraws; nil for any other action

	Verdict choice.Verdict
	Act     choice.Act
	Written choice.Confirmed // zero if nothing was written
	Keeper  *Object          // of a withdrawal, another object that looks after the person; nil if there is none

	known *person
}

// JudgeConsent judges what the service holds. A write or a withdrawal is judged right before it leaves, and sent
// if the act is to send. What was written is remembered before another object of the run can judge. Errors are
// *transport.Error, and client.ErrCached and client.ErrGone of an act to refuse.
func (s *Service) JudgeConsent(ctx context.Context, c *ConsentCase) error {
	found, _ := s.Consents.people.LoadOrStore(c.Person, &person{})
	c.known, _ = found.(*person)
	if !slices.Contains([]choice.Action{choice.Write, choice.Withdraw}, c.Action) {
		read, err := s.Client.ReadConsent(ctx, c.Person)
		if err != nil && !read.IsNone {
			return err
		}
		return s.judge(c, read)
	}

	release, err := s.Client.Consents.Hold(ctx, c.Person)
	if err != nil {
		return err
	}
	defer release()

	var refusal error
	c.Act = choice.Send // unless a reading says otherwise
	result, err := s.Client.UpdateConsent(ctx, c.Person, client.ConsentWrite{
		Record: c.Wanted,
		Judge: func(read choice.Reading) bool {
			refusal = s.judge(c, read)
			return c.Act == choice.Send
		},
		Blind: c.Overrules && c.Anew,
		Shows: c.Anew || c.Action == choice.Withdraw,
	})
	if err != nil || !result.Sent {
		return cmp.Or(err, refusal)
	}

	c.Written = choice.Confirmed{Sent: c.Wanted.Print(), Shown: result.Shown}
	c.known.mu.Lock()
	defer c.known.mu.Unlock()
	c.known.isSeen, c.known.last = true, c.Written

	return nil
}

// judge completes the evidence by a reading and by what the run knows, and judges it.
func (s *Service) judge(c *ConsentCase, read choice.Reading) error {
	if c.Action == choice.Withdraw {
		c.Keeper = s.Consents.Keeper(c.Object, c.Person)
		c.Taken = c.Keeper != nil
	}
	c.known.mu.Lock()
	c.Reading, c.Keeping, c.Last = read, s.Client.Keeping, cmp.Or(c.known.last, c.Last)
	e := c.Evidence
	e.Known = e.Known || c.known.isSeen
	c.known.isSeen = c.known.isSeen || !read.IsNone
	c.known.mu.Unlock()

	c.Verdict, c.Act = choice.Judge(e)
	switch {
	case c.Act != choice.Refuse:
		return nil
	case read.Cached:
		return client.ErrCached
	}

	return client.ErrGone
}

// IsSeen reports whether this run has seen or written a record of a person.
func (c *Consents) IsSeen(p client.Person) bool {
	found, _ := c.people.LoadOrStore(p, &person{})
	known, _ := found.(*person)
	known.mu.Lock()
	defer known.mu.Unlock()

	return known.isSeen
}

// IsSpelledTwice records an identity. It reports whether the run has another one that differs only by the
// case of letters.
func (c *Consents) IsSpelledTwice(p client.Person) bool {
	own := p.Identity
	p.Identity = strings.ToLower(own)
	found, _ := c.people.LoadOrStore(p, &person{})
	known, _ := found.(*person)
	known.mu.Lock()
	defer known.mu.Unlock()

	known.spelled = cmp.Or(known.spelled, own)

	return known.spelled != own
}

// WaitToReread waits until what contradicts the evidence may be read a second time: a lag after the
// first contradiction of this run, so that all objects share one pause.
func (c *Consents) WaitToReread(ctx context.Context, lag time.Duration) error {
	c.contradicted.Do(func() { c.reread = time.Now().Add(lag) })
	return transport.Pause(ctx, time.Until(c.reread))
}
