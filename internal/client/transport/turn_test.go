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
