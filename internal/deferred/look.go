// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"context"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// look reads the pending list and returns what it shows of the request.
func (x *execution) look(ctx context.Context) Event {
	if x.service.PendingListUse() == client.ListIgnored {
		return x.lookWithoutList(ctx)
	}

	about := personOf(x.request)
	after := time.Now()
	switch {
	case x.current.State == Idle:
		// Before sending, a slightly older listing will do, unless this process has
		// submitted something about the person since.
		after = x.history.latest(about, after.Add(-pollFloor))
	case x.phase == refreshing:
		// All refreshes share a listing, unless this one has seen it already.
		after = x.history.latest(about, x.history.looked(about))
	}

	seen, err := x.watch.look(ctx, about, after, x.began)
	if err != nil {
		return x.afterFailedLook(ctx, err)
	}
	if seen.cached || x.current.State != Idle && !seen.date.IsZero() && seen.date.Before(x.current.SentDate) {
		seen = view{began: seen.began, gap: gapCache}
	}
	x.seen = seen
	x.history.noteLook(about, seen.began)

	if x.current.State == Idle {
		return x.beforeSending()
	}

	return x.afterSending()
}

// lookWithoutList replaces a look if the list must not be read. It takes as long as a
// look would, so that the effect is not measured more often.
func (x *execution) lookWithoutList(ctx context.Context) Event {
	if x.current.State == Idle {
		x.seen = view{}
		return ShowsNothing
	}

	if x.phase != refreshing && transport.Pause(ctx, pollInterval(time.Since(x.began))) != nil {
		return nothing
	}

	x.seen = view{began: time.Now(), gap: "it is not asked for"}
	if x.phase != refreshing { // a refresh does not warn of what is configured
		x.report.Gap = x.seen.gap
	}
	if x.current.State.isUncertain() && x.lagIsOver(x.seen.began) {
		return StaysAway
	}

	return NotAsked
}

// afterFailedLook returns what it means that the list could not be read.
func (x *execution) afterFailedLook(ctx context.Context, err error) Event {
	if x.phase == waiting {
		return x.afterFailedWait(ctx, err, CannotBeRead)
	}

	if x.current.State == Idle || x.phase == refreshing {
		x.err = x.request.asError(err)
		return nothing
	}

	if ctx.Err() == nil && transport.MayPass(err) && !x.lagIsOver(time.Now()) {
		return CannotBeRead
	}

	x.err = x.unknownOutcome(err)

	return nothing
}

// afterFailedWait returns an event that lets a wait go on if the error may pass. Otherwise the
// wait ends.
func (x *execution) afterFailedWait(ctx context.Context, err error, goOn Event) Event {
	if ctx.Err() != nil {
		return nothing
	}

	if transport.MayPass(err) {
		return goOn
	}
	x.report.Err = err

	return nothing
}

// beforeSending returns what the list means for a request that has not been sent.
func (x *execution) beforeSending() Event {
	if equal := x.adoptable(); len(equal) > 0 {
		x.adopt(equal)
		return ShowsEqual
	}

	if record, found := x.request.conflicting(x.seen); found {
		x.err = x.request.conflict(record)
		return ShowsConflict
	}

	if event := x.sentByThisProcess(); event != nothing {
		return event
	}

	gap := x.gap()
	if x.request.Adopts && gap == "" && x.service.PendingListUse() != client.ListPartial && len(x.request.equalRecords(x.seen)) > 0 {
		gap = gapStatus
	}
	if gap != "" {
		x.err = x.request.unreadable(gap)
		return CannotBeRead
	}

	return ShowsNothing
}

// adoptable returns the records that could stand for the request. Their status is known to
// be open.
func (x *execution) adoptable() []answer.PendingRecord {
	if !x.request.Adopts {
		return nil
	}
	return filter(x.request.equalRecords(x.seen), func(record answer.PendingRecord) bool { return record.Progress() == answer.Waiting })
}

// adopt lets the oldest of several equal records stand for the request.
func (x *execution) adopt(equal []answer.PendingRecord) {
	own := equal[0]
	x.report.Adopted = true
	for _, other := range others(equal, own) {
		id, _ := other.ID.Get()
		x.report.Others = append(x.report.Others, id)
	}

	now := time.Now()
	x.current = Submission{Occasion: x.request.Occasion, At: now, Sent: now, Adopted: true, EffectBefore: true}
	if at, given := own.CreatedAt.Get(); given {
		x.current.At = at
	}
	x.learnFrom(own)
	x.own = own
}

