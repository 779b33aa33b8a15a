// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// TestGate_requestsStayWithinTheLimit has requests of a second each. The login takes the place of the
// request that needs it, and no other one.
func TestGate_requestsStayWithinTheLimit(t *testing.T) {
	t.Parallel()

	const rounds = 10
	for _, limit := range []int{1, 7} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			service.Latency = time.Second
			began := time.Now()
			noError(t, errors.Join(callers(t.Context(), s, limit*rounds)...))
			if took := time.Since(began); took != (rounds+1)*time.Second { // with the login
				t.Errorf("%d at once took %v", limit, took)
			}
			wantCount(t, service, mockserver.OpLogin, 1)
		}, func(_ *mocktest.Instance, cfg *Config) { cfg.MaxConcurrency = limit })
	}
}

// TestGate_retryAfterHoldsAllCallers has a service that asks for two seconds, and then for one.
func TestGate_retryAfterHoldsAllCallers(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		fault := wish("2")
		fault.Operation = mockserver.OpGetCurrentUser
		service.Inject(fault)
		began := time.Now()

		told := make(chan error, 1)
		go func() { told <- readUser(t.Context(), s) }()
		synctest.Wait()
		s.Gate.hold(time.Second)
		noError(t, errors.Join(append(callers(t.Context(), s, 20), <-told)...))

		for i, r := range service.Requests() {
			if after := r.At.Sub(began); i > 0 && (after < 2*time.Second || after > 5*time.Second) {
				t.Errorf("request %d came after %v", i, after)
			}
		}
		wantCount(t, service, "", 22)
	}, useSecretKey)
}

// TestGate_requestsThatAreCancelledCostNoTime has one request a second, and 20 that give up.
func TestGate_requestsThatAreCancelledCostNoTime(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, _ *mocktest.Instance, s *Sender) {
		noError(t, read(t.Context(), s))
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		for _, err := range callers(ctx, s, 20) {
			_ = wantClass(t, err, ClassCancelled)
		}

		began := time.Now()
		noError(t, read(t.Context(), s))
		if took := time.Since(began); took != time.Second-time.Millisecond {
			t.Errorf("it took %v", took)
		}
	}, useSecretKey, func(_ *mocktest.Instance, cfg *Config) { cfg.RequestsPerSecond = 1 })
}

func TestRetryAfter_parsedAndBounded(t *testing.T) {
	t.Parallel()

	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"2":                             2 * time.Second,
		"1.5":                           1500 * time.Millisecond,
		"3600":                          limitRetryAfter,
		"1e999":                         0,
		"NaN":                           0,
		"Sat, 31 Jan 2026 12:00:30 GMT": 30 * time.Second,
		"Sat, 31 Jan 2026 11:00:00 GMT": 0,
		"Sat, 31 Jan 2026 14:00:00 GMT": limitRetryAfter,
	} {
		if wait := ParseRetryAfter(value, now, limitRetryAfter); wait != want {
			t.Errorf("%q: %v, want %v", value, wait, want)
		}
	}
}

// FuzzBackoff_neitherHotLoopNorHang checks the wait before the next attempt: what the service asks for,
// with full jitter under a limit that doubles.
func FuzzBackoff_neitherHotLoopNorHang(f *testing.F) {
	for attempt, seed := range []string{"", "-1", "1.5", "9223372037", "abc", "", "Fri, 31 Dec 9999 23:59:59 GMT", "0x10", "1_000", "", "2"} {
		f.Add(seed, attempt)
		f.Add("", attempt*20)
	}

	f.Fuzz(func(t *testing.T, value string, attempt int) {
		if attempt < 0 {
			return
		}

		asked := ParseRetryAfter(value, time.Now(), limitRetryAfter)
		jitter := min(backoffBase<<min(attempt, 10), backoffCap)
		if asked > 0 {
			jitter = min(jitter, asked/10+backoffBase)
		}
		for range 20 {
			wait := BackoffAfter(attempt, asked)
			if asked < 0 || asked > limitRetryAfter || wait < asked+backoffFloor || wait > asked+backoffFloor+jitter {
				t.Fatalf("Retry-After %q, attempt %d: waits %v", value, attempt, wait)
			}
		}
	})
}

// TestRetry_endsWithTheCallersTime has a service that asks for a minute each time.
func TestRetry_endsWithTheCallersTime(t *testing.T) {
	t.Parallel()

	late := time.Minute + backoffFloor/2
	for name, tc := range map[string]struct {
		cancelled, timeout time.Duration
		class              ErrorClass
		cause              error
		after              time.Duration
	}{
		"cancelled at once":        {10 * time.Second, time.Hour, ClassCancelled, context.Canceled, 10 * time.Second},
		"without the time to wait": {time.Hour, 30 * time.Second, ClassRateLimited, nil, 0},
		"its time is up":           {time.Hour, late, ClassCancelled, context.DeadlineExceeded, late},
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			fault := wish("60")
			fault.Operation, fault.Times = mockserver.OpGetConsent, -1
			service.Inject(fault)
			ctx, cancel := context.WithTimeout(t.Context(), tc.timeout)
			defer cancel()
			defer time.AfterFunc(tc.cancelled, cancel).Stop()

			began := time.Now()
			err := read(ctx, s)
			if e := wantClass(t, err, tc.class); !errors.Is(e.Cause, tc.cause) {
				t.Errorf("%s: the cause is %v", name, e.Cause)
			}
			if late := time.Since(began) - tc.after; late > 50*time.Millisecond {
				t.Errorf("%s: it ended %v late", name, late)
			}
			wantCount(t, service, mockserver.OpGetConsent, 1)
		}, useSecretKey)
	}
}
