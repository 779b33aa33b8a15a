// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
)

// lookAfterInterrupt is how long an interrupted submission goes on looking for a request
// whose answer was lost, counted from the interrupt. Terraform expects the provider to
// stop within two seconds.
const lookAfterInterrupt = 1500 * time.Millisecond

// submit sends the request, unless it was sent or another one stands for it, and then looks for it
// until the service has it or nothing can tell.
func (x *execution) submit(ctx context.Context) error {
	// Once the request may have been sent, looking for it outlasts an interrupt.
	lingering, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	defer context.AfterFunc(ctx, func() {
		_ = transport.Pause(lingering, lookAfterInterrupt)
		end()
	})()

	if !x.isResumed {
		if wanted, err := x.prepare(ctx); err != nil || !wanted {
			return err
		}
		if err := x.send(ctx); err != nil {
			return err
		}
	}

	look := x.find(lingering)
	if x.current.State == Unanswered && look == nil && x.isRepeated {
		if err := x.send(lingering); err != nil {
			return err
		}
		look = x.find(lingering)
	}

	switch x.current.State {
	case Unanswered:
		return x.unknownOutcome(look)
	case Failed:
		return x.request.Rejection(x.current)
	}

	return nil
}

// find looks until it is known whether the service has accepted the request, or whether its answer
// is the data. The error is that of the last look, if that is why it does not know.
func (x *execution) find(ctx context.Context) error {
	limit := 2*x.rules.Lag + 5*pollFloor
	began := time.Now()

	for x.current.State == Unanswered || x.isDelivered {
		action, err := x.observe(ctx)
		goesOn := action == proof.Look
		if err != nil {
			goesOn = transport.MayPass(err)
		}
		if goesOn && ctx.Err() == nil && time.Since(began) <= limit {
			continue
		}
		x.isDelivered = x.isDelivered && x.current.State == Fulfilled
		x.observed.Delivered = x.isDelivered

		return err
	}

	return nil
}

// prepare looks at the service before the request is sent, and reports whether it is still to be
// sent. Otherwise another request stands for it, the service holds its values already, or there is an
// error.
func (x *execution) prepare(ctx context.Context) (wanted bool, _ error) {
	if x.service.ReadOnly() {
		return true, nil // sending is refused
	}

	if x.service.PendingListUse() != client.ListIgnored {
		// A slightly older listing will do.
		if err := x.readList(ctx, time.Now().Add(-pollFloor)); err != nil {
			return false, x.request.asError(err)
		}
		if wanted, err := x.admit(); err != nil || !wanted {
			return false, err
		}
	}

	isThere, err := x.readEffectBefore(ctx)
	if isThere && proof.Kinds[x.request.Type].Repeatable && !x.current.Explained {
		now := time.Now()
		x.current.State, x.current.At, x.current.FulfilledAt = Fulfilled, now, now
		return false, nil
	}
	x.current.Explained = x.current.Explained || isThere

	return true, err
}

// readEffectBefore reports whether the effect is there before the request is sent. It notes that seeing it
// proves nothing if it could not be read, or if the service may be working on another request of the
// same type.
func (x *execution) readEffectBefore(ctx context.Context) (isThere bool, _ error) {
	x.current.Explained = slices.ContainsFunc(x.snapshot.OfType(x.request.Type), proof.IsOpen)
	for _, earlier := range x.history.open(x.request.Person) {
		x.current.Explained = x.current.Explained || earlier.Type == x.request.Type
	}
	if x.request.Effect == nil {
		return false, nil
	}

	reading, err := x.request.Effect(ctx)
	if err != nil && ctx.Err() != nil {
		return false, x.request.asError(err)
	}
	isUsable := err == nil && !reading.Cached
	x.current.Explained = x.current.Explained || !isUsable

	return isUsable && reading.Shows == proof.Shown, nil
}

