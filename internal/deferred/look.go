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
// with the reason in err or observed.
func (x *execution) look(ctx context.Context) (goOn bool) {
	if x.service.PendingListUse() == client.ListIgnored {
		return x.lookWithoutList(ctx)
	}

	if err := x.read(ctx, time.Now()); err != nil {
		return x.lookFailed(ctx, err)
	}

	x.observed.Gap, x.observed.Unproven, x.observed.UnknownStatus = "", false, false
	own, found := x.request.find(x.current, x.seen, x.service.PendingListLag())
	if !found {
		return x.judgeAbsence(ctx, x.absence())
	}
	x.learnFrom(own)
	x.observed.UnknownStatus = own.Progress == answer.Unclear

	return x.judge(ctx, own)
}

// lookWithoutList is a look if the list must not be read. It takes as long as another look
// would, so that the effect is not measured more often.
func (x *execution) lookWithoutList(ctx context.Context) (goOn bool) {
	if x.phase != refreshing && transport.Pause(ctx, pollInterval(time.Since(x.began))) != nil {
		return false
	}

	x.seen = view{listing: listing{began: time.Now(), gap: "it is not asked for"}}
	if x.phase != refreshing { // a refresh does not warn of what is configured
		x.observed.Gap = x.seen.gap
	}
	if x.current.State.isUncertain() && x.lagIsOver() {
		return x.judgeAbsence(ctx, gone)
	}

	return x.judgeAbsence(ctx, notListed)
}

// lookFailed returns what look does if the list cannot be read.
func (x *execution) lookFailed(ctx context.Context, err error) (goOn bool) {
	switch {
	case x.phase == waiting && x.mayPass(ctx, err):
		return x.judgeAbsence(ctx, unread) // at most the effect can be seen
	case x.phase == refreshing:
		x.err = x.request.asError(err)
	case x.phase == submitting && ctx.Err() == nil && transport.MayPass(err) && time.Since(x.current.Sent) < x.service.PendingListLag():
		return true
	case x.phase == submitting:
		x.err = x.unknownOutcome(err)
	}

	return false
}

// judge concludes from the submission's own record.
func (x *execution) judge(ctx context.Context, own answer.PendingRecord) (goOn bool) {
	switch {
	case own.Progress == answer.Failed:
		x.observed.Code = own.Code
		x.enter(Failed)
	case own.Progress == answer.Ended && x.current.State != Delivered: // the configuration says what its status means
		x.enter(Left)
		return x.measure(ctx)
	case own.Progress == answer.Ended || own.Progress == answer.Done:
		x.enter(Fulfilled)
	default:
		x.enter(Listed)
		return true
	}

	return false
}

// judgeAbsence concludes from a list that does not show the request.
func (x *execution) judgeAbsence(ctx context.Context, how absence) (goOn bool) {
	switch s := x.current.State; {
	case s == Failed:
		return false
	case s == Delivered:
		x.judgeDelivered(how)
		return true
	case s == Unanswered && how == unread:
		return !x.lagIsOver()
	case how == held || how == unread && s != Left:
		return s.IsOpen()
	case how == gone && s == Unanswered:
		x.enter(Lost)
	case how == gone && s.IsOpen():
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
	case how == held || x.lagIsOver():
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
		x.observed.Err = err
	} else {
		x.err = x.request.asError(err)
	}

	return false
}

// read reads the list, no earlier than after, nor than the latest submission about the person
// ended. A list that comes from a cache, or is older than the request, is taken for one that
// cannot be read.
func (x *execution) read(ctx context.Context, after time.Time) error {
	about := x.request.Person
	x.history.about(about, func(p *personHistory) {
		if x.phase == refreshing {
			after = p.looked // all refreshes share a listing, unless this one has seen it already
		}
		if p.ended.After(after) {
			after = p.ended
		}
	})

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
	x.observed.Gap = x.gap()
	if !s.State.isUncertain() {
		// A record that wire.pending.use takes for another's does not hold the request.
		gap, isHeld := x.request.gapAbout(*s, x.seen)
		if isHeld && (x.observed.Gap != "" || gap == gapIdentity || gap == gapEqual) {
			x.observed.Gap = gap
			return held
		}
	}

	switch {
	case x.observed.Gap != "":
		return unread
	case s.State == Unanswered && x.request.Repeatable: // without harm
		return gone
	case !x.lagIsOver():
		return notListed
	case s.State.isUndecided():
		return gone
	}

	if s.MissingSince.IsZero() {
		s.MissingSince, s.MissingDate = x.seen.began, x.seen.date
	}
	if !x.seen.isAfter(s.MissingSince, s.MissingDate, x.service.PendingListLag()) {
		return notListed // another copy of the list may lag
	}
	if s.Seen {
		return gone
	}
	x.observed.Unproven = true

	return notListed
}

// lagIsOver reports whether the list that was read shows what was sent.
func (x *execution) lagIsOver() bool {
	return x.seen.isAfter(x.current.Sent, x.current.EndDate, x.service.PendingListLag())
}
