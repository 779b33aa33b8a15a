// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	backoffBase  = 500 * time.Millisecond
	backoffCap   = 30 * time.Second
	backoffFloor = 50 * time.Millisecond
)

// Again decides after a failure of an operation whether it is sent again, and when. e counts
// the attempts so far; nil is none.
func (s *Sender) Again(ctx context.Context, op Operation, e *Error) (wait time.Duration, again bool) {
	if e == nil || e.Operation != op.Name { // a failed login has been repeated already
		return 0, false
	}

	limit := s.cfg.MaxRetries
	if e.Class == ClassTruncated { // the answer was complete, and is read again once
		limit = min(limit, 1)
	}
	isBroken := !e.Ambiguous && IsClass(e, ClassUnreachable, ClassConnectionLost, ClassTimeout, ClassTruncated)
	if e.Attempts > limit || !isBroken && !op.repeatsAfter(e.Status) {
		return 0, false
	}

	// A caller without the time hears of the limit now instead of waiting for its own end.
	deadline, bounded := ctx.Deadline()
	if bounded && e.RetryAfter > 0 && time.Until(deadline) < e.RetryAfter {
		return 0, false
	}

	return BackoffAfter(e.Attempts-1, e.RetryAfter), true
}

// repeatsAfter reports whether the operation is sent again after an answer with a status. A
// read is sent again after anything that may pass, a write only where the service certainly
// did not carry it out. Where that is not known, the operation looks at the service itself.
func (op Operation) repeatsAfter(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusTooEarly: // it was not carried out
		return true
	case http.StatusRequestTimeout:
		return !op.Effect
	}

	return !op.Effect && status/100 == 5 && !staysFailed(status)
}

// BackoffAfter returns how long to wait before the next attempt: what the service asked for,
// or a random time below a limit that doubles (full jitter), so that many waiters do not
// come back together.
func BackoffAfter(attempt int, asked time.Duration) time.Duration {
	limit := backoffCap
	if attempt < 6 {
		limit = backoffBase << attempt
	}

	if asked > 0 {
		return asked + jitter(min(limit, asked/10+backoffBase))
	}

	return jitter(limit)
}

// jitter returns a random time between backoffFloor and limit above it.
func jitter(limit time.Duration) time.Duration {
	return backoffFloor + rand.N(limit) //nolint:gosec // spreading load needs no secrecy
}

// limitRetryAfter is the longest wait that a service can ask for: beyond it an error now
// is better than a run that seems to hang.
const limitRetryAfter = 120 * time.Second

// askedToWait returns the Retry-After of a 429 or 503, from 0 to limitRetryAfter, and
// whether the answer has one.
func askedToWait(resp *http.Response) (time.Duration, bool) {
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return ParseRetryAfter(resp.Header.Get("Retry-After"), time.Now(), limitRetryAfter)
	}

	return 0, false
}

// ParseRetryAfter reads both forms of the header, seconds and a date, and bounds the wait
// to 0…limit. What it cannot read counts as not given.
func ParseRetryAfter(value string, now time.Time, limit time.Duration) (time.Duration, bool) {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && !math.IsNaN(seconds) {
		seconds = min(max(0, seconds), limit.Seconds())
		return time.Duration(seconds * float64(time.Second)), true
	}

	when, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}

	return min(max(0, when.Sub(now)), limit), true
}