// admit decides whether the request may be sent beside those that the list shows, and beside those
// of this process that the list may not show yet.
func (x *execution) admit() (wanted bool, _ error) {
	r := x.request
	admission := r.Admit(x.snapshot, x.rules)
	if len(admission.Adopt) > 0 {
		x.observed.Adopted = true
		for _, other := range admission.Adopt[1:] {
			x.observed.Others = append(x.observed.Others, other.ID)
		}
		x.current = r.Adopted(admission.Adopt, x.snapshot)
		x.current.IdempotencyKey = r.IdempotencyKey
		return false, nil
	}
	if c := admission.Conflict; c != nil {
		return false, r.conflict(c.ID, c.RequestType, c.Progress == answer.Unclear)
	}

	for _, earlier := range x.history.open(r.Person) {
		if x.snapshot.IsAfter(earlier.Sent, earlier.EndDate, x.rules.Lag) {
			continue // the list would show it
		}
		if proof.Kinds[r.Type].Adopts && earlier.Type == r.Type {
			x.current, x.observed.Adopted = earlier, true
			x.current.IdempotencyKey = r.IdempotencyKey
			return false, nil
		}
		if slices.Contains(proof.Kinds[r.Type].Against, earlier.Type) {
			return false, r.conflict(earlier.ID, earlier.Type, false)
		}
	}

	if admission.Gap != "" {
		return false, r.failure(transport.ClassPayload,
			"the list of pending requests cannot be read as a whole, so another request of the person cannot be excluded: "+admission.Gap+"; nothing was sent")
	}

	return true, nil
}

// send sends the request. An error is that of a request that certainly was not carried out.
func (x *execution) send(ctx context.Context) error {
	s := &x.current
	if s.State == Unsent {
		s.Before = x.before()
		s.Begun = time.Now()
		if !x.snapshot.Date.IsZero() {
			s.SentDate = x.snapshot.Date.Add(s.Begun.Sub(x.snapshot.Ended)).Truncate(time.Second)
		}
	}

	receipt, err := x.request.Send(ctx)
	s.Sent = time.Now()            // the list may lag from here on
	if !x.snapshot.Date.IsZero() { // which is to the second below, and from some time while it was read
		s.EndDate = x.snapshot.Date.Add(time.Second + s.Sent.Sub(x.snapshot.Began))
	}
	s.Absent, s.Shown, s.Frozen = proof.Mark{}, proof.Mark{}, false
	x.history.noteTime(x.request.Person, s.Sent)

	if err != nil {
		lost := x.request.mayBeAccepted(err)
		if lost == nil {
			return x.refusal(err)
		}
		x.lost, s.State = lost, Unanswered
		return nil
	}

	s.At, s.State, x.isDelivered = receipt.At, Accepted, receipt.Delivered
	x.observed.NotUnderstood = receipt.NotUnderstood
	key := proof.KeyOfID(receipt.ID)
	if len(x.snapshot.WithID(receipt.ID)) > 0 || slices.Contains(s.Before, key) {
		// The service gives an ID twice: the time of a record tells which it is.
		s.Before = slices.DeleteFunc(s.Before, func(k string) bool { return k == key })
		return nil
	}
	if !receipt.Delivered {
		s.ID = receipt.ID
	}

	return nil
}

// before returns the keys of records that are not the request: those in the list, and those of
// requests of this process that the list may not show yet.
func (x *execution) before() []string {
	keys := proof.KeysOf(x.snapshot.OfType(x.request.Type))
	for _, earlier := range x.history.open(x.request.Person) {
		key := proof.KeyOfID(earlier.ID)
		if earlier.Type == x.request.Type && earlier.ID != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}

	return keys
}

// refusal returns the error of a request that was certainly not carried out. If that was
// the second attempt, the outcome of the first one is still unknown.
func (x *execution) refusal(err error) error {
	second, ok := errors.AsType[*transport.Error](err)
	if !ok || x.current.State == Unsent {
		return x.request.asError(err)
	}

	unknown := x.unknownOutcome(nil)
	unknown.Detail += ", and sending it once more failed: " + second.Title()
	unknown.Status, unknown.Code, unknown.Message = second.Status, second.Code, second.Message

	return unknown
}

// unknownOutcome returns the error of a submission that may have arrived. look is the
// error of looking for it; nil if it was not found.
func (x *execution) unknownOutcome(look error) *transport.Error {
	unknown := x.request.failure(transport.ClassUnknownOutcome, "whether the service has accepted the request is still not known")
	if x.lost != nil {
		unknown = transport.UnknownOutcome(x.lost, look)
	} else if seen, ok := errors.AsType[*transport.Error](look); ok {
		unknown.Detail += "; looking at the service failed: " + seen.Title()
	}

	if x.lost != nil && look == nil {
		unknown.Detail += ", and no such request is pending: either it never arrived, or it is done already"
	}
	if x.observed.Gap != "" {
		unknown.Detail += "; the pending list cannot be read as a whole: " + x.observed.Gap
	}

	return unknown
}
