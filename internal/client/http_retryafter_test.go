package client_test

import (
	"context"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestRetryAfter_lastingRateLimitIsAnErrorWithTheLastWish(t *testing.T) {
	t.Parallel()

	for header, want := range map[string]time.Duration{"7": 7 * time.Second, "3600": 2 * time.Minute, "9223372037": 2 * time.Minute, "-1": 0, "abc": 0} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 429, Times: -1, Header: map[string][]string{"Retry-After": {header}}})
			began := time.Now()

			e := wantClass(t, update(t.Context(), c), client.ClassRateLimited)
			if e.RetryAfter != want || e.Ambiguous {
				t.Errorf("%q: %v, ambiguous %v", header, e.RetryAfter, e.Ambiguous)
			}

			wantCount(t, service, mockserver.OpUpdateConsent, client.DefaultMaxRetries+1)
			if took := time.Since(began); took > 5*(2*time.Minute+time.Minute) {
				t.Errorf("%q: it took %v", header, took)
			}
		}, useSecretKey)
	}
}

func TestRetryAfter_beyondTheCallersTimeIsAnErrorAtOnce(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 429, Times: -1, Header: map[string][]string{"Retry-After": {"60"}}})
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		began := time.Now()
		_, err := c.GetConsent(ctx, scope, person)
		_ = wantClass(t, err, client.ClassRateLimited)

		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v", took)
		}
	}, useSecretKey)
}
