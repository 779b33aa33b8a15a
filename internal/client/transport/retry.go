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

	"github.com/hashicorp/go-retryablehttp"
)

const (
	backoffBase  = 500 * time.Millisecond
	backoffCap   = 30 * time.Second
	backoffFloor = 50 * time.Millisecond
)

// newRetryClient returns the outermost layer. It sends again what may be sent again, and
// follows no redirect: Go would turn a PATCH into a GET, or carry a login's password
// elsewhere.
func newRetryClient(maxRetries int, next http.RoundTripper) *retryablehttp.Client {
	return &retryablehttp.Client{
		HTTPClient: &http.Client{
			Transport:     next, // has no CloseIdleConnections: one failed call must not cost the others their connections
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		RetryMax:     maxRetries,
		CheckRetry:   mayRetry,
		Backoff:      backoff,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
}

// mayRetry decides by the operation and its failure.
func mayRetry(ctx context.Context, resp *http.Response, err error) (bool, error) {
	k := callFrom(ctx)
	if err == nil {
		wait, _ := askedToWait(resp)
		return ctx.Err() == nil && k.Op.repeatsAfter(resp.StatusCode) && hasTimeFor(ctx, wait), nil
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}

	e := k.TransportError(err)
	if e.Class == ClassTruncated {
		k.truncated++
	}

	return e.Operation == k.Op.Name && k.truncated < 2 && e.isBroken(), nil
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

// isBroken reports whether a request or its answer broke off, and certainly without an
// effect.
func (e *Error) isBroken() bool {
	return !e.Ambiguous && IsClass(e, ClassUnreachable, ClassConnectionLost, ClassTimeout, ClassTruncated)
}

// Again decides after a failure of an operation whether it is sent again, and when. failed is
// how often the operation has failed before.
func (s *Sender) Again(ctx context.Context, op Operation, e *Error, failed int) (wait time.Duration, ok bool) {
	limit := s.maxRetries
	if e.Class == ClassTruncated { // the answer was complete, and is read again once
		limit = min(limit, 1)
	}

	ok = failed < limit && (e.isBroken() || op.repeatsAfter(e.Status)) && hasTimeFor(ctx, e.RetryAfter)

	return BackoffAfter(failed, e.RetryAfter), ok
}

// hasTimeFor reports whether the caller has so much time. If not, it hears of the limit now
// instead of waiting for its own end.
func hasTimeFor(ctx context.Context, wait time.Duration) bool {
	deadline, bounded := ctx.Deadline()
	return wait == 0 || !bounded || time.Until(deadline) >= wait
}

// backoff returns how long to wait before the next attempt after an answer.
func backoff(_, _ time.Duration, attempt int, resp *http.Response) time.Duration {
	wait, _ := askedToWait(resp)
	return BackoffAfter(attempt, wait)
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
	if resp == nil {
		return 0, false
	}

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
