package client

import (
	"context"
	"time"
)

// renew makes sure that there is a newer token than the rejected one, and reports whether
// it did.
func (l *login) renew(ctx context.Context, rejected int) bool {
	switch l.decideRenewal(ctx, rejected) {
	case renewed:
		return true
	case pointless:
		return false
	}

	// A failing login shows as the original 401: that is what happened to the call.
	return l.obtain(ctx) == nil
}

// renewal is what a 401 calls for.
type renewal int

const (
	renewed     renewal = iota // nothing: another caller has renewed the token
	loginNeeded                // a login
	pointless                  // nothing: the next token would be rejected as well
)

// decideRenewal decides about a login after a 401 to the token of that number. Where the
// 401 alone does not explain why there is none, the call of ctx is told the reason.
func (l *login) decideRenewal(ctx context.Context, rejected int) renewal {
	l.mu.Lock()
	defer l.mu.Unlock()

	if l.number != rejected {
		return renewed
	}

	now := time.Now()
	if l.unproven || now.Before(l.refusedUntil) {
		return pointless
	}

	if l.renewing {
		// Another caller of this token has begun the login: one rejected token counts once.
		return loginNeeded
	}
	if l.endTooSoon(now) {
		callFrom(ctx).remark = "the service keeps rejecting tokens less than " + tokenFloor.String() +
			" after it issued them, so the provider does not log in again for now"
		return pointless
	}

	l.fresh, l.renewing = time.Time{}, true

	return loginNeeded
}

// endTooSoon counts the token that was rejected now, and reports whether tokens end so
// soon after their login that another login is pointless.
func (l *login) endTooSoon(now time.Time) bool {
	if now.Before(l.shortUntil) {
		return true
	}
	if l.lastAccepted.Sub(l.issued) >= tokenFloor {
		l.short = 0
		return false
	}

	l.short++
	if l.short <= shortTokenLimit {
		return false
	}

	l.short = shortTokenLimit - 1 // after the pause one more is tried
	l.shortUntil = now.Add(refusalPause)

	return true
}

// refused remembers that a fresh token was rejected as well, so that thousands of callers
// do not cause thousands of logins.
func (l *login) refused(int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refusedUntil = time.Now().Add(refusalPause)
}

func (l *login) accepted(mark int) {
	l.mu.Lock()
	defer l.mu.Unlock()

	if mark == l.number {
		l.unproven = false
		l.lastAccepted = time.Now()
	}
}
