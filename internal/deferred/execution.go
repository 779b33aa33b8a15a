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

	began   time.Time // when the caller began to wait
	seen    view      // the latest one
	resumed bool      // an earlier call sent the request
	sends   int
	lost    *transport.Error // of the answer that was lost
	err     error            // that ends the call
}

func (e *Engine) newExecution(r Request, s Submission, p phase) *execution {
	return &execution{Engine: e, request: r, phase: p, current: s, began: time.Now()}
}

// submit sends the request, and then looks for it until the service has it, certainly does
// not have it, or nobody can tell.
func (x *execution) submit(ctx context.Context) {
	// Once the request may have been sent, looking for it outlasts an interrupt.
	lingering, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	defer context.AfterFunc(ctx, func() {
		_ = transport.Pause(lingering, lookAfterInterrupt)
		end()
	})()

	if x.current.State == Idle {
		if !x.service.ReadOnly() && !x.maySend(ctx) { // else it is refused before it is sent
			return
		}
		x.send(ctx)
	} else {
		x.current.State = Unanswered // even if it was lost: the list may be known to lag for longer now
	}

	for x.err == nil && x.current.State.isUndecided() && x.look(lingering) {
		if x.current.State != Lost {
			continue
		}

		// Sending it again does no harm, or a later call asks for it.
		if isAsked := x.resumed && x.sends == 0; !isAsked && (!x.request.Repeatable || x.sends >= 2) {
			break
		}
		x.send(lingering)
	}

	switch {
	case x.err == nil && x.current.State.isUncertain():
		x.err = x.unknownOutcome(nil)
	case x.current.State == Failed:
		x.err = x.request.Rejection(x.current, x.observed)
	}
}

// maySend looks at the service before the request is sent, and reports whether it is to be
// sent. Otherwise another request stands for it, or there is an error.
func (x *execution) maySend(ctx context.Context) bool {
	if x.service.PendingListUse() != client.ListIgnored {
		// A slightly older listing will do.
		if err := x.read(ctx, time.Now().Add(-pollFloor)); err != nil {
			x.err = x.request.asError(err)
			return false
		}
		if !x.mayJoin() {
			return false
		}
	}

	// The service may be working on another request of the same type: one that it lists, or one
	// that this process has sent.
	isSent := slices.ContainsFunc(x.history.open(x.request), func(e entry) bool { return e.requestType == x.request.Type })
	equalIsPending := isSent || len(x.request.equalRecords(x.seen)) > 0

	switch {
	case x.request.Effect == nil || equalIsPending:
		x.current.EffectBefore = true // the effect may come to be that of the other request
	case !x.request.EffectKnownAbsent:
		visible, err := x.request.Effect(ctx, time.Time{})
		if err != nil && ctx.Err() != nil {
			x.err = x.request.asError(err)
			return false
		}
		x.current.EffectBefore = visible || err != nil // seeing it later would prove nothing
	}

	return true
}

// mayJoin reports whether the request may join those that the list shows. If it shows one
// that can stand for the request, that one is adopted.
func (x *execution) mayJoin() bool {
	equal := x.request.equalRecords(x.seen)
	adoptable := filter(equal, func(record answer.PendingRecord) bool { return record.Progress == answer.Waiting })
	if x.request.Adopts && len(adoptable) > 0 {
		x.adopt(adoptable)
		return false
	}

	conflicts := func(record answer.PendingRecord) bool { return record.Is(x.request.Against...) && isOpen(record) }
	if record, found := first(x.seen.records, conflicts); found {
		id, _ := record.ID.Get()
		requestType, _ := record.RequestType.Get()
		x.err = x.request.conflict(id, requestType, record.Progress == answer.Unclear)
		return false
	}

	if x.joinsOwn() {
		return false
	}

	gap := x.gap()
	if x.request.Adopts && gap == "" && x.service.PendingListUse() != client.ListPartial && len(equal) > 0 {
		gap = gapStatus
	}
	if gap != "" {
		x.err = x.request.failure(transport.ClassPayload,
			"the list of pending requests cannot be read as a whole, so another request of the person cannot be excluded: "+gap+"; nothing was sent")
	}

	return gap == ""
}

