package client_test

import (
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// observed collects what an observer is told.
type observed struct {
	mu     sync.Mutex
	heads  []client.Head
	bodies []client.Body
}

func (o *observed) observer() client.Observer {
	return client.Observer{
		Head: func(h client.Head) { o.mu.Lock(); defer o.mu.Unlock(); o.heads = append(o.heads, h) },
		Body: func(b client.Body) { o.mu.Lock(); defer o.mu.Unlock(); o.bodies = append(o.bodies, b) },
	}
}

func TestObserver_seesLoginsRepetitionsAndStructure(t *testing.T) {
	t.Parallel()
	var seen observed
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.PutConsent(serverScope, person, mockserver.ConsentRecord{Extra: map[string]any{person: 1, "agreedOn": "2026-01-02"}})
		service.Inject(mockserver.Fault{
			Operation: mockserver.OpGetConsent, Status: http.StatusTooManyRequests,
			Header: http.Header{"Retry-After": {"1"}},
		})
		_, err := c.GetConsent(t.Context(), scope, person)
		noError(t, err)

		var got []string
		for _, h := range seen.heads {
			got = append(got, h.Operation+" "+http.StatusText(h.Status))
		}
		if want := []string{"Log in OK", "Get consent Too Many Requests", "Get consent OK"}; !slices.Equal(got, want) {
			t.Errorf("the observer saw %q", got)
		}

		wantStructure(t, seen.bodies[len(seen.bodies)-1])
	}, func(_ *mocktest.Instance, cfg *client.Config) { cfg.Observer = seen.observer() })
}

// wantStructure expects the names of a consent record without that of the person.
func wantStructure(t *testing.T, body client.Body) {
	t.Helper()
	var names []string
	for _, p := range body.Places {
		names = append(names, p.String())
	}
	if body.Operation != "Get consent" || !slices.Contains(names, "$.agreedOn") || !slices.Contains(names, "$.clause_1_consent") || !slices.Contains(names, "$.{}") || slices.Contains(names, "$."+person) {
		t.Errorf("the structure is %+v", body)
	}
}

func TestLogin_isTriedOnceWithoutRetries(t *testing.T) {
	t.Parallel()
	for retries, want := range map[int]int{0: 1, 1: 2, 4: 2} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: http.StatusServiceUnavailable, Times: -1})
			_, err := c.NewSessionToken(t.Context())
			_ = wantClass(t, err, client.ClassServer)
			if n := service.Count(mockserver.OpLogin); n != want {
				t.Errorf("with max_retries %d, %d logins were sent", retries, n)
			}
		}, func(_ *mocktest.Instance, cfg *client.Config) { cfg.MaxRetries = retries })
	}
}
