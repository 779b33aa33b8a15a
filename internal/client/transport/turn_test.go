// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"errors"
	"net"
	"syscall"
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
		s.gate.hold(time.Second)
		noError(t, errors.Join(append(callers(t.Context(), s, 20), <-told)...))

		for i, r := range service.Requests() {
			if after := r.At.Sub(began); i > 0 && (after < 2*time.Second || after > 5*time.Second) {
				t.Errorf("request %d came after %v", i, after)
			}
		}
		wantCount(t, service, "", 22)
	}, useSecretKey)
}

// TestGate_retryAfterOfACutAnswerHoldsToo has a service that asks for a minute, and breaks off.
func TestGate_retryAfterOfACutAnswerHoldsToo(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		fault := wish("60")
		fault.Operation, fault.Body, fault.Cut, fault.CutAt = mockserver.OpGetCurrentUser, []byte(`{"message":"later"}`), mockserver.CutBody, 3
		service.Inject(fault)
		began := time.Now()
		noError(t, readUser(t.Context(), s))
		if took := time.Since(began); took < time.Minute {
			t.Errorf("it took %v", took)
		}
	}, useSecretKey)
}

// TestAttempt_interruptWaitsForAWriteThatWasSent interrupts a request a second after it began.
func TestAttempt_interruptWaitsForAWriteThatWasSent(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		call  func(context.Context, *Sender) error
		fault mockserver.Fault
		took  time.Duration
		ended bool // the answer came
	}{
		"an update that is answered soon": {update, mockserver.Fault{Operation: mockserver.OpUpdateConsent, Delay: 1500 * time.Millisecond}, 1500 * time.Millisecond, true},
		"an update that hangs":            {update, mockserver.Fault{Operation: mockserver.OpUpdateConsent, Hang: true}, time.Second + interruptGrace, false},
		"an update without a token":       {update, mockserver.Fault{Operation: mockserver.OpLogin, Hang: true}, time.Second, false},
		"a read":                          {read, mockserver.Fault{Operation: mockserver.OpGetConsent, Hang: true}, time.Second, false},
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			service.Inject(tc.fault)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()

			began := time.Now()
			err := tc.call(ctx, s)
			if took := time.Since(began); took != tc.took || (err == nil) != tc.ended {
				t.Errorf("%s: after %v, with the error %v", name, took, err)
			}
			<-time.After(time.Minute) // a login goes on
			if err == nil {
				return
			}
			if e := wantClass(t, err, ClassCancelled); e.Ambiguous != (tc.took > time.Second) {
				t.Errorf("%s: %+v", name, e)
			}
		})
	}
}

// TestAttempt_isAmbiguousOnlyIfItWasSent has an update that the service puts off, and then no
// connection any more.
func TestAttempt_isAmbiguousOnlyIfItWasSent(t *testing.T) {
	t.Parallel()

	var dials int
	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		fault := wish("1")
		fault.Operation = mockserver.OpUpdateConsent
		fault.Header.Set("Connection", "close")
		service.Inject(fault)

		if e := wantClass(t, update(t.Context(), s), ClassUnreachable); e.Ambiguous || e.Attempts != 1+maxRetries {
			t.Errorf("%+v", e)
		}
		wantCount(t, service, "", 1)
	}, useSecretKey, func(service *mocktest.Instance, cfg *Config) {
		cfg.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			if dials++; dials > 1 {
				return failing(syscall.ECONNREFUSED)()
			}
			return service.DialContext(ctx, network, address)
		}
	})
}
