// SPDX-License-Identifier: MPL-2.0

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

// watcher reads the pending list.
type watcher interface {
	// look returns what a listing that began later than the time after shows of one
	// person. since is when the caller began to wait, over all its looks.
	look(ctx context.Context, about client.Person, after, since time.Time) (proof.View, error)
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

	known, isKnown := e.history.of(r.Person).find(r)
	if isKnown && known.State != Unanswered {
		return known, Observed{Known: true}, nil
	}

	x := e.newExecution(r, Submission{IdempotencyKey: r.IdempotencyKey}, submitting)
	if prior.State == Unanswered && prior.IdempotencyKey == r.IdempotencyKey && !r.Repeatable {
		// A repeatable one is sent again: looking for it could find somebody else's.
		x.current, x.resumed, x.asked = prior, true, true
	}
	if isKnown { // without asked, another object has sent it: look for it, and do not send it again
		x.current, x.resumed = known, true
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

	x := e.newExecution(r, s, waiting)
	for x.current.IsOpen() {
		action, err := x.look(bounded)
		if bounded.Err() == nil && err != nil && !transport.MayPass(err) {
			x.observed.Err = err
			break
		}
		if bounded.Err() != nil || action != proof.Look {
			break
		}
	}

	x.current.Interrupted = ctx.Err() != nil && x.current.IsOpen()
	x.observed.Interrupted = x.current.Interrupted
	e.history.note(r, x.current, false)

	return x.current, x.observed
}

// Refresh looks once at a request that is not known to be fulfilled. Errors are
// *transport.Error; the Submission is then as it was.
func (e *Engine) Refresh(ctx context.Context, r Request, s Submission) (Submission, Observed, error) {
	if !s.IsOpen() && s.State != Unanswered {
		return s, Observed{}, nil
	}

	x := e.newExecution(r, s, refreshing)
	if _, err := x.look(ctx); err != nil {
		return s, x.observed, r.asError(err)
	}

	x.current.Interrupted = x.current.Interrupted && x.current.IsOpen()
	e.history.note(r, x.current, false)

	return x.current, x.observed, nil
}

// Note remembers the request of an object that is being destroyed. An object that replaces
// it in this process takes over the request.
func (e *Engine) Note(r Request, s Submission) { e.history.note(r, s, false) }
