// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"context"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
)

// observe reads the pending list, and where that is not decisive the effect, and enters the state that
// is concluded. An error is that of a reading, after which the state is as it was.
func (x *execution) observe(ctx context.Context) (proof.Action, error) {
	if err := x.readList(ctx, time.Now()); err != nil {
		return proof.Look, err
	}

	s := &x.current
	list, gap, code := s.Evaluate(x.snapshot, x.rules)
	x.observed.Gap, s.Code = gap, code
	isIgnored := x.service.PendingListUse() == client.ListIgnored
	if isIgnored && s.State == Listed {
		list = proof.Absent // it is not known to have left a list that is not read
	}

	effect := proof.NoEffect
	var failure error
	switch list {
	case proof.Absent, proof.AbsentTwice, proof.Over:
		effect, failure = x.readEffect(ctx, list)
	case proof.Waiting:
		x.isDelivered = false // what the service answers while it works on the request is not the data
	}

	verdict := proof.Judge(s.State, list, effect)
	x.observed.Unproven = verdict.State == Accepted && list == proof.AbsentTwice
	x.enter(verdict.State, list)

	return verdict.Action, failure
}

// enter sets the state that follows from what the list shows, and the times that belong to it.
func (x *execution) enter(state State, list proof.List) {
	s := &x.current
	if state == s.State {
		return
	}

	s.State = state
	if s.At.IsZero() {
		s.At = s.Sent // the answer with the time was lost
	}
	if state == Fulfilled {
		s.FulfilledAt = time.Now()
	}
	s.Dropped = state == Failed && list != proof.SaysFailed
	s.Confirmed = state == Fulfilled && list == proof.Done
}

// readEffect reads the effect. Data at hand are an effect that is proven once the list has had time to
// show the request, or at once if an earlier request was carried out.
func (x *execution) readEffect(ctx context.Context, list proof.List) (proof.Effect, error) {
	if x.isDelivered {
		if x.request.Ready || list != proof.Absent {
			return proof.Proven, nil
		}
		return proof.Shown, nil
	}
	if x.request.Effect == nil {
		return proof.NoEffect, nil
	}

	reading, err := x.request.Effect(ctx)
	if err != nil || x.current.IsOlder(reading.Cached, reading.Date) {
		return proof.Unreadable, err
	}

	return x.current.EvaluateEffect(reading.Shows, x.snapshot.Listing, x.rules), nil
}

// readList reads the list, no earlier than after, nor than the latest submission about the person
// ended. If the list must not be read, it takes as long, so that the effect is not read more often.
func (x *execution) readList(ctx context.Context, after time.Time) error {
	if x.service.PendingListUse() == client.ListIgnored {
		if !x.isRefresh {
			if err := transport.Pause(ctx, pollInterval(time.Since(x.began))); err != nil {
				return err
			}
		}
		x.snapshot = proof.NewListing(time.Now(), time.Now(), answer.PendingList{}).About(x.request.Identity)
		return nil
	}

	latest := x.history.latest(x.request.Person)
	if x.isRefresh || latest.After(after) {
		after = latest // all refreshes share a listing, unless this one has seen it already
	}

	seen, err := x.reader.snapshot(ctx, x.request.Person, after, x.began)
	if err != nil {
		return err
	}
	x.snapshot = seen
	x.history.noteTime(x.request.Person, seen.Began)

	return nil
}
