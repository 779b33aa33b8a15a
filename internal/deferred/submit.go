// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"cmp"
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

// submit sends the request, unless it was sent or another one stands for it, and looks for it until the service has
// it or nothing can tell. If nothing shows that it has arrived, it is sent once more where that may be.
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

	limit := 2*x.rules.Lag + 5*pollFloor
	action, err := x.look(lingering, limit, proof.Unanswered)
	if x.mayRepeat && action == proof.Repeat {
		if err := x.send(lingering); err != nil {
			return err
		}
		action, err = x.look(lingering, limit, proof.Unanswered)
	}
	x.observed.Delivered = x.isDelivered && x.current.State == proof.Fulfilled
	if x.current.State == proof.Unanswered {
		return x.unknownOutcome(action, err)
	}

	return nil
}

// prepare looks at the service before the request is sent. The state stays Unsent if it may be sent beside the
// requests that the list shows, and beside those of this process; otherwise one of them stands for it, the service
// holds its values already, or there is an error.
func (x *execution) prepare(ctx context.Context) error {
	r := x.request
	earlier := cmp.Or(r.Earlier, &proof.Submission{})
	after := slices.MaxFunc([]time.Time{earlier.Seen, time.Now().Add(-pollFloor)}, time.Time.Compare) // a slightly older one will do
	seen, err := x.read(ctx, r.Person, after, x.began)
	if err != nil {
		return err
	}
	x.snapshot = seen

	hidden := ""
	if earlier.IsOpen() {
		hidden = earlier.Judge(seen, x.rules)
	}

	switch a := x.current.Admit(seen, x.others, x.rules); {
	case a.Adopt != nil:
		x.current, x.observed.Adopted, x.observed.Others = *a.Adopt, true, a.Others
		return nil
	case a.Conflict != nil:
		return r.failure(transport.ClassConflict, "conflicting pending request "+client.ShownID(a.Conflict.ID, r.Identity)+" ("+a.Conflict.RequestType+
			") of the same person; nothing was sent; if the request is over, name its status in wire.pending.statuses")
	case a.Gap != "", hidden != "":
		return r.failure(transport.ClassPayload,
			"the list of pending requests cannot be read as a whole, so another request of the person cannot be excluded: "+cmp.Or(a.Gap, hidden)+"; nothing was sent")
	}
	x.measure(ctx)

	return nil
}

// measure reads the effect before the request is sent. An update whose values the service holds already is not
// sent.
func (x *execution) measure(ctx context.Context) {
	s := &x.current
	mayBeHeld := x.mayRepeat && !s.Explained
	effect, _ := x.readEffect(ctx)
	if !mayBeHeld || effect != proof.Shown {
		return
	}

	if x.isNone { // one reading of nothing, as of a copy or a restart, proves nothing
		_ = transport.Pause(ctx, x.rules.Lag)
		effect, _ = x.readEffect(ctx)
	}
	if effect == proof.Shown {
		now := time.Now()
		s.State, s.At, s.FulfilledAt = proof.Fulfilled, now, now
	}
}

// send sends the request. An error is that of a request that certainly was not carried out, or of a second
// attempt.
func (x *execution) send(ctx context.Context) error {
	s, isFirst, began := &x.current, x.current.State == proof.Unsent, time.Now()
	receipt, err := x.request.Send(ctx)
	if err == nil {
		s.NoteSent(began, time.Now(), x.snapshot.Listing, &receipt)
		x.isDelivered, x.observed.NotUnderstood = receipt.Delivered, receipt.NotUnderstood
		return nil
	}

	s.NoteSent(began, time.Now(), x.snapshot.Listing, nil)

	lost := x.request.lost(err)
	switch {
	case lost != nil:
		x.lost, s.State, err = lost, proof.Unanswered, nil
	case !isFirst:
		err = x.unknownOutcome(proof.Look, err)
	}

	return err
}

// unknownOutcome returns the error of a submission that may have arrived. cause is the error of looking for
// it; nil if there is none. The action is proof.Repeat if looking has shown nothing.
func (x *execution) unknownOutcome(action proof.Action, cause error) error {
	lost := x.lost
	if lost == nil {
		lost = x.request.failure(transport.ClassUnknownOutcome, "of an earlier attempt")
	}

	unknown := transport.UnknownOutcome(lost, cause)
	switch {
	case action == proof.Repeat:
		unknown.Detail += ", and no such request is pending: either it never arrived, or it is done already"
	case x.observed.Gap != "":
		unknown.Detail += "; the pending list cannot be read as a whole: " + x.observed.Gap
	}

	return unknown
}
