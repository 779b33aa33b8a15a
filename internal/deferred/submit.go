// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"context"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
)

// lookAfterInterrupt is how long an interrupted submission goes on looking for a request
// whose answer was lost, counted from the interrupt. Terraform expects the provider to
// stop within two seconds.
const lookAfterInterrupt = 1500 * time.Millisecond

// submit sends the request, unless it was sent or another one stands for it, and looks for it.
func (x *execution) submit(ctx context.Context) error {
	// Once the request may have been sent, looking for it outlasts an interrupt.
	lingering, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	defer context.AfterFunc(ctx, func() {
		_ = transport.Pause(lingering, lookAfterInterrupt)
		end()
	})()

	if x.current.State == proof.Unsent {
		if err := x.prepare(ctx); err != nil || x.current.State != proof.Unsent {
			return err
		}
		if err := x.send(ctx); err != nil {
			return err
		}
	}

	return x.find(lingering)
}

// prepare looks at the service before the request is sent. The state stays Unsent if it is still to be sent;
// otherwise another request stands for it, the service holds its values already, or there is an error.
func (x *execution) prepare(ctx context.Context) error {
	seen, err := x.read(ctx, x.request.Person, time.Now().Add(-pollFloor), x.began) // a slightly older one will do
	if err != nil {
		return err
	}
	x.snapshot = seen
	if err := x.admit(); err != nil || x.current.State != proof.Unsent {
		return err
	}
	x.measure(ctx)

	return nil
}

// admit decides whether the request may be sent beside those that the list shows, and beside those of this
// process, or lets one of them stand for it.
func (x *execution) admit() error {
	r := x.request
	switch a := x.current.Admit(r.Earlier, x.snapshot, x.others, x.rules); {
	case a.Adopt != nil:
		x.current, x.observed.Adopted, x.observed.Others = *a.Adopt, true, a.Others
	case a.Conflict != nil:
		return r.failure(transport.ClassConflict, "conflicting pending request "+client.ShownID(a.Conflict.ID, r.Identity)+" ("+a.Conflict.RequestType+
			") of the same person; nothing was sent; if the request is over, name its status in wire.pending.statuses")
	case a.Gap != "":
		return r.failure(transport.ClassPayload,
			"the list of pending requests cannot be read as a whole, so another request of the person cannot be excluded: "+a.Gap+"; nothing was sent")
	}

	return nil
}

// measure reads the effect before the request is sent. An update whose values the service holds already is not
// sent. Seeing the effect proves nothing where it is there already or could not be read.
func (x *execution) measure(ctx context.Context) {
	s := &x.current
	effect, _ := x.readEffect(ctx)
	isHeld := effect == proof.Shown && proof.Kinds[s.Type].Repeatable && !s.Explained
	if isHeld && x.isNone { // one reading of nothing, as of a copy or a restart, proves nothing
		_ = transport.Pause(ctx, x.rules.Lag)
		effect, _ = x.readEffect(ctx)
		isHeld = effect == proof.Shown
	}

	if isHeld {
		now := time.Now()
		s.State, s.At, s.FulfilledAt, x.observed.Held = proof.Fulfilled, now, now, true
	}
	s.Explained = s.Explained || slices.Contains([]proof.Effect{proof.Shown, proof.Unreadable}, effect)
}

// send sends the request. An error is that of a request that certainly was not carried out, or of a second
// attempt.
func (x *execution) send(ctx context.Context) error {
	s, isFirst, began := &x.current, x.current.State == proof.Unsent, time.Now()
	receipt, err := x.request.Send(ctx)
	s.NoteSent(began, time.Now(), x.snapshot.Listing)
	if err == nil {
		s.Accept(receipt, x.snapshot.Listing)
		x.isDelivered, x.observed.NotUnderstood = receipt.Delivered, receipt.NotUnderstood
		return nil
	}

	if lost := x.request.lost(err); lost != nil {
		x.lost, s.State = lost, proof.Unanswered
		return nil
	}
	if !isFirst {
		return x.unknownOutcome(proof.Look, err)
	}

	return err
}

// find looks for a request that was sent until the service has it or nothing can tell. If nothing shows that it
// has arrived, it is sent once more where that may be.
func (x *execution) find(ctx context.Context) error {
	limit := 2*x.rules.Lag + 5*pollFloor
	action, err := x.look(ctx, limit, proof.Unanswered)
	if x.mayRepeat && action == proof.Repeat {
		if err := x.send(ctx); err != nil {
			return err
		}
		action, err = x.look(ctx, limit, proof.Unanswered)
	}

	x.observed.Delivered = x.isDelivered && x.current.State == proof.Fulfilled
	if x.current.State == proof.Unanswered {
		return x.unknownOutcome(action, err)
	}

	return nil
}

// unknownOutcome returns the error of a submission that may have arrived. cause is the error of looking for
// it; nil if there is none. The action is proof.Repeat if looking has shown nothing.
func (x *execution) unknownOutcome(action proof.Action, cause error) error {
	unknown := transport.UnknownOutcome(x.lost, cause)
	switch {
	case action == proof.Repeat:
		unknown.Detail += ", and no such request is pending: either it never arrived, or it is done already"
	case x.observed.Gap != "":
		unknown.Detail += "; the pending list cannot be read as a whole: " + x.observed.Gap
	}

	return unknown
}
