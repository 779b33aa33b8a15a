package deferred

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// look reads the pending list and says what it shows of the request.
func (l *life) look(ctx context.Context) (seen Event, ok bool) {
	about := personOf(l.request)
	after := time.Now()
	if l.now.State == Idle {
		// Before sending, a reading that is a moment old will do, unless this process has
		// submitted something about the person since.
		after = l.run.latest(about, after.Add(-pollFloor))
	}

	if l.request.List == ListIgnored {
		return l.withoutList(ctx)
	}
	sight, err := l.watch.look(ctx, about, after, l.began)
	if err != nil {
		return l.failedLook(ctx, err)
	}
	l.seen = sight

	if l.now.State == Idle {
		return l.beforeSending(), true
	}
	return l.afterSending(), true
}

// withoutList takes the place of a look where the list is not to be asked. Waiting
// for the effect is paced as looking would be.
func (l *life) withoutList(ctx context.Context) (seen Event, ok bool) {
	if l.now.State == Idle {
		l.seen = sight{}
		return ShowsNothing, true
	}

	if l.phase != refreshing {
		if client.Pause(ctx, pollInterval(time.Since(l.began))) != nil {
			return "", false
		}
	}
	l.seen = sight{began: time.Now(), gap: "it is not asked for"}
	l.report.Gap = l.seen.gap
	if l.now.State.isUncertain() && l.hasSettled(l.seen.began) {
		return StaysAway, true
	}
	return NotAsked, true
}

// failedLook decides what a list that could not be read means.
func (l *life) failedLook(ctx context.Context, err error) (seen Event, ok bool) {
	passing := ctx.Err() == nil && client.MayPass(err)

	switch {
	case l.phase == waiting && passing:
		return CannotBeRead, true
	case l.phase == waiting:
		if ctx.Err() == nil {
			l.report.Err = err
		}
		return "", false
	case l.now.State == Idle || l.phase == refreshing:
		l.err = l.request.asError(err)
		return "", false
	case passing && !l.hasSettled(time.Now()):
		return CannotBeRead, true
	}
	l.err = l.unknownOutcome(err)
	return "", false
}

// beforeSending says what the list means for a request that was not sent yet.
func (l *life) beforeSending() Event {
	if l.request.Adopts {
		if equal := l.request.equals(l.seen); len(equal) > 0 {
			l.adopt(equal)
			return ShowsEqual
		}
	}
	if record, found := l.request.contrary(l.seen); found {
		l.err = l.request.conflict(record)
		return ShowsContrary
	}
	if event, found := l.ofThisRun(); found {
		return event
	}
	if gap := l.request.gapIn(l.seen); gap != "" {
		l.err = l.request.unreadable(gap)
		return CannotBeRead
	}
	return ShowsNothing
}

// adopt lets the oldest of several equal records stand for the request.
func (l *life) adopt(equal []client.PendingRecord) {
	own := equal[0]
	l.report.Adopted, l.report.Others = true, others(equal, own)

	l.now = Submission{Occasion: l.request.Occasion, At: time.Now(), EffectBefore: true}
	l.now.Sent = l.now.At
	if at, given := own.CreatedAt.Get(); given {
		l.now.At = at
	}
	if id, given := own.ID.Get(); given {
		l.now.ID = id
	} else {
		l.now.Before = withoutOne(l.request.keysOf(l.seen), keyOf(own))
	}
	l.noteStatus(own)
}

// ofThisRun says what a request of this process means that the list may not show
// yet.
func (l *life) ofThisRun() (seen Event, found bool) {
	for _, entry := range l.run.open(l.request) {
		if time.Since(entry.Sent) >= l.service.PendingListLag() {
			continue // the list would show it
		}
		if entry.operation == l.request.Type && l.request.Adopts {
			l.now, l.report.Adopted = entry.Submission, true
			l.now.State, l.now.Occasion = Idle, l.request.Occasion
			return SentBefore, true
		}
		if l.request.isAgainst(entry.operation) {
			l.err = l.request.conflictWith(entry.ID, entry.operation)
			return ShowsContrary, true
		}
	}
	return "", false
}

