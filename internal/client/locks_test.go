// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"sync"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestLocks_updatesOfOnePersonDoNotInterleave(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Latency = 10 * time.Millisecond
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				u := allTrue()
				u.AgreementTime, u.KeepLaterThan = at, at
				if _, err := c.UpdateConsent(t.Context(), scope, person, u); err != nil {
					t.Error(err)
				}
			})
		}

		wg.Wait()
		requests := service.Requests()
		if len(requests) != 100 {
			t.Fatalf("%d requests, want 50 comparisons and 50 writes", len(requests))
		}

		for i, r := range requests {
			want := []string{mockserver.OpGetConsent, mockserver.OpUpdateConsent}[i%2]
			if r.Operation != want {
				t.Fatalf("request %d is %s: a comparison and its write were torn apart", i, r.Operation)
			}
		}
	}, useSecretKey)
}
