// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"net/http"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestRedact_shortIdentityDoesNotSplitTheKey(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		service.Inject(mockserver.Fault{Operation: mockserver.OpGetConsent, Status: 400, Body: []byte(`{"message":"unknown key sk_live_42SECRETcanary for 42"}`)})
		op := Operation{Name: "Get consent", Method: http.MethodGet}
		_, err := s.Do(t.Context(), Request{Op: op, To: Expand("/v1/org/org-demo/project/web"+consentPath, "42"), Private: []string{"42"}})
		if strings.Contains(err.Error(), "canary") {
			t.Errorf("leak: %v", err)
		}
	}, func(s *mocktest.Instance, cfg *Config) {
		s.AddSecretKey("sk_live_42SECRETcanary")
		cfg.Credentials = Credentials{APISecretKey: "sk_live_42SECRETcanary"}
	})
}

func TestRedact_secretsInPagesBeforeAnythingElse(t *testing.T) {
	t.Parallel()

	for label, tc := range map[string]struct{ secret, page, leak string }{
		"markup in it":  {"pass<w>ordcanary", "<p>pass<w>ordcanary</p>", "ordcanary"},
		"markup around": {"pass canary", "<p>pass<br>canary</p>", "canary"},
		"two spaces":    {"pass  canary", "<p>pass  canary</p>", "canary"},
		"escaped":       {"p&canary\"x", "<p>p&amp;canary&#34;x</p>", "canary"},
		"cut in 4096":   {"canary-canary-canary-canary-long", "<!--" + strings.Repeat("x", 4096-4-3-20) + "-->canary-canary-canary-canary-long", "canary-canary"},
		"php json list": {"ab/canary/cd", `["ab\/canary\/cd"]`, "canary"},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
				service.Inject(mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Status: 400, Header: page, Body: []byte(tc.page)})
				err := readUser(t.Context(), s)
				if strings.Contains(err.Error(), tc.leak) {
					t.Errorf("leak: %v", err)
				}
			}, func(_ *mocktest.Instance, cfg *Config) {
				cfg.Credentials = Credentials{APISecretKey: tc.secret}
			})
		})
	}
}