// afterSending says what the list shows of a request that was sent.
func (l *life) afterSending() Event {
	own, found := l.request.find(l.now, l.seen)
	if !found {
		return l.absence()
	}

	if id, given := own.ID.Get(); given && l.now.ID == "" {
		l.now.ID, l.now.Before = id, nil
	}
	if at, given := own.CreatedAt.Get(); given && l.now.At.IsZero() {
		l.now.At = at
	}
	l.report.Gap = ""
	l.noteStatus(own)
	switch l.request.progressOf(own) {
	case client.Failed:
		l.report.Code = own.FailureCode()
		return ShowsFailed
	case client.Done:
		return ShowsDone
	case client.Waiting, client.Unclear:
	}
	return ShowsOpen
}

// absence says what it means that the list does not have the request.
func (l *life) absence() Event {
	l.report.Status = ""
	l.report.Gap = l.request.gapIn(l.seen)

	switch {
	case l.report.Gap != "" && l.hasSettled(l.seen.began):
		return StaysUnread
	case l.report.Gap != "":
		return CannotBeRead
	case l.hasSettled(l.seen.began):
		return StaysAway
	case l.now.State == Unanswered && l.request.Repeatable:
		return StaysAway // sending it again does no harm
	}
	return ShowsNothing
}

// hasSettled reports whether the list shows by that time what was sent.
func (l *life) hasSettled(at time.Time) bool {
	return at.Sub(l.now.Sent) >= l.service.PendingListLag()
}

func (l *life) noteStatus(own client.PendingRecord) {
	l.report.Status = ""
	if l.request.progressOf(own) == client.Unclear {
		l.report.Status = own.ShownStatus()
	}
}

// measure looks at the effect of the request.
func (l *life) measure(ctx context.Context) (seen Event, ok bool) {
	if l.request.Effect == nil {
		l.now.EffectBefore = true
		if l.now.State == Left {
			return EffectVisible, true // there is nothing to see, and the list has decided
		}
		return EffectAbsent, true
	}
	if l.now.State == Idle && l.request.EffectKnownAbsent {
		return EffectAbsent, true
	}

	visible, err := l.request.Effect(ctx)
	if err != nil {
		return l.failedMeasure(ctx, err)
	}

	if l.now.State == Idle {
		l.now.EffectBefore = visible
	}
	decided := l.now.State == Left || l.now.State == Dropped
	if visible && (decided || !l.now.EffectBefore) {
		return EffectVisible, true
	}
	return EffectAbsent, true
}

// failedMeasure decides what an effect that could not be looked at means.
func (l *life) failedMeasure(ctx context.Context, err error) (seen Event, ok bool) {
	if ctx.Err() != nil && l.now.State == Idle {
		l.err = l.request.asError(err)
		return "", false
	}
	if ctx.Err() != nil {
		return "", false
	}

	if l.now.State == Idle {
		l.now.EffectBefore = true // seeing it later would prove nothing
		return EffectUnknown, true
	}
	if l.phase == submitting || client.MayPass(err) {
		return EffectUnknown, true
	}
	if l.phase == refreshing {
		l.err = l.request.asError(err)
		return "", false
	}
	l.report.Err = err
	return "", false
}

// send sends the request.
func (l *life) send(ctx context.Context) (seen Event, ok bool) {
	l.sends++
	if l.now.State == Idle {
		l.now.Occasion, l.now.Before = l.request.Occasion, l.notOurs()
	}

	receipt, err := l.request.Send(ctx)
	l.now.Sent = time.Now() // the list may lag from here on
	l.run.noteEnd(personOf(l.request))
	if lost, ambiguous := errors.AsType[*client.Error](err); ambiguous && lost.Ambiguous {
		l.lost = lost
		return AnswerLost, true
	}
	if err != nil {
		l.err = l.refusal(err)
		return WasRefused, true
	}

	l.now.At = receipt.At
	if receipt.Delivered {
		return WasDelivered, true
	}
	l.now.ID = receipt.ID
	if receipt.ID != "" {
		l.now.Before = nil
	}
	return WasAccepted, true
}

// notOurs returns the keys of the records that are not the request that is about to be
// sent: those that are listed, and those of this run that the list may not show yet.
func (l *life) notOurs() []string {
	keys := l.request.keysOf(l.seen)
	for _, entry := range l.run.open(l.request) {
		key := keyOfID(entry.ID)
		if entry.operation == l.request.Type && entry.ID != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}
