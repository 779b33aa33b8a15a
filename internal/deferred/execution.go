// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"cmp"
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

// phase is what an execution is for.
type phase int

const (
	submitting phase = iota
	waiting
	refreshing
)

// execution is one call of the engine about a submission.
type execution struct {
	*Engine

	request  Request
	phase    phase
	current  Submission
	observed Observed

	began     time.Time  // when the caller began to wait
	seen      proof.View // the latest one
	resumed   bool       // an earlier call sent the request
	asked     bool       // the user has asked for it again since
	delivered bool       // the answer looks like the data
	shown     proof.List // by the latest listing
	sends     int
	lost      *transport.Error // of the answer that was lost
}

func (e *Engine) newExecution(r Request, s Submission, p phase) *execution {
	s.Type = r.Type
	return &execution{Engine: e, request: r, phase: p, current: s, began: time.Now()}
}

// rules returns the settings of wire.
func (x *execution) rules() proof.Rules {
	return proof.Rules{Lag: x.service.Lag(), Partial: x.service.PendingListUse() != client.ListWhole}
}

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

	if !x.resumed {
		isReadOnly := x.service.ReadOnly() // then it is refused before it is sent
		if wanted, err := x.prepare(ctx, isReadOnly); err != nil || !wanted {
			return err
		}
		if err := x.send(ctx); err != nil {
			return err
		}
	}

	look := x.find(lingering)
	if x.current.State == Unanswered && look == nil && x.maySendAgain() {
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

// maySendAgain reports whether a request that nothing shows to have arrived is sent once more: it
// does no harm, or the user has asked for it.
func (x *execution) maySendAgain() bool {
	if x.resumed {
		return x.asked
	}
	return x.request.Repeatable
}

// find looks until it is known whether the service has accepted the request, or whether its answer
// is the data. The error is that of the last look, if that is why it does not know.
func (x *execution) find(ctx context.Context) error {
	limit := 2*x.service.Lag() + 5*pollFloor
	began := time.Now()

	for x.current.State == Unanswered || x.delivered {
		action, err := x.look(ctx)
		if x.shown == proof.Waiting {
			x.delivered = false // what the service answers while it works on the request is not the data
		}

		goesOn := action == proof.Look
		if err != nil {
			goesOn = transport.MayPass(err)
		}
		if goesOn && ctx.Err() == nil && time.Since(began) <= limit {
			continue
		}
		x.delivered = x.delivered && x.current.State == Fulfilled
		x.observed.Delivered = x.delivered

		return err
	}

	return nil
}

// prepare looks at the service before the request is sent, and reports whether it is still to be
// sent. Otherwise another request stands for it, or there is an error.
func (x *execution) prepare(ctx context.Context, isReadOnly bool) (wanted bool, _ error) {
	if isReadOnly {
		return true, nil
	}

	if x.service.PendingListUse() != client.ListIgnored {
		// A slightly older listing will do.
		if err := x.read(ctx, time.Now().Add(-pollFloor)); err != nil {
			return false, x.request.asError(err)
		}
		if wanted, err := x.admit(); err != nil || !wanted {
			return false, err
		}
	}

	isThere, err := x.measureBefore(ctx)
	if isThere && x.request.Repeatable && !x.current.Explained {
		now := time.Now() // the service holds the values already
		x.current.State, x.current.At, x.current.FulfilledAt = Fulfilled, now, now
		return false, nil
	}
	x.current.Explained = x.current.Explained || isThere

	return true, err
}

// admit decides whether the request may be sent beside those that the list shows, and beside those
// of this process that the list may not show yet.
func (x *execution) admit() (wanted bool, _ error) {
	r := x.request
	rule := proof.Wanted{Type: r.Type, Against: r.Against, Adopts: r.Adopts, Earlier: r.Earlier}
	admission := rule.Admit(x.seen, x.rules())
	if len(admission.Adopt) > 0 {
		x.adopt(rule, admission.Adopt)
		return false, nil
	}
	if c := admission.Conflict; c != nil {
		id, _ := c.ID.Get()
		requestType, _ := c.RequestType.Get()
		return false, r.conflict(id, requestType, c.Progress == answer.Unclear)
	}

	for _, entry := range x.history.of(r.Person).open() {
		if x.seen.IsAfter(entry.Sent, entry.EndDate, x.service.Lag()) {
			continue // the list would show it
		}
		if r.Adopts && entry.Type == r.Type {
			x.current, x.observed.Adopted = entry.Submission, true
			x.current.IdempotencyKey = r.IdempotencyKey
			return false, nil
		}
		if slices.Contains(r.Against, entry.Type) {
			return false, r.conflict(entry.ID, entry.Type, false)
		}
	}

	if admission.Gap != "" {
		return false, r.failure(transport.ClassPayload,
			"the list of pending requests cannot be read as a whole, so another request of the person cannot be excluded: "+admission.Gap+"; nothing was sent")
	}

	return true, nil
}

// adopt lets the oldest of several equal records stand for the request.
func (x *execution) adopt(rule proof.Wanted, equal []answer.PendingRecord) {
	x.observed.Adopted = true
	for _, other := range equal[1:] {
		id, _ := other.ID.Get()
		x.observed.Others = append(x.observed.Others, id)
	}

	x.current = rule.Adopted(equal, x.seen)
	x.current.IdempotencyKey = x.request.IdempotencyKey
	x.current.Begun, x.current.Sent = time.Now(), time.Now()
	if x.current.At.IsZero() {
		x.current.At = x.current.Sent
	}
}

// measureBefore reports whether the effect is there before the request is sent. It notes that seeing it
// proves nothing if it could not be read, or if the service may be working on another request of the
// same type.
func (x *execution) measureBefore(ctx context.Context) (isThere bool, _ error) {
	isOfType := func(e entry) bool { return e.Type == x.request.Type }
	isSent := slices.ContainsFunc(x.history.of(x.request.Person).open(), isOfType)
	isPending := slices.ContainsFunc(x.seen.Named, func(record answer.PendingRecord) bool {
		return record.Is(x.request.Type) && proof.IsOpen(record)
	})

	x.current.Explained = isSent || isPending
	if x.request.Effect == nil || x.request.EffectKnownAbsent {
		return false, nil
	}

	sight, err := x.request.Effect(ctx)
	if err != nil && ctx.Err() != nil {
		return false, x.request.asError(err)
	}
	isUsable := err == nil && !sight.Cached
	x.current.Explained = x.current.Explained || !isUsable

	return isUsable && sight.Shows == proof.Shown, nil
}

// send sends the request. An error is that of a request that certainly was not carried out.
func (x *execution) send(ctx context.Context) error {
	x.sends++
	if x.current.State == Unsent {
		x.current.Before = x.before()
		x.current.Begun = time.Now()
		if !x.seen.Date.IsZero() {
			x.current.SentDate = x.seen.Date.Add(x.current.Begun.Sub(x.seen.Ended)).Truncate(time.Second)
		}
	}

	receipt, err := x.request.Send(ctx)
	x.current.Sent = time.Now() // the list may lag from here on
	if !x.seen.Date.IsZero() {  // which is to the second below, and from some time while it was read
		x.current.EndDate = x.seen.Date.Add(time.Second + x.current.Sent.Sub(x.seen.Began))
	}
	x.current.Absent, x.current.Shown, x.current.Frozen = proof.Mark{}, proof.Mark{}, false
	x.history.noteEnd(x.request.Person)

	if err != nil {
		x.lost = cmp.Or(x.request.mayBeAccepted(err), x.lost)
		if x.request.mayBeAccepted(err) == nil {
			return x.refusal(err)
		}
		x.current.State = Unanswered
		return nil
	}

	x.current.At = receipt.At
	x.current.State, x.delivered = Accepted, receipt.Delivered
	x.observed.NotUnderstood = receipt.NotUnderstood
	key := proof.KeyOfID(receipt.ID)
	isKnown := len(x.seen.WithID(receipt.ID)) > 0 || slices.Contains(x.current.Before, key)
	if !isKnown && !receipt.Delivered {
		x.current.ID = receipt.ID
	}
	if isKnown { // the service gives an ID twice: the time of a record tells which it is
		x.current.Before = slices.DeleteFunc(x.current.Before, func(k string) bool { return k == key })
	}

	return nil
}

// before returns the keys of records that are not the request: those in the list, and those of
// requests of this process that the list may not show yet.
func (x *execution) before() []string {
	isOfType := func(record answer.PendingRecord) bool { return !record.Is(x.request.Type) }
	keys := proof.KeysOf(slices.DeleteFunc(slices.Clone(x.seen.Named), isOfType))
	for _, entry := range x.history.of(x.request.Person).open() {
		key := proof.KeyOfID(entry.ID)
		if entry.Type == x.request.Type && entry.ID != "" && !slices.Contains(keys, key) {
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