// sentByThisProcess returns what another request of this process means that the list may
// not show yet; nothing if there is no such request.
func (x *execution) sentByThisProcess() Event {
	for _, entry := range x.history.open(x.request) {
		if time.Since(entry.Sent) >= x.service.PendingListLag() {
			continue // the list would show it
		}

		if x.request.Adopts && entry.requestType == x.request.Type {
			x.current, x.report.Adopted = entry.Submission, true
			x.current.State, x.current.Occasion = Idle, x.request.Occasion
			return SentBefore
		}

		if x.request.conflictsWith(entry.requestType) {
			x.err = x.request.conflictError(entry.ID, entry.requestType)
			return ShowsConflict
		}
	}

	return nothing
}

// gap returns why absence from the list proves nothing; empty if it does.
func (x *execution) gap() string {
	if x.service.PendingListUse() == client.ListPartial {
		return ""
	}
	return x.request.gapIn(x.seen)
}

// afterSending returns what the list shows of a request that was sent.
func (x *execution) afterSending() Event {
	x.report.Gap, x.report.Unproven = "", false
	own, found := x.request.find(x.current, x.seen, x.lagIsOver(x.seen.began))
	if !found {
		return x.absence()
	}

	x.learnFrom(own)
	x.own = own

	switch {
	case own.Progress() == answer.Failed:
		x.report.Code = own.Code
		return ShowsFailed
	case own.Ended:
		return ShowsEnded
	case own.Progress() == answer.Done:
		return ShowsDone
	}

	return ShowsOpen
}

// learnFrom adds what the submission lacks from its own record. An ID that was known before
// the request was sent does not distinguish it.
func (x *execution) learnFrom(own answer.PendingRecord) {
	id, given := own.ID.Get()
	if given && !slices.Contains(x.current.Before, keyOfID(id)) {
		x.current.ID, x.current.Before = id, nil
	} else if !x.current.Seen {
		rest := view{records: others(x.seen.records, own)}
		x.current.Before = x.request.keysOf(rest)
	}
	if at, given := own.CreatedAt.Get(); given && x.current.At.IsZero() {
		x.current.At = at
	}
	x.current.Seen, x.current.MissingSince = true, time.Time{}
}

// absence returns what it means that the list does not show the request.
func (x *execution) absence() Event {
	x.own = answer.PendingRecord{}
	s := &x.current
	lagIsOver := x.lagIsOver(x.seen.began)

	x.report.Gap = x.gap()
	if gap, held := x.gapOfAccepted(); held {
		x.report.Gap = gap
		return MayBeShown
	}

	switch {
	case x.report.Gap != "" && lagIsOver:
		return StaysUnread
	case x.report.Gap != "":
		return CannotBeRead
	case s.State == Unanswered && x.request.Repeatable: // without harm
		return StaysAway
	case s.State.isUndecided() && lagIsOver:
		return StaysAway
	case s.State.isUndecided() || !lagIsOver:
		return ShowsNothing
	}

	return x.absenceOfAccepted()
}

// gapOfAccepted returns why the list may hold a request that the service has accepted; held
// is false if it does not. A record that wire.pending_list takes for another's does not.
func (x *execution) gapOfAccepted() (gap string, held bool) {
	if x.current.State.isUncertain() {
		return "", false
	}

	gap, held = x.request.gapAbout(x.current, x.seen)

	return gap, held && (x.report.Gap != "" || gap == gapIdentity || gap == gapEqual)
}

// absenceOfAccepted is absence for a request that the service has accepted, from a list
// that is understood completely.
func (x *execution) absenceOfAccepted() Event {
	s := &x.current
	if s.MissingSince.IsZero() {
		s.MissingSince = x.seen.began
	}

	if x.seen.began.Sub(s.MissingSince) < x.service.PendingListLag() {
		return ShowsNothing // another copy of the list may lag
	}
	if s.Seen {
		return StaysAway
	}

	x.report.Unproven = true

	return ShowsNothing
}

// lagIsOver reports whether a listing that began at a time shows what was sent.
func (x *execution) lagIsOver(began time.Time) bool {
	return began.Sub(x.current.Sent) >= x.service.PendingListLag()
}
