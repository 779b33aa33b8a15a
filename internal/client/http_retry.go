package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

const (
	backoffBase  = 500 * time.Millisecond
	backoffCap   = 30 * time.Second
	backoffFloor = 50 * time.Millisecond

	// limitRetryAfter is the longest wait that a service can ask for: beyond it an
	// error now is better than a run that seems to hang.
	limitRetryAfter = 120 * time.Second
)

// newRetryClient sends again what may be sent again, and follows no redirect: Go
// would turn a PATCH into a GET, or carry a login's password elsewhere.
func newRetryClient(maxRetries int, next http.RoundTripper) *retryablehttp.Client {
	return &retryablehttp.Client{
		HTTPClient: &http.Client{
			Transport:     next, // has no CloseIdleConnections: one failed call must not cost the others their connections
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		RetryMax:     maxRetries,
		CheckRetry:   mayRetry,
		Backoff:      backoff,
		PrepareRetry: lookAgain,
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
}

// lookAgain lets an operation change its mind: between two attempts there may have
// been minutes, in which a person has chosen.
func lookAgain(req *http.Request) error {
	if k := callFrom(req.Context()); k.beforeRetry != nil {
		return k.beforeRetry()
	}
	return nil
}

// mayRetry decides by class of operation and of failure: a read is sent again
// after anything that may pass, a write only where the service certainly did not
// carry it out. What remains is for the operation to settle, by looking.
func mayRetry(ctx context.Context, resp *http.Response, err error) (bool, error) {
	if ctx.Err() != nil && err == nil {
		return false, nil // the answer came all the same
	}
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	k := callFrom(ctx)
	if err != nil {
		return k.retryAfterError(err), nil
	}
	switch status := resp.StatusCode; {
	case tooLate(ctx, resp):
		return false, nil
	case status == http.StatusTooManyRequests, status == http.StatusTooEarly:
		return true, nil
	case status == http.StatusRequestTimeout, status/100 == 5 && !staysFailed(status):
		return !k.op.effect, nil
	}
	return false, nil
}

func (k *call) retryAfterError(err error) bool {
	if own, ok := errors.AsType[*Error](err); ok {
		return own.Operation == k.op.name && k.mayReadAgain(own.Class)
	}
	e := k.transportError(err)
	switch e.Class {
	case ClassUnreachable, ClassConnectionLost, ClassTimeout:
		return !e.Ambiguous
	}
	return false
}

// mayReadAgain: an answer that broke off is worth another try for a read; JSON
// that ends in the middle of a complete answer only once.
func (k *call) mayReadAgain(kind ErrorClass) bool {
	switch kind {
	case ClassTruncated:
		k.truncated++
		return !k.op.effect && k.truncated < 2
	case ClassConnectionLost, ClassTimeout:
		return !k.op.effect
	}
	return false
}

// tooLate reports that the service asks for more time than the caller has: the
// caller hears of the limit now instead of waiting for its own end.
func tooLate(ctx context.Context, resp *http.Response) bool {
	wait, asked := askedToWait(resp)
	deadline, bounded := ctx.Deadline()
	return asked && bounded && time.Until(deadline) < wait
}

// backoff waits what the service asked for, or a random time below a limit that
// doubles (full jitter), so that many waiters do not come back together.
func backoff(_, _ time.Duration, attempt int, resp *http.Response) time.Duration {
	limit := backoffCap
	if attempt < 6 {
		limit = backoffBase << attempt
	}
	if wait, ok := askedToWait(resp); ok {
		return wait + jitter(min(limit, wait/10+backoffBase))
	}
	return jitter(limit)
}

func jitter(limit time.Duration) time.Duration {
	return backoffFloor + rand.N(limit) //nolint:gosec // spreading load needs no secrecy
}
