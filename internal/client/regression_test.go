package client_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

func TestABrokenAnswerBeforeA503CostsNoSlot(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(
			mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 200, Body: []byte(`{"a":`)},
			mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 503, Times: -1})
		_, err := c.GetConsent(t.Context(), scope, person)
		_ = wantKind(t, err, client.ClassServer)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, err = c.CurrentUser(ctx)
		if err != nil {
			t.Errorf("the slot is lost: %v", err)
		}
	}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.MaxConcurrency = 1 })
}

func TestABrokenAnswerBeforeA429IsARateLimit(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(
			mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Cut: mockserver.CutBody, CutAt: 3},
			mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Status: 429, Times: -1})
		_, err := c.CurrentUser(t.Context())
		_ = wantKind(t, err, client.ClassRateLimited)
	}, useSecretKey)
}

func TestARedirectToNowhereIsARedirect(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 302, Times: -1, Header: map[string][]string{"Location": {"https://h.example.com/%zz"}}})
		err := update(t.Context(), c)
		wantCount(t, service, mockserver.OpUpdateConsent, 1)
		_ = wantKind(t, err, client.ClassRedirect)
	}, useSecretKey)
}

func TestHTTPBehindHTTPSIsATLSError(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	c, err := direct(service, func(cfg *client.Config) { cfg.BaseURL = strings.Replace(service.URL, "http://", "https://", 1) })
	noError(t, err)
	defer c.Close()
	_, err = c.GetConsent(t.Context(), scope, person)
	_ = wantKind(t, err, client.ClassTLS)
}

func TestAShortIdentityDoesNotSplitTheKey(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 400, Body: []byte(`{"message":"unknown key sk_live_42SECRETcanary for 42"}`)})
		_, err := c.GetConsent(t.Context(), scope, "42")
		if strings.Contains(err.Error(), "canary") {
			t.Errorf("leak: %v", err)
		}
	}, func(s *mocktest.Instance, cfg *client.Config) {
		s.AddSecretKey("sk_live_42SECRETcanary")
		cfg.Credentials = client.Credentials{APISecretKey: "sk_live_42SECRETcanary"}
	})
}

func TestSecretsInPagesAreRedactedBeforeAnythingElse(t *testing.T) {
	t.Parallel()
	for label, tc := range map[string]struct{ secret, page, leak string }{
		"markup in it":  {"pass<w>ordcanary", "<p>pass<w>ordcanary</p>", "ordcanary"},
		"two spaces":    {"pass  canary", "<p>pass  canary</p>", "canary"},
		"escaped":       {"p&canary\"x", "<p>p&amp;canary&#34;x</p>", "canary"},
		"cut in 4096":   {"canary-canary-canary-canary-long", "<!--" + strings.Repeat("x", 4096-4-3-20) + "-->canary-canary-canary-canary-long", "canary-canary"},
		"php json list": {"ab/canary/cd", `["ab\/canary\/cd"]`, "canary"},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				service.Inject(mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Status: 400, Header: html, Body: []byte(tc.page)})
				_, err := c.CurrentUser(t.Context())
				if strings.Contains(err.Error(), tc.leak) {
					t.Errorf("leak: %v", err)
				}
			}, func(_ *mocktest.Instance, cfg *client.Config) {
				cfg.Credentials = client.Credentials{APISecretKey: tc.secret}
			})
		})
	}
}

func TestAFailedLoginIsTheSameForAll(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 500, Times: -1},
			mockserver.Fault{Operation: mockserver.OpGetConsent, Times: -1, Delay: 95 * time.Second},
		)
		service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Skip: 1, Status: 400, Times: -1, Body: []byte("{}")})
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				_, err := c.UpdateConsent(t.Context(), scope, strings.Repeat("x", i+1), allTrue())
				e, _ := errors.AsType[*client.Error](err)
				if e.Operation == "Log in" && e.Attempts != 1 {
					t.Errorf("%s: %d attempts", e.Operation, e.Attempts)
				}
			})
		}
		wg.Wait()
	}, func(s *mocktest.Instance, cfg *client.Config) {
		cfg.RequestTimeout = 5 * time.Minute
		s.Claims = func(now time.Time) map[string]any { return map[string]any{"iat": now.Unix(), "exp": now.Unix() + 100} }
	})
}

func TestASecondLostAnswerIsSettledToo(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Cut: mockserver.CutBeforeCommit},
			mockserver.Fault{Operation: mockserver.OpUpdateConsent, Cut: mockserver.CutAfterCommit})
		err := update(t.Context(), c)
		rec, ok := service.Consent(serverScope, person)
		if err != nil && ok {
			t.Errorf("the service holds %v and the error says %v", rec.Clauses, err)
		}
	}, useSecretKey)
}

func TestTheHostThatCannotBeReachedIsNamed(t *testing.T) {
	t.Parallel()
	c, err := client.New(client.Config{BaseURL: "https://localhost:1", Credentials: client.Credentials{APISecretKey: "k"}})
	noError(t, err)
	_, err = c.CurrentUser(t.Context())
	if !strings.Contains(err.Error(), "localhost") {
		t.Errorf("the host is not named: %v", err)
	}
}

func TestSlowRefusalsCostOneExtraLogin(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
		service.Latency = time.Second
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 401, Times: -1})
		for _, err := range callers(t, c, soak.Size(200, 2000)) {
			_ = wantKind(t, err, client.ClassAuthentication)
		}
		wantCount(t, service, mockserver.OpLogin, 2)
	})
}
