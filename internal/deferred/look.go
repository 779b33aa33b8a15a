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

// absence is what it means that the list does not show the request.
type absence int

const (
	unread    absence = iota // nothing: the list is not understood as a whole
	held                     // it may be shown, in a record that is not known to be its own
	notListed                // it is not in the list, which may lag
	gone                     // it is not in the list, which has had time to show it
)

// look looks once at a request that was sent: at the pending list, and where that is not
// decisive, at the effect. It reports whether another look may show more, or reports false
// with the reason in err or report.
func (x *execution) look(ctx context.Context) (goOn bool) {
	how := notListed
	if x.service.PendingListUse() == client.ListIgnored {
		if !x.lookWithoutList(ctx) {
			return false
		}
		if x.current.State.isUncertain() && x.lagIsOver(x.seen.began) {
			how = gone
		}
	} else {
		if goOn, failed := x.readList(ctx); failed {
			return goOn
		}

		x.report.Gap, x.report.Unproven = "", false
		own, found := x.request.find(x.current, x.seen, x.service.PendingListLag())
		if found {
			x.learnFrom(own)
			x.own = own

			return x.judge(ctx, own)
		}
		x.own = answer.PendingRecord{}
		how = x.absence()
	}

	return x.judgeAbsence(ctx, how)
}

// judge concludes from the submission's own record.
func (x *execution) judge(ctx context.Context, own answer.PendingRecord) (goOn bool) {
	switch {
	case own.Progress() == answer.Failed:
		x.report.Code = own.Code
		x.enter(Failed)
	case own.Ended && x.current.State != Delivered: // the configuration says what its status means
		x.enter(Left)
		return x.measure(ctx)
	case own.Ended || own.Progress() == answer.Done:
		x.enter(Fulfilled)
	default:
		x.enter(Listed)
		return true
	}

	return false
}

// judgeAbsence concludes from a list that does not show the request.
func (x *execution) judgeAbsence(ctx context.Context, how absence) (goOn bool) {
	isUnclear := how == unread || how == held

	switch x.current.State {
	case Idle, Fulfilled, Failed:
		return false

	case Delivered:
		x.judgeDelivered(how)
		return true

	case Unanswered:
		if how == unread {
			return !x.lagIsOver(x.seen.began)
		}

	case Lost, Dropped, Accepted, Listed:
		if isUnclear {
			return x.current.State.IsOpen()
		}

	case Left:
		if how == held {
			return true
		}
	}

	if how == gone && x.current.State == Unanswered {
		x.enter(Lost)
	} else if how == gone && x.current.State.IsOpen() {
		x.enter(Left)
	}

	return x.measure(ctx)
}

// judgeDelivered concludes from a list that does not show a request whose answer looks like the
// data. While a request is pending for the person, no answer is the data.
func (x *execution) judgeDelivered(how absence) {
	switch {
	case how == notListed || how == gone:
		x.enter(Fulfilled)
	case how == held || x.lagIsOver(x.seen.began):
		x.enter(Accepted)
	}
}

// measure looks at the effect of the request.
func (x *execution) measure(ctx context.Context) (goOn bool) {
	visible := x.current.State == Left // without an effect to see, the list has decided
	if x.request.Effect == nil {
		x.current.EffectBefore = true
	} else {
		seen, err := x.request.Effect(ctx, x.current.SentDate)
		if err != nil {
			return x.mayPass(ctx, err)
		}
		// It proves nothing if it was there before, unless the list has decided that the
		// request is over.
		visible = seen && (!x.current.EffectBefore || x.current.State == Left || x.current.State == Dropped)
	}

	switch {
	case visible:
		x.enter(Fulfilled)
	case x.current.State == Left:
		x.enter(Dropped)
	}

	return x.current.State != Dropped
}

// mayPass reports whether another look may succeed after the error of one, and otherwise
// notes the error. A request that is over stays as it is.
func (x *execution) mayPass(ctx context.Context, err error) bool {
	if ctx.Err() == nil && (x.phase == submitting || transport.MayPass(err)) {
		return x.current.State != Dropped
	}
	if ctx.Err() != nil {
		return false
	}

	if x.phase == waiting {
		x.report.Err = err
	} else {
		x.err = x.request.asError(err)
	}

	return false
}

