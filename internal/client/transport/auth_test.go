// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestAuth_onlyToTheConfiguredOrigin(t *testing.T) {
	t.Parallel()

	bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
		for _, address := range []string{"https://localhost/", "http://localhost:8443/", "http://example.com/"} {
			k, req, err := s.newCall(t.Context(), Request{Op: Operation{Method: http.MethodGet}})
			noError(t, err)
			req.URL, err = url.Parse(address)
			noError(t, err)
			if _, err := k.RoundTrip(req.Request); !IsClass(err, ClassInternal) { //nolint:bodyclose // no answer comes
				t.Errorf("%s: the error is %v", address, err)
			}
		}
		wantCount(t, service, "", 0)
	})
}

// TestAuth_noWriteWaitsAfterItsComparison has a machine that stood still, no token yet, and a
// service that asked another caller for time.
func TestAuth_noWriteWaitsAfterItsComparison(t *testing.T) {
	t.Parallel()

	withLogin := func(*mocktest.Instance, *Config) {}
	for _, tc := range []struct {
		after, hold time.Duration
		use         option
	}{{after: 2 * staleAfter, use: useSecretKey}, {use: withLogin}, {hold: time.Second, use: useSecretKey}} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			s.Gate.hold(tc.hold)
			_, err := s.Once(t.Context(), Request{Op: opUpdateConsent, Compared: time.Now().Add(-tc.after)})
			if !errors.Is(err, ErrOutdated) {
				t.Errorf("the error is %v", err)
			}
			wantCount(t, service, "", 0)
		}, tc.use)
	}
}

// TestAuth_presentedAsDocumented has a token and a key that were given, and are never renewed.
func TestAuth_presentedAsDocumented(t *testing.T) {
	t.Parallel()

	for want, use := range map[string]option{
		mockserver.AuthSecret: useSecretKey,
		mockserver.AuthBearer: func(s *mocktest.Instance, cfg *Config) { cfg.Credentials = Credentials{Token: s.IssueToken(s.Email)} },
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			noError(t, readUser(t.Context(), s))
			noError(t, update(t.Context(), s))
			for _, r := range service.Requests() {
				if r.Auth != want || r.Header.Get("X-Gateway") != "g 1" || r.Header.Get("User-Agent") != "client-test" || r.Header.Get("Referer") != "" {
					t.Errorf("%s %s: %v", want, r.Auth, r.Header)
				}
			}

			service.Inject(mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Status: http.StatusUnauthorized})
			_ = wantClass(t, readUser(t.Context(), s), ClassAuthentication)
			wantCount(t, service, "", 3)
		}, use, func(_ *mocktest.Instance, cfg *Config) { cfg.Headers = map[string]string{"X-Gateway": "g 1"} })
	}
}

// TestSecrets_areNotQuoted has a service that refuses a read and quotes what it was sent.
func TestSecrets_areNotQuoted(t *testing.T) {
	t.Parallel()

	type row struct {
		secret string
		change option
	}
	header := func(value, secret string) row {
		return row{secret, func(service *mocktest.Instance, cfg *Config) {
			useSecretKey(service, cfg)
			cfg.Headers = map[string]string{"X-Gateway": value}
		}}
	}
	rows := map[string]row{
		"a header":           header("whole-canary", "whole-canary"),
		"behind a scheme":    header("Token tok_canary", "tok_canary"),
		"a cookie":           header("a=1; session=canary-2; b=3", "canary-2"),
		"a quoted parameter": header(`key="canary-quoted"`, "canary-quoted"),
		"an account": {"canary-login", func(service *mocktest.Instance, cfg *Config) {
			service.AddUser("canary-login", "canary-word")
			cfg.Credentials = Credentials{Email: "canary-login", Password: "canary-word"}
		}},
		"a password of Basic": header("Basic "+base64.StdEncoding.EncodeToString([]byte("gate:pass-canary")), "pass-canary"),
	}

	// A header with blanks does not begin like those of most tokens.
	encode := base64.RawURLEncoding.EncodeToString
	token := encode([]byte(`{ "alg":"HS256"}`)) + "." + encode([]byte(`{ "sub":"canary"}`)) + "." + encode([]byte("a signature of 32 bytes, or more."))
	parts := strings.Split(token, ".")
	for name, secret := range map[string]string{"a token": token, "a token in capitals": strings.ToUpper(token), "its payload": parts[1], "its signature": parts[2]} {
		rows[name+" of a login"] = row{secret, func(service *mocktest.Instance, _ *Config) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: http.StatusOK, Body: []byte(`{"token":"` + token + `"}`)})
		}}
		rows[name+" that was given"] = row{secret, func(_ *mocktest.Instance, cfg *Config) { cfg.Credentials = Credentials{Token: token} }}
	}

	for name, tc := range rows {
		bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
			body, _ := json.Marshal(map[string]string{"message": "the value " + tc.secret + " is unknown"})
			service.Inject(mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Status: http.StatusForbidden, Body: body})
			e := wantClass(t, readUser(t.Context(), s), ClassForbidden)
			if e.Message != "the value [redacted] is unknown" {
				t.Errorf("%s: the message is %q", name, e.Message)
			}
		}, tc.change)
	}
}

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
