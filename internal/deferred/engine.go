// SPDX-License-Identifier: MPL-2.0

// Package deferred carries out the requests that the service accepts now and fulfils later: deleting a person's data,
// handing it out, and updating a profile (interface, section 4). None of them can be cancelled.
//
// What readings prove, and what follows, is decided by package proof, in one table. This package
// reads (engine.go, and poller.go for all who wait) and sends (submit.go). A Submission outlives the
// process as JSON. The package knows no Terraform types, and a Request brings the functions that send.
//
// After a lost answer, a redirect or a conflict, the service may have accepted the request. If the list has
// had time to show it and has not, it is sent again only if repeating it does no harm, or the user has asked
// for it since; otherwise the caller gets an error of transport.ClassUnknownOutcome, and a Submission from
// which the next call continues.
package deferred

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
)

// Engine carries out deferred requests. It is safe for concurrent use. Submissions about
// one person in one scope are carried out one after the other.
type Engine struct {
	people *client.PersonLocks
	read   readFunc
	rules  proof.Rules

	mu sync.Mutex
	// known is what this process has submitted or read from state. The pending list alone cannot tell whether a
	// request was sent before, because it does not show fulfilled ones.
	known map[client.Person][]proof.Submission
}

// readFunc returns what a listing that began later than the time after shows of a person. since is when the caller
// began to wait, over all its polls. Errors are *transport.Error.
type readFunc func(ctx context.Context, about client.Person, after, since time.Time) (proof.Snapshot, error)

// NewEngine returns an engine for the service that a client calls.
func NewEngine(c *client.Client) *Engine {
	shared := &pollers{list: c.ListPending, use: c.ListUse, scopes: map[client.Scope]*poller{}}

	return &Engine{
		people: &c.Requests, read: shared.snapshot, known: map[client.Person][]proof.Submission{},
		rules: proof.Rules{Lag: c.Lag, Partial: c.ListUse != client.ListWhole},
	}
}

// execution is one call of the engine about a submission.
type execution struct {
	*Engine

	request  Request
	current  proof.Submission
	observed Observed
	began    time.Time

	mayRepeat bool // the request may be sent once more if nothing shows that it has arrived
	snapshot  proof.Snapshot
	lost      *transport.Error // of the answer that was lost
}

// poll reads the service while the submission is in one of some states, and while its answer may be the data, until
// nothing can show any more or the time is over. The error is that of the last complete reading.
func (x *execution) poll(ctx context.Context, limit time.Duration, in ...proof.State) (proof.Action, error) {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	var last error
	for x.observed.Delivered || slices.Contains(in, x.current.State) {
		action, err := x.observe(bounded, time.Now())
		if bounded.Err() != nil {
			return proof.ReadAgain, last
		}
		if transport.Lasts(err) || action != proof.ReadAgain {
			return action, err
		}
		last = err
	}

	return proof.End, nil
}

// observe reads a listing that began after a time and, if that does not decide, the effect. It enters the state
// that follows. An error means that nothing was seen.
func (x *execution) observe(ctx context.Context, after time.Time) (proof.Action, error) {
	seen, err := x.read(ctx, x.request.Person, after, x.began)
	if err != nil {
		return proof.ReadAgain, err
	}

	s := &x.current
	list, gap := s.Evaluate(seen, x.rules)
	x.snapshot = seen
	if isGone := slices.Contains([]proof.List{proof.Absent, proof.AbsentTwice}, list); !isGone {
		x.observed.Gap = gap // else it is what the list did not tell before
	}

	var effect Reading
	switch list {
	case proof.Waiting:
		x.observed.Delivered = false // what the service answers while it works on the request is not the data
	case proof.Absent, proof.AbsentTwice, proof.Over:
		effect, err = x.readEffect(ctx, list)
	}
	verdict := s.Conclude(list, effect.Effect, time.Now())
	x.observed.Unproven = verdict.State == proof.Accepted && list == proof.AbsentTwice

	return verdict.Action, err
}

// readEffect returns what the effect shows beside what the list shows. Data at hand are one: it is proven once the list
// has had time to show the request, or at once if an earlier request was carried out.
func (x *execution) readEffect(ctx context.Context, list proof.List) (Reading, error) {
	mayBeListed := list == proof.Absent && !x.request.Ready
	switch {
	case x.observed.Delivered:
		return Reading{Effect: map[bool]proof.Effect{true: proof.Shown, false: proof.Proven}[mayBeListed]}, nil
	case x.request.Effect == nil:
		return Reading{}, nil
	}

	reading, err := x.request.Effect(ctx)
	if err != nil || x.current.IsOlder(reading.Cached, reading.Date) {
		reading.Effect = proof.Unreadable
	}
	reading.Effect = x.current.EvaluateEffect(reading.Effect, x.snapshot.Listing, x.rules)

	return reading, err
}

// Await waits until an accepted request is no longer pending, but no longer than limit
// or until the context ends, or until nothing can show any more that it was carried out. It sends
// nothing. All waits in a scope share the same readings of the pending list.
func (e *Engine) Await(ctx context.Context, r Request, s proof.Submission, limit time.Duration) (proof.Submission, Observed) {
	s.Type = r.Type
	x := &execution{Engine: e, request: r, current: s, began: time.Now()}
	_, err := x.poll(ctx, limit, proof.Accepted, proof.Listed)
	x.current.Interrupted = ctx.Err() != nil
	if !x.current.Interrupted && transport.Lasts(err) {
		x.observed.Err = err
	}
	e.Remember(r, x.current)

	return x.current, x.observed
}

// Refresh looks once at a request that is not known to be fulfilled. Errors are *transport.Error; the Submission is
// then as it was. All refreshes share a listing, unless they have seen it already.
func (e *Engine) Refresh(ctx context.Context, r Request, s proof.Submission) (proof.Submission, Observed, error) {
	if !s.IsOpen() && s.State != proof.Unanswered {
		return s, Observed{}, nil
	}

	before, after := s, s.Seen
	s.Type = r.Type
	x := &execution{Engine: e, request: r, current: s, began: time.Now()}
	if after.After(x.began) { // by the clock of another machine, so that this process reads nothing older
		after = time.Time{}
	}
	if _, err := x.observe(ctx, after); err != nil {
		return before, x.observed, err
	}
	e.Remember(r, x.current)

	return x.current, x.observed, nil
}
