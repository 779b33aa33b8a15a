// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// measure looks at the effect of the request.
func (x *execution) measure(ctx context.Context) Event {
	if x.request.Effect == nil {
		return x.measureNothing()
	}

	if x.current.State == Idle {
		return x.measureBeforeSending(ctx)
	}

	visible, err := x.request.Effect(ctx)
	if err != nil {
		return x.afterFailedMeasure(ctx, err)
	}

	if visible && x.effectCounts() {
		return EffectVisible
	}

	return EffectAbsent
}

// measureNothing is measure for a request without a visible effect.
func (x *execution) measureNothing() Event {
	x.current.EffectBefore = true
	if x.current.State == Left {
		return EffectVisible // the list has decided
	}
	return EffectAbsent
}

// measureBeforeSending notes whether the effect is visible already.
func (x *execution) measureBeforeSending(ctx context.Context) Event {
	if x.equalIsPending() {
		x.current.EffectBefore = true // the effect may come to be that of the other request
		return EffectAbsent
	}

	if x.request.EffectKnownAbsent {
		return EffectAbsent
	}

	visible, err := x.request.Effect(ctx)
	if err == nil {
		x.current.EffectBefore = visible
		return EffectAbsent
	}

	if ctx.Err() != nil {
		x.err = x.request.asError(err)
		return nothing
	}

	x.current.EffectBefore = true // seeing it later would prove nothing

	return EffectUnknown
}

// equalIsPending reports whether the service may be working on another request of the same
// type about the person: one that it lists, or one that this process has sent.
func (x *execution) equalIsPending() bool {
	sent := slices.ContainsFunc(x.history.open(x.request), func(e entry) bool { return e.requestType == x.request.Type })
	return sent || len(x.request.equalRecords(x.seen)) > 0
}

// effectCounts reports whether seeing the effect means that the request was fulfilled: it
// was not there before, or the list has decided that the request is over.
func (x *execution) effectCounts() bool {
	s := x.current
	return !s.EffectBefore || s.State == Left || s.State == Dropped
}

// afterFailedMeasure returns what it means that the effect could not be measured once
// the request was sent.
func (x *execution) afterFailedMeasure(ctx context.Context, err error) Event {
	if x.phase == waiting {
		return x.afterFailedWait(ctx, err, EffectUnknown)
	}

	if ctx.Err() != nil {
		return nothing
	}

	if x.phase == submitting || transport.MayPass(err) {
		return EffectUnknown
	}

	x.err = x.request.asError(err)

	return nothing
}

// send sends the request.
func (x *execution) send(ctx context.Context) Event {
	x.sends++
	if x.current.State == Idle {
		x.current.Occasion, x.current.Before = x.request.Occasion, x.otherKeys()
		x.current.Begun = time.Now()
		if !x.seen.date.IsZero() {
			x.current.SentDate = x.seen.date.Add(x.current.Begun.Sub(x.seen.ended)).Truncate(time.Second)
		}
	}

	receipt, err := x.request.Send(ctx)
	x.current.Sent = time.Now() // the list may lag from here on
	x.history.noteEnd(personOf(x.request))

	if lost, ok := errors.AsType[*transport.Error](err); ok && lost.Ambiguous {
		x.lost = lost
		return AnswerLost
	}

	if err != nil {
		x.err = x.refusal(err)
		return WasRefused
	}

	return x.accept(receipt)
}

// accept takes over what the service answered to an accepted request.
func (x *execution) accept(receipt answer.Receipt) Event {
	x.current.At = receipt.At
	x.delivered = receipt.Delivered
	if receipt.Delivered {
		return WasDelivered
	}

	x.report.NotUnderstood = receipt.NotUnderstood
	known := func(record answer.PendingRecord) bool { return hasID(record, receipt.ID) }
	if !slices.ContainsFunc(x.seen.all, known) && !slices.Contains(x.current.Before, keyOfID(receipt.ID)) {
		x.current.ID = receipt.ID // else it is the ID of something else
	}

	return WasAccepted
}

// otherKeys returns the keys of the records that are not the request that is about to be
// sent: those in the list, and those of this process that the list may not show yet.
func (x *execution) otherKeys() []string {
	keys := x.request.keysOf(x.seen)
	for _, entry := range x.history.open(x.request) {
		key := keyOfID(entry.ID)
		if entry.requestType == x.request.Type && entry.ID != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}