// adopt lets the oldest of several equal records stand for the request.
func (x *execution) adopt(equal []answer.PendingRecord) {
	own := equal[0]
	x.observed.Adopted = true
	for _, other := range others(equal, own) {
		id, _ := other.ID.Get()
		x.observed.Others = append(x.observed.Others, id)
	}

	now := time.Now()
	x.current = Submission{
		State: Listed, IdempotencyKey: x.request.IdempotencyKey, At: now, Sent: now, Adopted: true, EffectBefore: true,
	}
	if at, given := own.CreatedAt.Get(); given {
		x.current.At = at
	}
	x.learnFrom(own)
}

// joinsOwn reports whether a request that this process has sent, and that the list may not
// show yet, stands for this one or conflicts with it.
func (x *execution) joinsOwn() bool {
	for _, entry := range x.history.open(x.request) {
		if x.seen.isAfter(entry.Sent, entry.EndDate, x.service.PendingListLag()) {
			continue // the list would show it
		}

		if x.request.Adopts && entry.requestType == x.request.Type {
			x.current, x.observed.Adopted = entry.Submission, true
			x.current.IdempotencyKey = x.request.IdempotencyKey
			x.enter(Accepted)
			return true
		}

		if slices.Contains(x.request.Against, entry.requestType) {
			x.err = x.request.conflict(entry.ID, entry.requestType, false)
			return true
		}
	}

	return false
}

// send sends the request. An error is that of a request that certainly was not carried out.
func (x *execution) send(ctx context.Context) {
	x.sends++
	if x.current.State == Idle {
		// What is in the list, and what this process has sent that the list may not show yet, is
		// not the request.
		x.current.IdempotencyKey, x.current.Before = x.request.IdempotencyKey, x.request.keysOf(x.seen)
		for _, entry := range x.history.open(x.request) {
			if key := keyOfID(entry.ID); entry.requestType == x.request.Type && entry.ID != "" && !slices.Contains(x.current.Before, key) {
				x.current.Before = append(x.current.Before, key)
			}
		}

		x.current.Begun = time.Now()
		if !x.seen.date.IsZero() {
			x.current.SentDate = x.seen.date.Add(x.current.Begun.Sub(x.seen.ended)).Truncate(time.Second)
		}
	}

	receipt, err := x.request.Send(ctx)
	x.current.Sent = time.Now() // the list may lag from here on
	if !x.seen.date.IsZero() {  // which is to the second below, and from some time while it was read
		x.current.EndDate = x.seen.date.Add(time.Second + x.current.Sent.Sub(x.seen.began))
	}
	x.history.about(x.request.Person, func(p *personHistory) { p.ended = time.Now() })

	if lost, ok := errors.AsType[*transport.Error](err); ok && lost.Ambiguous {
		x.lost = lost
		x.enter(Unanswered)
		return
	}
	if err != nil {
		x.err = x.refusal(err)
		return
	}

	x.current.At = receipt.At
	if receipt.Delivered {
		x.enter(Delivered)
		return
	}

	x.enter(Accepted)
	x.observed.NotUnderstood = receipt.NotUnderstood
	known := func(record answer.PendingRecord) bool { return hasID(record, receipt.ID) }
	if !slices.ContainsFunc(x.seen.all, known) && !slices.Contains(x.current.Before, keyOfID(receipt.ID)) {
		x.current.ID = receipt.ID // else it is the ID of something else
	}
}

// enter sets the state of the submission, and the times that belong to it.
func (x *execution) enter(state State) {
	x.observed.Delivered = state == Fulfilled && x.current.State == Delivered
	x.current.State = state
	if !state.isUncertain() && x.current.At.IsZero() {
		x.current.At = x.current.Sent // the answer with the time was lost
	}
	if state == Fulfilled {
		x.current.FulfilledAt = time.Now()
	}
}
