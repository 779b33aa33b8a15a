// SPDX-License-Identifier: MPL-2.0

package client_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// TestAuth_presentedAsDocumented has a token and a key that were given, and are never renewed.
func TestAuth_presentedAsDocumented(t *testing.T) {
	t.Parallel()

	for want, use := range map[string]option{
		mockserver.AuthSecret: useSecretKey,
		mockserver.AuthBearer: func(s *mocktest.Instance, cfg *client.Config) {
			cfg.Credentials = transport.Credentials{Token: s.IssueToken(s.Email)}
		},
	} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			noError(t, readUser(t.Context(), c))
			noError(t, update(t.Context(), c))
			for _, r := range service.Requests() {
				if r.Auth != want || r.Header.Get("X-Gateway") != "g 1" || r.Header.Get("User-Agent") != "client-test" || r.Header.Get("Referer") != "" {
					t.Errorf("%s %s: %v", want, r.Auth, r.Header)
				}
			}

			service.Inject(mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Status: http.StatusUnauthorized})
			_ = wantClass(t, readUser(t.Context(), c), transport.ClassAuthentication)
			wantCount(t, service, "", 3)
		}, use, func(_ *mocktest.Instance, cfg *client.Config) { cfg.Headers = map[string]string{"X-Gateway": "g 1"} })
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
		return row{secret, said(secret), func(service *mocktest.Instance, cfg *client.Config) {
			useSecretKey(service, cfg)
			cfg.Headers = map[string]string{"X-Gateway": value}
		}}
	}
	key := func(key, secret string, status int, header http.Header, body string) row {
		return row{secret, mockserver.Fault{Status: status, Header: header, Body: []byte(body)}, func(_ *mocktest.Instance, cfg *client.Config) {
			cfg.Credentials = transport.Credentials{APISecretKey: key}
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
		"an account": {"canary-login", said("canary-login"), func(service *mocktest.Instance, cfg *client.Config) {
			service.AddUser("canary-login", "canary-word")
			cfg.Credentials = transport.Credentials{Email: "canary-login", Password: "canary-word"}
		}},

		"a media type":    key(long, "canary", http.StatusOK, ofType, "<p>no</p>"),
		"a redirect":      key(long, "canary", http.StatusFound, to("https://"+long+".example.com/"), ""),
		"its scheme":      key(long, "canary", http.StatusFound, to(long+"://localhost/"), ""),
		"a person inside": key("sk/42/canary", "canary", http.StatusBadRequest, nil, `{"message":"key sk/42/canary, sk%2F42%2Fcanary for 42"}`),

		"markup in it":       key("pass<w>ordcanary", "ordcanary", http.StatusBadRequest, page, "<p>pass<w>ordcanary</p>"),
		"markup around it":   key("pass canary", "canary", http.StatusBadRequest, page, "<p>pass<br>canary</p>"),
		"cut in the middle":  key(long, "canary", http.StatusBadRequest, page, ending(transport.LimitError)),
		"cut in the excerpt": key(long, "canary", http.StatusOK, page, ending(4096)),
	}
	for _, status := range []int{400, 404, 500} {
		cut := key(long, "canary", status, nil, `{"message":"no key `+long+`"}`)
		cut.fault.Cut, cut.fault.CutAt = mockserver.CutBody, 40
		rows["a cut "+strconv.Itoa(status)] = cut
	}

	// A header with blanks does not begin like those of most tokens.
	encode := base64.RawURLEncoding.EncodeToString
	token := encode([]byte(`{ "alg":"HS256"}`)) + "." + encode([]byte(`{ "sub":"canary"}`)) + "." + encode([]byte("a signature of 32 bytes, or more."))
	parts := strings.Split(token, ".")
	for name, secret := range map[string]string{"a token": token, "a token in capitals": strings.ToUpper(token), "its payload": parts[1], "its signature": parts[2]} {
		rows[name+" of a login"] = row{secret, said(secret), func(service *mocktest.Instance, _ *client.Config) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpLogin, Status: http.StatusOK, Body: []byte(`{"token":"` + token + `"}`)})
		}}
		rows[name+" that was given"] = row{secret, said(secret), func(_ *mocktest.Instance, cfg *client.Config) {
			cfg.Credentials = transport.Credentials{Token: token}
		}}
	}

	for name, tc := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
				tc.fault.Operation = mockserver.OpUpdateConsent
				service.Inject(tc.fault)
				if err := update(t.Context(), c); strings.Contains(fmt.Sprint(err), tc.secret) {
					t.Errorf("the error of an update is %v", err)
				}
				tc.fault.Operation = mockserver.OpGetConsent
				service.Inject(tc.fault)
				_, err := c.GetConsent(t.Context(), client.Person{Scope: scope, Identity: "42"})
				if !transport.IsError(err) || strings.Contains(err.Error(), tc.secret) {
					t.Errorf("the error is %v", err)
				}
				if e, _ := errors.AsType[*transport.Error](err); e.Class == transport.ClassForbidden && e.Message != "the value [redacted] is unknown" {
					t.Errorf("the message is %q", e.Message)
				}
			}, tc.change)
		})
	}
}

// TestLog_isWrittenUnlessTheLogIsOff has an answer with JSON under another name and behind a byte order
// mark, which is read and logged as well.
func TestLog_isWrittenUnlessTheLogIsOff(t *testing.T) {
	t.Parallel()

	for _, off := range []bool{false, true} {
		bubble(t, func(t *testing.T, service *mocktest.Instance, c *client.Client) {
			service.Inject(mockserver.Fault{Operation: mockserver.OpGetCurrentUser, Status: 200, Body: []byte("\uFEFF \r\n{\"id\":1}\r\n"), Header: page})
			var log bytes.Buffer
			noError(t, readUser(tflogtest.RootLogger(t.Context(), &log), c))

			got := log.String()
			if strings.Contains(got, "Request to the analytics service answered") == off || strings.Contains(got, "text/html") == off {
				t.Errorf("LogIsOff is %t, and the log is %q", off, got)
			}
		}, useSecretKey, func(_ *mocktest.Instance, cfg *client.Config) { cfg.LogIsOff = off })
	}
}
