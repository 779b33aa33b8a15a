// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestBackoff_fullJitterUnderADoublingLimit(t *testing.T) {
	t.Parallel()
	for attempt := range 200 {
		limit := min(backoffBase<<min(attempt, 10), backoffCap)
		for range 20 {
			if wait := BackoffAfter(attempt, 0); wait < backoffFloor || wait > limit+backoffFloor {
				t.Fatalf("attempt %d waits %v, limit %v", attempt, wait, limit)
			}
		}
	}
}

func TestRetryAfter_parsedAndBounded(t *testing.T) {
	t.Parallel()

	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]struct {
		wait  time.Duration
		given bool
	}{
		"":                              {0, false},
		"2":                             {2 * time.Second, true},
		" 2 ":                           {2 * time.Second, true},
		"0":                             {0, true},
		"-1":                            {0, true},
		"1.5":                           {1500 * time.Millisecond, true},
		"3600":                          {limitRetryAfter, true},
		"9223372037":                    {limitRetryAfter, true},
		"1e300":                         {limitRetryAfter, true},
		"1e999":                         {0, false},
		"NaN":                           {0, false},
		"Inf":                           {limitRetryAfter, true},
		"-Inf":                          {0, true},
		"abc":                           {0, false},
		"Sat, 31 Jan 2026 12:00:30 GMT": {30 * time.Second, true},
		"Sat, 31 Jan 2026 11:00:00 GMT": {0, true},
		"Sat, 31 Jan 2026 14:00:00 GMT": {limitRetryAfter, true},
		"Fri, 31 Dec 9999 23:59:59 GMT": {limitRetryAfter, true},
		"Mon, 01 Jan 0001 00:00:00 GMT": {0, true},
	} {
		wait, given := ParseRetryAfter(value, now, limitRetryAfter)
		if wait != want.wait || given != want.given {
			t.Errorf("%q: %v %v, want %v %v", value, wait, given, want.wait, want.given)
		}
	}
}

func FuzzRetryAfter_neitherHotLoopNorHang(f *testing.F) {
	for _, seed := range []string{"2", "-1", "1.5", "9223372037", "abc", "Fri, 31 Dec 9999 23:59:59 GMT", "0x10", "1_000"} {
		f.Add(seed, 0)
	}

	f.Fuzz(func(t *testing.T, value string, attempt int) {
		if attempt < 0 {
			return
		}

		resp := &http.Response{StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {value}}}
		asked, _ := askedToWait(resp)
		wait := BackoffAfter(attempt, asked)
		if wait < backoffFloor || wait > limitRetryAfter+limitRetryAfter/10+backoffBase+backoffFloor {
			t.Fatalf("Retry-After %q, attempt %d: waits %v", value, attempt, wait)
		}
	})
}

// refuse makes the first dials fail, or all of them if times is negative. It counts all
// dials.
func refuse(times int64, dials *atomic.Int64) option {
	return func(_ *mocktest.Instance, cfg *Config) {
		dial := cfg.DialContext
		cfg.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			if n := dials.Add(1); times < 0 || n <= times {
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
			}
			return dial(ctx, network, address)
		}
	}
}

func TestRetry_refusedConnectionIsTriedAgain(t *testing.T) {
	t.Parallel()
	var dials atomic.Int64
	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		noError(t, update(t.Context(), s))
		wantCount(t, service, mockserver.OpUpdateConsent, 1)
		if dials.Load() != 3 {
			t.Errorf("%d dials, want 3", dials.Load())
		}
	}, useSecretKey, refuse(2, &dials))
}

func TestRetry_lastingRefusalIsAnErrorAfterTheRetries(t *testing.T) {
	t.Parallel()

	var dials atomic.Int64
	bubble(t, func(t *testing.T, _ *mocktest.Instance, s *Sender) {
		began := time.Now()
		e := wantClass(t, read(t.Context(), s), ClassUnreachable)
		if e.Attempts != maxRetries+1 || dials.Load() != int64(e.Attempts) {
			t.Errorf("%d attempts, %d dials", e.Attempts, dials.Load())
		}

		if waited := time.Since(began); waited > time.Minute {
			t.Errorf("it took %v", waited)
		}

		if e.Ambiguous {
			t.Error("a request that was never sent is called ambiguous")
		}
	}, useSecretKey, refuse(-1, &dials))
}

