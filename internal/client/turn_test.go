// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// TestGate_requestsStayWithinTheLimit has requests of a second each. The login takes the place of the
// request that needs it, and no other one.
func TestGate_requestsStayWithinTheLimit(t *testing.T) {
	t.Parallel()

	const rounds = 10
	for _, limit := range []int{1, 7} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Latency = time.Second
			began := time.Now()
			noError(t, errors.Join(callers(t.Context(), c, limit*rounds)...))
			if took := time.Since(began); took != (rounds+1)*time.Second { // with the login
				t.Errorf("%d at once took %v", limit, took)
			}
			wantCount(t, service, mockserver.OpLogin, 1)
			for range 2 { // all connections are idle
				synctest.Wait()
				noError(t, errors.Join(callers(t.Context(), c, limit)...))
			}
			if n := service.Connections(); n > limit+1 { // one of the login
				t.Errorf("%d at once used %d connections", limit, n)
			}
		}, func(_ *mocktest.Instance, cfg *client.Config) { cfg.MaxConcurrency = limit })
	}
}

// TestGate_rateIsOfAllRequests has one request a second, of which an update takes two at once, and one that is
// cancelled while it waits.
func TestGate_rateIsOfAllRequests(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		began := time.Now()
		_, _, err := updateConsent(t.Context(), c, jane, onlyDifferent())
		noError(t, err)
		cancelled, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_ = wantClass(t, readUser(cancelled, c), transport.ClassCancelled)
		noError(t, readUser(t.Context(), c))

		for i, want := range []time.Duration{time.Second, time.Second, 3 * time.Second} {
			if after := service.Requests()[i].At.Sub(began); after != want {
				t.Errorf("request %d came after %v, want %v", i, after, want)
			}
		}
	}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.MaxConcurrency, cfg.RequestsPerSecond = 1, 1 })
}

// TestGate_retryAfterHoldsAllCallers has a service that asks one caller for two seconds, in an answer that is
// cut, and then another one for one.
func TestGate_retryAfterHoldsAllCallers(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		first, second := wish("2"), wish("1")
		first.Operation, second.Operation = mockserver.OpGetCurrentUser, mockserver.OpGetCurrentUser
		first.Body, first.Cut, first.CutAt = []byte(`{"message":"later"}`), mockserver.CutBody, 3
		second.Delay = time.Millisecond
		service.Inject(first, second)
		began := time.Now()

		noError(t, errors.Join(callers(t.Context(), c, 2)...))
		noError(t, errors.Join(callers(t.Context(), c, 20)...))
		for i, r := range service.Requests() {
			if after := r.At.Sub(began); i > 1 && (after < 2*time.Second || after > 5*time.Second) {
				t.Errorf("request %d came after %v", i, after)
			}
		}
		wantCount(t, service, "", 24)
	}, useSecretKey)
}

// TestAttempt_interruptWaitsForAWriteThatWasSent interrupts a request a second after it began.
func TestAttempt_interruptWaitsForAWriteThatWasSent(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		call  func(context.Context, *client.Client) error
		fault mockserver.Fault
		took  time.Duration
		ended bool // the answer came
	}{
		"an update that is answered soon": {update, mockserver.Fault{Operation: mockserver.OpUpdateConsent, Delay: 1500 * time.Millisecond}, 1500 * time.Millisecond, true},
		"an update that hangs":            {update, mockserver.Fault{Operation: mockserver.OpUpdateConsent, Hang: true}, 1700 * time.Millisecond, false},
		"an update without a token":       {update, mockserver.Fault{Operation: mockserver.OpLogin, Hang: true}, time.Second, false},
		"a read":                          {readUser, mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Hang: true}, time.Second, false},
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(tc.fault)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()

			began := time.Now()
			err := tc.call(ctx, c)
			if took := time.Since(began); took != tc.took || (err == nil) != tc.ended {
				t.Errorf("%s: after %v, with the error %v", name, took, err)
			}
			<-time.After(time.Minute) // a login goes on
			if err == nil {
				return
			}
			if e := wantClass(t, err, transport.ClassCancelled); e.Ambiguous != (tc.took > time.Second) {
				t.Errorf("%s: %+v", name, e)
			}
		})
	}
}

// TestRetry_endsWithTheCallersTime has a service that asks for a minute each time, and so did not carry a
// deletion out.
func TestRetry_endsWithTheCallersTime(t *testing.T) {
	t.Parallel()

	late := time.Minute + 25*time.Millisecond
	for name, tc := range map[string]struct {
		cancelled, timeout time.Duration
		class              transport.ErrorClass
		after              time.Duration
	}{
		"cancelled at once":        {10 * time.Second, time.Hour, transport.ClassCancelled, 10 * time.Second},
		"without the time to wait": {time.Hour, 30 * time.Second, transport.ClassRateLimited, 0},
		"its time is up":           {time.Hour, late, transport.ClassCancelled, late},
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			fault := wish("60")
			fault.Operation, fault.Times = mockserver.OpDeleteAllData, -1
			service.Inject(fault)
			ctx, cancel := context.WithTimeout(t.Context(), tc.timeout)
			defer cancel()
			defer time.AfterFunc(tc.cancelled, cancel).Stop()

			began := time.Now()
			_, err := c.DeleteData(ctx, jane)
			if e := wantClass(t, err, tc.class); e.Ambiguous {
				t.Errorf("%s: it may have been carried out", name)
			}
			if late := time.Since(began) - tc.after; late > 50*time.Millisecond {
				t.Errorf("%s: it ended %v late", name, late)
			}
			wantCount(t, service, mockserver.OpDeleteAllData, 1)
		}, useSecretKey)
	}
}