// read reads the list, no earlier than after. A list that comes from a cache, or is older than
// the request, is taken for one that cannot be read.
func (x *execution) read(ctx context.Context, after time.Time) error {
	about := personOf(x.request)
	seen, err := x.watch.look(ctx, about, after, x.began)
	if err != nil {
		return err
	}

	isOld := x.current.State != Idle && !seen.date.IsZero() && seen.date.Before(x.current.SentDate)
	if seen.cached || isOld {
		seen = view{listing: listing{began: seen.began, gap: gapCache}}
	}
	x.seen = seen
	x.history.about(about, func(p *personHistory) { p.looked = seen.began })

	return nil
}

// readList reads the list for a request that was sent. If that fails, goOn is what look
// returns.
func (x *execution) readList(ctx context.Context) (goOn, failed bool) {
	after := time.Now()
	if x.phase == refreshing {
		// All refreshes share a listing, unless this one has seen it already.
		x.history.about(personOf(x.request), func(p *personHistory) {
			after = p.looked
			if p.ended.After(after) {
				after = p.ended
			}
		})
	}

	err := x.read(ctx, after)
	if err == nil {
		return false, false
	}

	switch x.phase {
	case waiting:
		if ctx.Err() == nil && !transport.MayPass(err) {
			x.report.Err = err
		}
		if ctx.Err() != nil || !transport.MayPass(err) {
			return false, true
		}
		return x.judgeAbsence(ctx, unread), true // at most the effect can be seen

	case refreshing:
		x.err = x.request.asError(err)

	case submitting:
		if ctx.Err() == nil && transport.MayPass(err) && !x.lagIsOver(time.Now()) {
			return x.current.State != Lost, true
		}
		x.err = x.unknownOutcome(err)
	}

	return false, true
}

// lookWithoutList replaces a look if the list must not be read. It takes as long as a
// look would, so that the effect is not measured more often.
func (x *execution) lookWithoutList(ctx context.Context) bool {
	if x.phase != refreshing && transport.Pause(ctx, pollInterval(time.Since(x.began))) != nil {
		return false
	}

	x.seen = view{listing: listing{began: time.Now(), gap: "it is not asked for"}}
	if x.phase != refreshing { // a refresh does not warn of what is configured
		x.report.Gap = x.seen.gap
	}

	return true
}

// gap returns why absence from the list proves nothing; empty if it does.
func (x *execution) gap() string {
	if x.service.PendingListUse() == client.ListPartial {
		return ""
	}
	return x.request.gapIn(x.seen)
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
	at, given := own.CreatedAt.Get()
	if given && x.current.At.IsZero() {
		x.current.At = at
	}
	if given && !x.current.Seen {
		x.current.ListedAt = at
	}
	x.current.Seen, x.current.MissingSince = true, time.Time{}
}

// absence returns what it means that the list does not show the request.
func (x *execution) absence() absence {
	s := &x.current
	lagIsOver := x.lagIsOver(x.seen.began)

	x.report.Gap = x.gap()
	if !s.State.isUncertain() {
		// A record that wire.pending_list takes for another's does not hold the request.
		gap, isHeld := x.request.gapAbout(*s, x.seen)
		if isHeld && (x.report.Gap != "" || gap == gapIdentity || gap == gapEqual) {
			x.report.Gap = gap
			return held
		}
	}

	switch {
	case x.report.Gap != "":
		return unread
	case s.State == Unanswered && x.request.Repeatable: // without harm
		return gone
	case !lagIsOver:
		return notListed
	case s.State.isUndecided():
		return gone
	}

	if s.MissingSince.IsZero() {
		s.MissingSince = x.seen.began
	}
	if x.seen.began.Sub(s.MissingSince) < x.service.PendingListLag() {
		return notListed // another copy of the list may lag
	}
	if s.Seen {
		return gone
	}
	x.report.Unproven = true

	return notListed
}

// lagIsOver reports whether a listing that began at a time shows what was sent.
func (x *execution) lagIsOver(began time.Time) bool {
	return began.Sub(x.current.Sent) >= x.service.PendingListLag()
}
