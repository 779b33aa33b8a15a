// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"context"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
)

// look reads the pending list, and where that is not decisive the effect, and enters the state that
// is concluded. An error is that of a reading, after which the state is as it was.
func (x *execution) look(ctx context.Context) (proof.Action, error) {
	if err := x.read(ctx, time.Now()); err != nil {
		return proof.Look, err
	}

	list, gap, code := x.current.See(x.seen, x.rules())
	isIgnored := x.service.PendingListUse() == client.ListIgnored
	if isIgnored && x.current.State == Listed {
		list = proof.Absent // it is not known to have left a list that is not read
	}
	x.observed.Gap, x.current.Code = gap, code

	x.shown = list
	effect := proof.NoEffect
	var failure error
	if slices.Contains([]proof.List{proof.Absent, proof.Gone, proof.Over}, list) {
		effect, failure = x.measure(ctx, list)
	}

	verdict := proof.Judge(x.current.State, list, effect)
	x.enter(verdict.State, list)
	x.observed.Unproven = x.current.State == Accepted && list == proof.Gone

	return verdict.Action, failure
}

// measure reads the effect. Data at hand are an effect that is proven once the list has had time to
// show the request, or at once if an earlier request was carried out.
func (x *execution) measure(ctx context.Context, list proof.List) (proof.Effect, error) {
	if x.delivered {
		if x.request.Ready || list != proof.Absent {
			return proof.Proven, nil
		}
		return proof.Shown, nil
	}
	if x.request.Effect == nil {
		return proof.NoEffect, nil
	}

	sight, err := x.request.Effect(ctx)
	isOld := !sight.Date.IsZero() && sight.Date.Before(x.current.SentDate)
	switch {
	case err != nil:
		return proof.Unseen, err
	case sight.Cached || isOld:
		return proof.Unseen, nil
	}

	return x.current.Measure(sight.Shows, x.seen.Listing, x.rules()), nil
}

// enter sets the state of the submission, and the times that belong to it.
func (x *execution) enter(state State, list proof.List) {
	if state == x.current.State {
		return
	}

	x.current.State = state
	if x.current.At.IsZero() {
		x.current.At = x.current.Sent // the answer with the time was lost
	}
	if state == Fulfilled {
		x.current.FulfilledAt = time.Now()
	}
	x.current.Dropped = state == Failed && list != proof.SaysFailed
	x.current.Confirmed = state == Fulfilled && list == proof.Done
}

// read reads the list, no earlier than after, nor than the latest submission about the person
// ended.
func (x *execution) read(ctx context.Context, after time.Time) error {
	if x.service.PendingListUse() == client.ListIgnored {
		return x.readNothing(ctx)
	}

	known := x.history.of(x.request.Person)
	if x.phase == refreshing {
		after = known.looked // all refreshes share a listing, unless this one has seen it already
	}
	if known.ended.After(after) {
		after = known.ended
	}

	seen, err := x.watch.look(ctx, x.request.Person, after, x.began)
	if err != nil {
		return err
	}
	x.seen = seen
	x.history.noteLook(x.request.Person, seen.Began)

	return nil
}

// readNothing stands for a reading if the list must not be read. It takes as long, so that the
// effect is not read more often.
func (x *execution) readNothing(ctx context.Context) error {
	if x.phase != refreshing {
		if err := transport.Pause(ctx, pollInterval(time.Since(x.began))); err != nil {
			return err
		}
	}
	x.seen = proof.NewListing(time.Now(), time.Now(), answer.PendingList{}).About(x.request.Identity)

	return nil
}