func TestRetry_brokenAnswerToARead(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		fault    mockserver.Fault
		class    ErrorClass
		attempts int // if the fault lasts
	}{
		"reset":              {mockserver.Fault{Cut: mockserver.CutBeforeCommit}, ClassConnectionLost, 5},
		"short body":         {mockserver.Fault{Cut: mockserver.CutBody, CutAt: 10}, ClassConnectionLost, 5},
		"cut chunks":         {mockserver.Fault{Cut: mockserver.CutChunked, CutAt: 10}, ClassConnectionLost, 5},
		"close-delimited":    {mockserver.Fault{Cut: mockserver.CutCloseDelimited, CutAt: 24}, ClassTruncated, 2},
		"truncated JSON":     {mockserver.Fault{Status: 200, Body: []byte(`{"clause_1_consent":true,`)}, ClassTruncated, 2},
		"no answer at all":   {mockserver.Fault{Hang: true}, ClassTimeout, 5},
		"408":                {mockserver.Fault{Status: 408}, ClassServer, 5},
		"425":                {mockserver.Fault{Status: 425}, ClassServer, 5},
		"500":                {mockserver.Fault{Status: 500}, ClassServer, 5},
		"502 page":           {mockserver.Fault{Status: 502, Body: []byte("<html>bad gateway</html>")}, ClassServer, 5},
		"503":                {mockserver.Fault{Status: 503}, ClassServer, 5},
		"504":                {mockserver.Fault{Status: 504}, ClassServer, 5},
		"429 without a wish": {mockserver.Fault{Status: 429}, ClassRateLimited, 5},
	} {
		t.Run(name+" once", func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
				once := tc.fault
				once.Operation = mockserver.OpGetConsent
				service.Inject(once)
				noError(t, read(t.Context(), s))
				wantCount(t, service, mockserver.OpGetConsent, 2)
			}, useSecretKey)
		})

		t.Run(name+" for ever", func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
				always := tc.fault
				always.Operation, always.Times = mockserver.OpGetConsent, -1
				service.Inject(always)
				e := wantClass(t, read(t.Context(), s), tc.class)
				if e.Attempts != tc.attempts {
					t.Errorf("%d attempts are reported, want %d", e.Attempts, tc.attempts)
				}

				wantCount(t, service, mockserver.OpGetConsent, tc.attempts)
			}, useSecretKey)
		})
	}
}

func TestRetry_brokenAnswerBefore429IsARateLimit(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		service.Inject(
			mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Cut: mockserver.CutBody, CutAt: 3},
			mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Status: 429, Times: -1})
		_ = wantClass(t, readUser(t.Context(), s), ClassRateLimited)
	}, useSecretKey)
}

func TestRetry_cancelledCallEndsAtOnce(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 503, Header: map[string][]string{"Retry-After": {"60"}}, Times: -1})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, cancel)
		began := time.Now()
		err := read(ctx, s)
		_ = wantClass(t, err, ClassCancelled)

		if !errors.Is(err, context.Canceled) {
			t.Error("the error does not say that the context was cancelled")
		}

		if late := time.Since(began) - 10*time.Second; late > 50*time.Millisecond {
			t.Errorf("it ended %v after the cancellation", late)
		}

		wantCount(t, service, mockserver.OpGetConsent, 1)
	}, useSecretKey)
}

func TestRetryAfter_lastingRateLimitIsAnErrorWithTheLastWish(t *testing.T) {
	t.Parallel()

	for header, want := range map[string]time.Duration{"7": 7 * time.Second, "3600": 2 * time.Minute, "9223372037": 2 * time.Minute, "-1": 0, "abc": 0} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 429, Times: -1, Header: map[string][]string{"Retry-After": {header}}})
			began := time.Now()

			e := wantClass(t, update(t.Context(), s), ClassRateLimited)
			if e.RetryAfter != want || e.Ambiguous {
				t.Errorf("%q: %v, ambiguous %v", header, e.RetryAfter, e.Ambiguous)
			}

			wantCount(t, service, mockserver.OpUpdateConsent, maxRetries+1)
			if took := time.Since(began); took > 5*(2*time.Minute+time.Minute) {
				t.Errorf("%q: it took %v", header, took)
			}
		}, useSecretKey)
	}
}

func TestRetryAfter_beyondTheCallersTimeIsAnErrorAtOnce(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 429, Times: -1, Header: map[string][]string{"Retry-After": {"60"}}})
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		began := time.Now()
		_ = wantClass(t, read(ctx, s), ClassRateLimited)

		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v", took)
		}
	}, useSecretKey)
}
