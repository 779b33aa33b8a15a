// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestObserver_seesLoginsAndRepetitions(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []string
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.PutConsent(serverScope, person, mockserver.ConsentRecord{})
		service.Inject(mockserver.Fault{
			Operation: mockserver.OpGetConsent, Status: http.StatusTooManyRequests,
			Header: http.Header{"Retry-After": {"1"}},
		})
		_, err := c.GetConsent(t.Context(), scope, person)
		noError(t, err)

		if want := []string{"Log in OK", "Get consent Too Many Requests", "Get consent OK"}; !slices.Equal(seen, want) {
			t.Errorf("the observer saw %q", seen)
		}
	}, func(_ *mocktest.Instance, cfg *client.Config) {
		cfg.Observer = func(h transport.Head) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, h.Operation+" "+http.StatusText(h.Status))
		}
	})
}

func TestLogin_isTriedOnceWithoutRetries(t *testing.T) {
	t.Parallel()
	for retries, want := range map[int]int{0: 1, 1: 2, 4: 2} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: http.StatusServiceUnavailable, Times: -1})
			_, err := c.NewSessionToken(t.Context())
			_ = wantClass(t, err, transport.ClassServer)
			if n := service.Count(mockserver.OpLogin); n != want {
				t.Errorf("with max_retries %d, %d logins were sent", retries, n)
			}
		}, func(_ *mocktest.Instance, cfg *client.Config) { cfg.MaxRetries = retries })
	}
}
