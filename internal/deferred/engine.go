// SPDX-License-Identifier: MPL-2.0

// Package deferred carries out the requests that the service accepts now and fulfils
// later: deleting a person's data, handing it out, and updating a profile (interface,
// section 4). None of them can be cancelled.
//
// What readings prove, and what follows, is decided by package proof, in one table. This package
// reads and sends:
//
//   - engine.go submits a request, waits for it, and refreshes it;
//   - submit.go prepares a request, sends it, and looks for it if its answer was lost;
//   - observe.go reads the pending list and the effect, and enters the state that is concluded;
//   - poller.go reads the pending list once for all submissions that wait;
//   - history.go remembers what this process has submitted.
//
// A Submission outlives the process as JSON. The package knows no Terraform types and
// sends nothing itself: a Request brings the functions that do.
//
// # After a lost answer
//
// The state is Unanswered: the service may have accepted the request, also after a redirect or a
// conflict. If the list has had time to show it and has not, it is sent again only if repeating it
// does no harm, or the user has asked for it since; otherwise the caller gets an error of
// transport.ClassUnknownOutcome, and a Submission from which the next call continues.
package deferred

import (
	"context"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
)

// service is what the engine needs of the client.
type service interface {
	// LockPerson waits until nothing else in this process submits requests about the
	// person.
	LockPerson(ctx context.Context, p client.Person) (unlock func(), err error)
	// Lag returns how long any reading may lag behind submissions.
	Lag() time.Duration
	// PendingListUse returns how the pending list is used: one of client.ListWhole, ListPartial and ListIgnored.
	PendingListUse() string
	// ReadOnly reports whether the client refuses to send anything that has an effect.
	ReadOnly() bool
}

// listReader reads the pending list.
type listReader interface {
	// snapshot returns what a listing that began later than the time after shows of one
	// person. since is when the caller began to wait, over all its looks.
	snapshot(ctx context.Context, about client.Person, after, since time.Time) (proof.Snapshot, error)
}

// Engine carries out deferred requests. It is safe for concurrent use. Submissions about
// one person in one scope are carried out one after the other.
type Engine struct {
	service service
	reader  listReader
	history history
}

// NewEngine returns an engine for the service that a client calls.
func NewEngine(c *client.Client) *Engine {
	return &Engine{service: c, reader: &pollers{lister: c, scopes: map[client.Scope]*poller{}}}
}

// execution is one call of the engine about a submission.
type execution struct {
	*Engine

	request  Request
	rules    proof.Rules
	current  Submission
	observed Observed

	began       time.Time // when the caller began to wait
	isRefresh   bool
	isResumed   bool             // an earlier call sent the request
	isRepeated  bool             // it is sent once more if nothing shows that it has arrived
	isDelivered bool             // the answer looks like the data
	snapshot    proof.Snapshot   // the latest one
	lost        *transport.Error // of the answer that was lost
}

func (e *Engine) newExecution(r Request, s Submission) *execution {
	s.Type = r.Type
	rules := proof.Rules{Lag: e.service.Lag(), Partial: e.service.PendingListUse() != client.ListWhole}
	return &execution{Engine: e, request: r, rules: rules, current: s, began: time.Now()}
}

// Submit sends a request, unless this process has submitted one with its idempotency key or
// an equal one is pending. prior is the Submission that an earlier call with an unknown
// outcome returned, or else the zero value.
//
// Without an error the service has accepted the request. Errors are *transport.Error:
// ClassConflict if the person has a pending request that conflicts with it, ClassPayload
// if the pending list cannot be read completely, ClassUnknownOutcome if the answer was
// lost and the request was not found afterwards, ClassServer if it was accepted and has
// failed already. After an unknown outcome, a later Submit continues from the Submission
// that is returned with the error.
func (e *Engine) Submit(ctx context.Context, r Request, prior Submission) (Submission, Observed, error) {
	unlock, err := e.service.LockPerson(ctx, r.Person)
	if err != nil {
		return prior, Observed{}, r.failure(transport.ClassCancelled, "the run was interrupted, and nothing was sent")
	}
	defer unlock()

	if r.Superseded != nil && r.Superseded() {
		return prior, Observed{}, nil
	}

	known, isKnown := e.history.find(r)
	if isKnown && known.State != Unanswered {
		return known, Observed{Known: true}, nil
	}

	x := e.newExecution(r, Submission{IdempotencyKey: r.IdempotencyKey})
	x.isRepeated = proof.Kinds[r.Type].Repeatable
	if prior.State == Unanswered && prior.IdempotencyKey == r.IdempotencyKey && !proof.Kinds[r.Type].Repeatable {
		// A repeatable one is sent again: looking for it could find somebody else's.
		x.current, x.isResumed, x.isRepeated = prior, true, true // the user has asked for it again
	}
	if isKnown { // another object has sent it: look for it, and do not send it again
		x.current, x.isResumed = known, true
	}

	err = x.submit(ctx)
	e.history.note(r, x.current, err == nil)

	return x.current, x.observed, err
}

// Await waits until an accepted request is no longer pending, but no longer than limit
// or until the context ends, or until nothing can show any more that it was carried out. It sends
// nothing. All waits in a scope share the same readings of the pending list.
func (e *Engine) Await(ctx context.Context, r Request, s Submission, limit time.Duration) (Submission, Observed) {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	x := e.newExecution(r, s)
	for x.current.IsOpen() {
		action, err := x.observe(bounded)
		if bounded.Err() != nil {
			break
		}
		if err != nil && !transport.MayPass(err) {
			x.observed.Err = err
			break
		}
		if action != proof.Look {
			break
		}
	}

	x.current.Interrupted = ctx.Err() != nil && x.current.IsOpen()
	e.history.note(r, x.current, false)

	return x.current, x.observed
}

// Refresh looks once at a request that is not known to be fulfilled. Errors are
// *transport.Error; the Submission is then as it was.
func (e *Engine) Refresh(ctx context.Context, r Request, s Submission) (Submission, Observed, error) {
	if !s.IsOpen() && s.State != Unanswered {
		return s, Observed{}, nil
	}

	x := e.newExecution(r, s)
	x.isRefresh = true
	if _, err := x.observe(ctx); err != nil {
		return s, x.observed, r.asError(err)
	}

	x.current.Interrupted = x.current.Interrupted && x.current.IsOpen()
	e.history.note(r, x.current, false)

	return x.current, x.observed, nil
}

// Note remembers the request of an object that is being destroyed. An object that replaces
// it in this process takes over the request.
func (e *Engine) Note(r Request, s Submission) { e.history.note(r, s, false) }
