// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// limit says how often a failed operation is repeated.
type limit int

const (
	final   limit = iota // never
	once                 // one time, or max_retries times if that is less
	retries              // max_retries times
	anew                 // with another token, once more than max_retries times

	// The service may have carried the request out. Only a sequence that begins with a comparison
	// may send it again (compared), or nothing of the transport (unknown).
	compared
	unknown

	// Nothing was sent, because its comparison was out of date. Only the whole sequence is begun again.
	outdated

	limits
)

// policy says for each class of failure what follows for each kind of operation. A class without a
// row is final. A connection that was lost before the request reached it is ClassUnreachable.
var policy = map[ErrorClass][kinds]limit{
	//                    reads    writes    queues   exports  logsIn
	ClassUnreachable:    {retries, retries, retries, retries, once},  // there is no connection
	ClassConnectionLost: {retries, compared, unknown, retries, once}, // sent, and the answer is lost or cut
	ClassTimeout:        {retries, compared, unknown, retries, once}, // sent, and no answer in time
	ClassCancelled:      {final, unknown, unknown, final, final},     // sent, and the run was interrupted
	ClassRateLimited:    {retries, retries, retries, retries, once},  // 429: refused before it was carried out
	ClassTooEarly:       {retries, retries, final, retries, once},    // 425: likewise, but of what is queued, 429 alone is repeated
	ClassServer:         {retries, compared, unknown, retries, once}, // 408, 5xx
	classRenewed:        {anew, anew, anew, anew, final},             // 401, and there is another token; to that one too, it is final
	ClassRedirect:       {final, final, unknown, final, final},       // 3xx: never followed, and may lead to what was queued
	ClassConflict:       {final, final, unknown, final, final},       // 409: may be with the request itself
	ClassOutdated:       {final, outdated, final, final, final},      // not sent
	ClassTruncated:      {once, compared, unknown, retries, once},    // a success that ends in the middle
	ClassPayload:        {final, compared, unknown, final, final},    // a success that cannot be read
	ClassTooLarge:       {final, compared, unknown, final, final},    // likewise
	ClassEmpty:          {final, compared, unknown, final, final},    // likewise
	ClassNotJSON:        {final, compared, unknown, final, final},    // likewise
}

// classRenewed is the row of a 401 to a token that has been replaced since.
const classRenewed ErrorClass = "Another token"

const (
	// LimitSends is how often an update is sent at most whose answers are lost.
	LimitSends = 2

	// limitComparisons is how often an update is compared once more at most, before it is sent.
	limitComparisons = 9
)

// allows reports whether an operation that has failed n times, the last time with e, is repeated. A
// caller without the time to wait hears of it now instead of at its own end.
func (s *Sender) allows(ctx context.Context, e *Error, n int) bool {
	deadline, isBounded := ctx.Deadline()
	if isBounded && e.RetryAfter > 0 && time.Until(deadline) < e.RetryAfter {
		return false
	}
	times := [limits]int{
		once:     min(1, s.cfg.MaxRetries),
		retries:  s.cfg.MaxRetries,
		anew:     s.cfg.MaxRetries + 1,
		compared: LimitSends,
		outdated: limitComparisons,
	}

	return max(n, 1) <= times[e.limit]
}

// wait returns how long to wait after a failure, the nth of its operation. What is compared first, or
// has another token, need not wait.
func (e *Error) wait(n int) time.Duration {
	if e.limit == once || e.limit == retries {
		return backoffAfter(n-1, e.RetryAfter)
	}
	return 0
}

// checkRetry is the CheckRetry of go-retryablehttp: whether a request is sent again. What may have
// been carried out is not, nor what follows from a comparison, which Repeat begins again.
func (c *call) checkRetry(ctx context.Context, _ *http.Response, err error) (bool, error) {
	if err != nil {
		c.refusal = CauseError(c.known, err)
	}
	e := c.refusal
	if e == nil || c.compared != nil || slices.Contains([]limit{final, compared}, e.limit) {
		return false, nil
	}

	isRepeated := c.sender.allows(ctx, e, e.Attempts)
	c.known.sent = c.known.sent && !isRepeated // what is repeated was not carried out, or changes nothing

	return isRepeated, nil
}

// backoff is the Backoff of go-retryablehttp.
func (c *call) backoff(_, _ time.Duration, attempt int, _ *http.Response) time.Duration {
	return c.refusal.wait(attempt + 1)
}

// Repeat calls step until it succeeds or the policy says no. step is a sequence of requests that can only be repeated
// from its beginning, such as a comparison and a write. An error that is not an *Error is returned at once. The
// attempts of the returned error are those of its operation that failed alike.
func (s *Sender) Repeat(ctx context.Context, step func(context.Context) error) error {
	failures := map[[2]any]int{}
	for {
		err := step(ctx)
		e, isOwn := errors.AsType[*Error](err)
		if !isOwn {
			return err
		}

		alike := [2]any{e.Operation, e.limit}
		failures[alike] += max(1, e.Attempts)
		n := failures[alike]
		if e.Attempts > 0 { // otherwise nothing was sent
			e.Attempts = n
		}
		if !s.allows(ctx, e, n) {
			return e
		}
		if Pause(ctx, e.wait(n)) != nil {
			ended := e.Final()
			ended.Class, ended.Detail = ClassCancelled, "the run was interrupted or its time was up"
			return ended
		}
	}
}

const (
	backoffBase  = 500 * time.Millisecond
	backoffCap   = 30 * time.Second
	backoffFloor = 50 * time.Millisecond

	// limitRetryAfter is the longest wait that a service can ask for: beyond it an error now is better than
	// a run that seems to hang.
	limitRetryAfter = 120 * time.Second
)

// backoffAfter returns how long to wait before the next attempt: what the service asked for, and a random
// time below a limit that doubles (full jitter), so that many waiters do not come back together.
func backoffAfter(attempt int, asked time.Duration) time.Duration {
	limit := min(backoffBase<<min(attempt, 10), backoffCap)
	if asked > 0 {
		limit = min(limit, asked/10+backoffBase)
	}

	return asked + backoffFloor + rand.N(limit) //nolint:gosec // spreading load needs no secrecy
}

// retryAfter returns how long an answer asks to wait, at most limit. Both forms of the header are read,
// seconds and a date. What cannot be read means no wait.
func retryAfter(h http.Header, limit time.Duration) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && !math.IsNaN(seconds) {
		return time.Duration(min(max(0, seconds), limit.Seconds()) * float64(time.Second))
	}

	when, err := http.ParseTime(value)
	if err != nil {
		return 0
	}

	return min(max(0, time.Until(when)), limit)
}
