// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
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
			ctx := context.WithValue(t.Context(), callKey{}, &call{sender: s})
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
			noError(t, err)
			if _, err := s.chain.HTTPClient.Do(req); !IsClass(err, ClassInternal) { //nolint:bodyclose // no answer comes
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
			ctx, leave, err := s.Admit(t.Context(), 1)
			noError(t, err)
			defer leave()
			compared, _ := ctx.Value(admissionKey{}).(*time.Time)
			*compared = time.Now().Add(-tc.after)
			s.gate.hold(tc.hold)

			_, err = s.Do(ctx, Request{Op: opUpdateConsent})
			_ = wantClass(t, err, ClassOutdated)
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

// TestSecrets_areNotShown has a service that quotes what it was sent, in words, in a header or in a page.
func TestSecrets_areNotShown(t *testing.T) {
	t.Parallel()

	type row struct {
		secret string // or the part of it that must not be shown
		fault  mockserver.Fault
		change option
	}
	said := func(secret string) mockserver.Fault {
		body, _ := json.Marshal(map[string]string{"message": "the value " + secret + " is unknown"})
		return mockserver.Fault{Status: http.StatusForbidden, Body: body}
	}
	header := func(value, secret string) row {
		return row{secret, said(secret), func(service *mocktest.Instance, cfg *Config) {
			useSecretKey(service, cfg)
			cfg.Headers = map[string]string{"X-Gateway": value}
		}}
	}
	key := func(key, secret string, status int, header http.Header, body string) row {
		return row{secret, mockserver.Fault{Status: status, Header: header, Body: []byte(body)}, func(_ *mocktest.Instance, cfg *Config) {
			cfg.Credentials = Credentials{APISecretKey: key}
		}}
	}

	const long = "canary-canary-canary-canary-long"
	ofType := http.Header{"Content-Type": {"application/x-" + long}}
	to := func(address string) http.Header { return http.Header{"Location": {address}} }
	ending := func(at int) string { return "<!--" + strings.Repeat("x", at-len("<!---->")-20) + "-->" + long }
	rows := map[string]row{
		"a header":            header("whole-canary", "whole-canary"),
		"behind a scheme":     header("Token tok_canary", "tok_canary"),
		"a cookie":            header("a=1; session=canary-2; b=3", "canary-2"),
		"a quoted parameter":  header(`key="canary-quoted"`, "canary-quoted"),
		"a password of Basic": header("Basic "+base64.StdEncoding.EncodeToString([]byte("gate:pass-canary")), "pass-canary"),
		"an account": {"canary-login", said("canary-login"), func(service *mocktest.Instance, cfg *Config) {
			service.AddUser("canary-login", "canary-word")
			cfg.Credentials = Credentials{Email: "canary-login", Password: "canary-word"}
		}},

		"a media type":    key(long, "canary", http.StatusOK, ofType, "<p>no</p>"),
		"a redirect":      key(long, "canary", http.StatusFound, to("https://"+long+".example.com/"), ""),
		"its scheme":      key(long, "canary", http.StatusFound, to(long+"://localhost/"), ""),
		"a person inside": key("sk/42/canary", "canary", http.StatusBadRequest, nil, `{"message":"key sk/42/canary, sk%2F42%2Fcanary for 42"}`),

		"markup in it":       key("pass<w>ordcanary", "ordcanary", http.StatusBadRequest, page, "<p>pass<w>ordcanary</p>"),
		"markup around it":   key("pass canary", "canary", http.StatusBadRequest, page, "<p>pass<br>canary</p>"),
		"cut in the middle":  key(long, "canary", http.StatusBadRequest, page, ending(LimitError)),
		"cut in the excerpt": key(long, "canary", http.StatusOK, page, ending(4096)),
	}

	// A header with blanks does not begin like those of most tokens.
	encode := base64.RawURLEncoding.EncodeToString
	token := encode([]byte(`{ "alg":"HS256"}`)) + "." + encode([]byte(`{ "sub":"canary"}`)) + "." + encode([]byte("a signature of 32 bytes, or more."))
	parts := strings.Split(token, ".")
	for name, secret := range map[string]string{"a token": token, "a token in capitals": strings.ToUpper(token), "its payload": parts[1], "its signature": parts[2]} {
		rows[name+" of a login"] = row{secret, said(secret), func(service *mocktest.Instance, _ *Config) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: http.StatusOK, Body: []byte(`{"token":"` + token + `"}`)})
		}}
		rows[name+" that was given"] = row{secret, said(secret), func(_ *mocktest.Instance, cfg *Config) {
			cfg.Credentials = Credentials{Token: token}
		}}
	}

	for name, tc := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, s *Sender) {
				tc.fault.Operation = mockserver.OpGetCurrentUser
				service.Inject(tc.fault)
				op := Operation{Name: "Get current user", Method: http.MethodGet}
				_, err := s.Do(t.Context(), Request{Op: op, To: pathOf(Operation{}), Private: []string{"42"}})
				if !IsError(err) || strings.Contains(err.Error(), tc.secret) {
					t.Errorf("the error is %v", err)
				}
				if e, _ := errors.AsType[*Error](err); e.Class == ClassForbidden && e.Message != "the value [redacted] is unknown" {
					t.Errorf("the message is %q", e.Message)
				}
			}, tc.change)
		})
	}
}
