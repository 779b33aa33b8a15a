// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"context"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// service is what the engine needs of the client.
type service interface {
	// LockPerson waits until nothing else in this process submits requests about the
	// person.
	LockPerson(ctx context.Context, p client.Person) (unlock func(), err error)
	// PendingListLag returns how long the pending list may lag behind submissions.
	PendingListLag() time.Duration
	// PendingListUse returns how the pending list is used: one of client.ListWhole, ListPartial and ListIgnored.
	PendingListUse() string
	// ReadOnly reports whether the client refuses to send anything that has an effect.
	ReadOnly() bool
}

// watcher reads the pending list.
type watcher interface {
	// look returns what a listing that began later than the time after shows of one
	// person. since is when the caller began to wait, over all its looks.
	look(ctx context.Context, about client.Person, after, since time.Time) (view, error)
}

// Engine carries out deferred requests. It is safe for concurrent use. Submissions about
// one person in one scope are carried out one after the other.
type Engine struct {
	service service
	watch   watcher
	history history
}

// NewEngine returns an engine for the service that a client calls.
func NewEngine(c *client.Client) *Engine {
	return &Engine{service: c, watch: &pollers{lister: c, scopes: map[client.Scope]*poller{}}}
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
		return prior, Observed{Superseded: true}, nil
	}

	known, found := e.history.find(r)
	if found && !known.State.isUncertain() {
		return known, Observed{Known: true}, nil
	}

	x := e.newExecution(r, Submission{}, submitting)
	if prior.IsUnanswered() && prior.IdempotencyKey == r.IdempotencyKey && !r.Repeatable {
		// A request that may be repeated is sent again instead: looking for it could find
		// somebody else's.
		x.current, x.resumed = prior, true
	}
	if found {
		x.current = known // sent for another object: look for it, and do not send it again
	}
	x.submit(ctx)
	e.history.note(r, x.current, x.err == nil)

	return x.current, x.observed, x.err
}

// Await waits until an accepted request is no longer pending, but no longer than limit
// or until the context ends, or until nothing can show any more that it was carried out. In
// place of an adopted request that comes to nothing it sends the request, and waits for that.
// All waits in a scope share the same readings of the pending list.
func (e *Engine) Await(ctx context.Context, r Request, s Submission, limit time.Duration) (Submission, Observed) {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	x := e.newExecution(r, s, waiting)
	for x.current.State.IsOpen() && x.look(bounded) {
		if x.observed.Unproven && (r.Effect == nil || x.current.EffectBefore) {
			break // neither the list nor an effect can be expected to show what becomes of it
		}
	}

	x.current.Interrupted = ctx.Err() != nil && x.current.State.IsOpen()
	x.observed.Interrupted = x.current.Interrupted
	e.history.note(r, x.current, false)

	if !x.current.IsToSend() || bounded.Err() != nil {
		return x.current, x.observed
	}

	s, observed, err := e.Submit(bounded, r, Submission{})
	if err != nil {
		observed.Err = err
		return x.current, observed
	}
	if !s.State.IsOpen() {
		return s, observed
	}
	until, _ := bounded.Deadline()

	return e.Await(ctx, r, s, time.Until(until))
}

// Refresh looks once at a request that is not known to be fulfilled. Errors are
// *transport.Error; the Submission is then as it was.
func (e *Engine) Refresh(ctx context.Context, r Request, s Submission) (Submission, Observed, error) {
	if s.State == Fulfilled || s.State == Idle {
		return s, Observed{}, nil
	}

	x := e.newExecution(r, s, refreshing)
	x.look(ctx)
	if x.err != nil {
		return s, x.observed, x.err
	}

	x.current.Interrupted = x.current.Interrupted && x.current.State.IsOpen()
	e.history.note(r, x.current, false)

	return x.current, x.observed, nil
}

// Note remembers the request of an object that is being destroyed. An object that replaces
// it in this process takes over the request.
func (e *Engine) Note(r Request, s Submission) { e.history.note(r, s, false) }
