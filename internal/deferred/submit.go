// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
)

// graceAfterInterrupt is how long an interrupted submission goes on looking for a request whose answer was lost,
// counted from the interrupt. Terraform expects the provider to stop within two seconds.
const graceAfterInterrupt = 1500 * time.Millisecond

// Submit sends a request, unless this process has submitted one with its idempotency key or an equal one is pending.
// prior is the Submission that an earlier call with an unknown outcome returned, or else the zero value.
//
// Without an error the service has accepted the request. Errors are *transport.Error: ClassConflict if the person has a
// pending request that conflicts with it, ClassPayload if the pending list cannot be read completely,
// ClassUnknownOutcome if the answer was lost and the request was not found afterwards. A later Submit continues from
// the Submission returned with it.
func (e *Engine) Submit(ctx context.Context, r Request, prior proof.Submission) (proof.Submission, Observed, error) {
	unlock, err := e.people.Hold(ctx, r.Person)
	if err != nil {
		return prior, Observed{}, client.DeferredError(r.Type, transport.ClassCancelled, "the run was interrupted, and nothing was sent")
	}
	defer unlock()

	if r.Superseded != nil && r.Superseded() {
		return prior, Observed{}, nil
	}

	e.mu.Lock()
	others := slices.Clone(e.known[r.Person])
	e.mu.Unlock()

	var same proof.Submission // what another object has sent is looked for if its outcome is unknown
	if at := slices.IndexFunc(others, r.isSame); at >= 0 {
		same = others[at]
	}
	if slices.Contains([]proof.State{proof.Accepted, proof.Listed, proof.Fulfilled}, same.State) {
		return same, Observed{Known: true}, nil
	}
	same.Type, same.IdempotencyKey = r.Type, r.IdempotencyKey
	x := &execution{Engine: e, request: r, current: same, began: time.Now(), mayRepeat: proof.Kinds[r.Type].Repeatable}
	if prior.State == proof.Unanswered {
		x.resume(prior)
	}

	err = x.submit(ctx, others)
	x.current.IsOurs = err == nil
	e.Remember(r, x.current)

	return x.current, x.observed, err
}

// resume goes on with the submission of an earlier call whose outcome is unknown. It may be sent again, because the
// user has asked for it again. A repeatable one is sent in any case: looking for it could find somebody else's.
func (x *execution) resume(prior proof.Submission) {
	if prior.IdempotencyKey != x.request.IdempotencyKey || x.mayRepeat {
		return
	}
	x.mayRepeat = true
	if x.current.State == proof.Unsent {
		x.current = prior
	}
}

// submit sends the request, unless it was sent or another one stands for it, and looks for it until the service has
// it or nothing can tell. If nothing shows that it has arrived, it is sent once more where that may be.
func (x *execution) submit(ctx context.Context, others []proof.Submission) error {
	// Once the request may have been sent, looking for it outlasts an interrupt.
	lingering, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	defer context.AfterFunc(ctx, func() {
		_ = transport.Pause(lingering, graceAfterInterrupt)
		end()
	})()

	var err error
	if x.current.State == proof.Unsent {
		err = x.begin(ctx, others)
	}

	for err == nil {
		action, cause := x.poll(lingering, 2*x.rules.Lag+5*pollFloor, proof.Unanswered)
		switch {
		case x.current.State != proof.Unanswered:
			x.observed.Delivered = x.observed.Delivered && x.current.State == proof.Fulfilled
			return nil
		case action != proof.Repeat, !x.mayRepeat:
			return x.unknownOutcome(action, cause)
		}
		x.mayRepeat = false
		err = x.send(lingering)
	}

	return err
}

// begin looks at the service, and sends the request if it may be sent beside the requests that the list shows, and
// beside others of this process. Otherwise one of them stands for it, or there is an error.
func (x *execution) begin(ctx context.Context, others []proof.Submission) error {
	r, s := x.request, &x.current
	seen, err := x.read(ctx, r.Person, time.Now().Add(-pollFloor), x.began) // a slightly older one will do
	if err != nil {
		return err
	}
	x.snapshot = seen

	switch a := s.Admit(seen, others, r.Earlier, x.rules); {
	case a.Adopt != nil:
		x.current, x.observed.Adopted, x.observed.Others = *a.Adopt, true, a.Others
		return nil
	case a.Conflict != nil:
		return client.DeferredError(r.Type, transport.ClassConflict, "conflicting pending request "+client.ShownID(a.Conflict.ID, r.Identity)+" ("+a.Conflict.RequestType+
			") of the same person; nothing was sent; if the request is over, name its status in wire.pending.statuses")
	case a.Gap != "":
		return client.DeferredError(r.Type, transport.ClassPayload,
			"the list of pending requests cannot be read as a whole, so another request of the person cannot be excluded: "+a.Gap+"; nothing was sent")
	}

	effect, _ := x.readEffect(ctx, proof.Unread)
	if x.mayRepeat && x.isHeld(ctx, effect) {
		now := time.Now()
		s.State, s.At, s.FulfilledAt = proof.Fulfilled, now, now
		return nil
	}

	return x.send(ctx)
}

// isHeld reports whether the service holds the values of an update already, as a reading shows. One reading of nothing,
// as of a copy or a restart, proves nothing.
func (x *execution) isHeld(ctx context.Context, effect Reading) bool {
	isHeld := effect.Effect == proof.Shown
	if isHeld && effect.IsNone {
		_ = transport.Pause(ctx, x.rules.Lag)
		again, err := x.request.Effect(ctx)
		return err == nil && again.Effect == proof.Shown
	}
	return isHeld
}

// send sends the request. An error means that the request certainly was not carried out, or is of a second attempt.
func (x *execution) send(ctx context.Context) error {
	s, isFirst, began := &x.current, x.current.State == proof.Unsent, time.Now()
	receipt, err := x.request.Send(ctx)
	if err == nil {
		s.RecordSent(began, time.Now(), x.snapshot.Listing, &receipt)
		x.observed.Delivered, x.observed.NotUnderstood = receipt.Delivered, receipt.NotUnderstood
		return nil
	}

	s.RecordSent(began, time.Now(), x.snapshot.Listing, nil)

	lost, ok := errors.AsType[*transport.Error](err)
	switch {
	case ok && lost.Ambiguous:
		x.lost, s.State = lost, proof.Unanswered
		return nil
	case !isFirst:
		return x.unknownOutcome(proof.ReadAgain, err)
	}

	return err
}

// unknownOutcome returns the error of a submission that may have arrived. cause is the error of looking for it; nil if
// there is none. The action is proof.Repeat if looking has shown nothing.
func (x *execution) unknownOutcome(action proof.Action, cause error) error {
	lost := cmp.Or(x.lost, client.DeferredError(x.request.Type, transport.ClassUnknownOutcome, "of an earlier attempt"))
	unknown := transport.UnknownOutcome(lost, cause)
	switch {
	case action == proof.Repeat:
		unknown.Detail += ", and no such request is pending: either it never arrived, or it is done already"
	case x.observed.Gap != "":
		unknown.Detail += "; the pending list cannot be read as a whole: " + x.observed.Gap
	}

	return unknown
}
