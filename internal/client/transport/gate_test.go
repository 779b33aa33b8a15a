// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

func TestGate_requestsAndConnectionsStayWithinTheLimit(t *testing.T) {
	t.Parallel()

	const limit = 7
	reads := soak.Size(soak.Raced(60, 200), 2000)
	var running, most atomic.Int64
	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		service.Latency = 20 * time.Millisecond

		noError(t, errors.Join(callers(t, s, reads)...))
		wantCount(t, service, mockserver.OpGetConsent, reads)
		wantCount(t, service, mockserver.OpLogin, 1)

		if service.Connections() > limit+1 {
			t.Errorf("%d connections for a limit of %d", service.Connections(), limit)
		}

		if most.Load() > limit {
			t.Errorf("%d requests at once", most.Load())
		}
	}, func(service *mocktest.Instance, cfg *Config) {
		cfg.MaxConcurrency = limit
		service.FaultFor = func(mockserver.Request) *mockserver.Fault {
			n := running.Add(1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			return nil
		}

		service.OnRequest = func(mockserver.Request) { running.Add(-1) }
	})
}

func TestGate_retryAfterHoldsAllCallers(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		fault := wish("2")
		fault.Operation = mockserver.OpGetCurrentUser
		service.Inject(fault)
		began := time.Now()
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := readUser(t.Context(), s); err != nil {
				t.Error(err)
			}
		})

		synctest.Wait()
		noError(t, errors.Join(callers(t, s, 20)...))
		wg.Wait()

		for i, r := range service.Requests() {
			if after := r.At.Sub(began); i > 0 && (after < 2*time.Second || after > 5*time.Second) {
				t.Errorf("request %d came after %v", i, after)
			}
		}
		wantCount(t, service, "", 22)
	}, useSecretKey)
}
