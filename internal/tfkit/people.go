// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// Object identifies one object of the configuration.
type Object struct {
	number uint32
	label  string
}

// String returns what messages call the object.
func (o *Object) String() string { return o.label }

// NewObject returns an object that differs from every other one. The label is its type,
// and what else distinguishes it for a reader. It holds nothing personal.
func NewObject(label string) *Object { return &Object{rand.Uint32(), label} } //nolint:gosec // needs no secrecy

// KeyObject is the key in private state that ObjectIn stores an object's number under. Only a state
// that was written by hand lacks it.
const KeyObject = "object"

// ObjectIn returns the object that private state belongs to. Its number is stored there the
// first time, which is its creation or import: Terraform does not tell a provider the address
// of an object.
func ObjectIn(ctx context.Context, private Private, label string) *Object {
	stored, _ := private.GetKey(ctx, KeyObject)
	if number, err := strconv.ParseUint(string(stored), 10, 32); err == nil {
		return &Object{uint32(number), label}
	}

	o := NewObject(label)
	private.SetKey(ctx, KeyObject, strconv.AppendUint(nil, uint64(o.number), 10)) // a number is always accepted

	return o
}

// People is what a run, one process of the provider, knows of people: whom its objects keep, write and withdraw,
// and what a plan does about them. Terraform creates objects before, while and after it destroys others, and
// passes nothing from one to the next: without this, a renamed object would withdraw what its successor has
// written. NewService makes it. It is safe for concurrent use.
type People struct {
	mu     sync.Mutex
	people map[client.Person]person // a run may concern millions
	reread time.Time                // when a second reading may take place; zero before the first contradiction
}

// person is what a run knows of a person, in about 250 bytes with the identity.
type person struct {
	claims  [numClaims]*Object // the first objects that made each claim
	isSeen  bool               // a record was shown or written
	last    choice.Confirmed   // the last write that the service has confirmed
	spelled string             // the first identity that is this one in lower case
}

// Claim is what an object says of a person.
type Claim int

// The claims.
const (
	Keeps  Claim = iota // looks after the person, whether or not anything is sent
	Done                // takes what was done for done: a plan has nothing to write, or the request was sent
	Undoes              // undoes by the plan what was done, or does it again
	Asks                // says nothing, and asks who keeps the person
	numClaims
)

// opposites has the claim of another object that each one is about.
var opposites = [numClaims]Claim{Keeps: Keeps, Done: Undoes, Undoes: Done, Asks: Keeps}

// Forget removes the claims about a person, because what was planned has been carried out.
func (c *People) Forget(p client.Person) {
	c.mu.Lock()
	defer c.mu.Unlock()

	delete(c.people, p)
}

// Claim records a claim of an object, unless by is nil. It returns another object of this run with the
// opposite claim, or nil.
func (c *People) Claim(by *Object, as Claim, p client.Person) (other *Object) {
	c.mu.Lock()
	defer c.mu.Unlock()

	known := c.people[p]
	other = known.claims[opposites[as]]
	if by != nil {
		known.claims[as] = cmp.Or(known.claims[as], by)
		c.people[p] = known
	}
	if other != nil && by != nil && other.number == by.number {
		return nil
	}

	return other
}

// PartOf returns what stands for a part of what concerns a person, such as one member of the profile, in the claims of a
// run. An identity has no control characters.
func PartOf(p client.Person, part string) client.Person {
	p.Identity += "\n" + part
	return p
}

// What is said of people about whom two objects disagree, or may disagree. The detail is completed by the rows of a
// batch, and by the other objects, each on a line of its own.
var (
	RetainedConsent = Problem{
		Summary: "The consent stays at the service",
		Detail:  "Destroying this resource only removes it from state: on_destroy is \"retain\". To withdraw the consent as well, apply on_destroy = \"withdraw\" first and destroy then.",
	}
	// MissingConsent is the same for each person, so that Terraform counts equal warnings.
	MissingConsent = Problem{
		Summary: "A consent record is missing",
		Detail:  "Two readings show no record, although nothing can remove one. The resource leaves state; a missing record was not withdrawn.",
		Do:      "look at the service for a consent. If it lost the record, an apply writes a first one. If readings lag, raise wire.lag, and import the person or apply the file again.",
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
		Detail:  "Another resource of the run writes the consent of the same person, so it was not withdrawn. The other one is:",
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
}

// JudgeConsent judges what the service holds. A write or a withdrawal is judged right before it leaves, and sent
// if the act is to send. What was written is remembered before another object of the run can judge. Errors are
// *transport.Error, and client.ErrCached and client.ErrMissing of an act to refuse.
func (s *Service) JudgeConsent(ctx context.Context, c *ConsentCase) error {
	if slices.Contains([]choice.Action{choice.Refresh, choice.Plan}, c.Action) {
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
		Blind:    c.Overrules && c.Anew,
		ReadBack: c.Anew || c.Action == choice.Withdraw,
	})
	if err != nil || !result.Sent {
		return cmp.Or(err, refusal)
	}

	c.Written = choice.Confirmed{Sent: c.Wanted.Print(), Shown: result.Shown}
	s.Consents.mu.Lock()
	defer s.Consents.mu.Unlock()

	known := s.Consents.people[c.Person]
	known.isSeen, known.last = true, c.Written
	s.Consents.people[c.Person] = known

	return nil
}

// judge completes the evidence by a reading and by what the run knows, and judges it.
func (s *Service) judge(c *ConsentCase, read choice.Reading) error {
	if c.Action == choice.Withdraw {
		c.Keeper = s.Consents.Claim(c.Object, Asks, c.Person)
		c.Taken = c.Keeper != nil
	}

	s.Consents.mu.Lock()
	known := s.Consents.people[c.Person]
	c.Reading, c.Keeping, c.Last = read, s.Client.Keeping, cmp.Or(known.last, c.Last)
	e := c.Evidence
	e.Known = e.Known || known.isSeen
	known.isSeen = known.isSeen || !read.IsNone
	s.Consents.people[c.Person] = known
	s.Consents.mu.Unlock()

	c.Verdict, c.Act = choice.Judge(e)
	switch {
	case c.Act != choice.Refuse:
		return nil
	case read.Cached:
		return client.ErrCached
	}

	return client.ErrMissing
}

// IsSeen reports whether this run has seen or written a record of a person.
func (c *People) IsSeen(p client.Person) bool {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.people[p].isSeen
}

// IsSpelledTwice records an identity. It reports whether the run has another one that differs only by the
// case of letters.
func (c *People) IsSpelledTwice(p client.Person) bool {
	own := p.Identity
	p.Identity = strings.ToLower(own)

	c.mu.Lock()
	defer c.mu.Unlock()

	known := c.people[p]
	known.spelled = cmp.Or(known.spelled, own)
	c.people[p] = known

	return known.spelled != own
}

// WaitToReread waits until what contradicts the evidence may be read a second time: a lag after the
// first contradiction of this run, so that all objects share one pause.
func (c *People) WaitToReread(ctx context.Context, lag time.Duration) error {
	c.mu.Lock()
	c.reread = cmp.Or(c.reread, time.Now().Add(lag))
	pause := time.Until(c.reread)
	c.mu.Unlock()

	return transport.Pause(ctx, pause)
}
