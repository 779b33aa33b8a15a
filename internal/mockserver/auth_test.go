// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

var epoch = time.Date(2026, 1, 15, 9, 30, 0, 0, time.UTC)

func TestToken_lastsOneHourOfTheClock(t *testing.T) {
	t.Parallel()

	clock := mockserver.NewManualClock(epoch)
	s := start(t, func(s *mockserver.Server) { s.Clock = clock })
	token := s.login()
	for _, step := range []struct {
		advance time.Duration
		status  int
	}{{0, 200}, {time.Hour - time.Nanosecond, 200}, {time.Nanosecond, 401}, {-time.Hour, 200}} {
		clock.Advance(step.advance)
		if got := s.send(http.MethodGet, "/v1/user/self", "", "Authorization", "bearer "+token); got.status != step.status {
			t.Errorf("after %v: status %d, want %d", step.advance, got.status, step.status)
		}
	}
}

func TestToken_claimsTimesAndUser(t *testing.T) {
	t.Parallel()

	s := start(t, func(s *mockserver.Server) { s.Clock = mockserver.NewManualClock(epoch) })
	token := s.login()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("%q is no JWT", token)
	}

	var header struct{ Alg string }
	var claims struct {
		Sub      string
		Iat, Exp int64
	}

	for i, part := range []any{&header, &claims} {
		text, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil {
			t.Fatal(err)
		}

		if err := json.Unmarshal(text, part); err != nil {
			t.Fatal(err)
		}
	}

	if header.Alg != "HS256" || claims.Sub != s.Email || claims.Iat != epoch.Unix() || claims.Exp != epoch.Unix()+3600 {
		t.Errorf("%+v %+v", header, claims)
	}

	if s.login() == token {
		t.Error("two logins gave the same token")
	}
}

func TestToken_claimsDoNotChangeItsLifetime(t *testing.T) {
	t.Parallel()

	clock := mockserver.NewManualClock(epoch)
	s := start(t, func(s *mockserver.Server) {
		s.Clock = clock
		s.Claims = func(now time.Time) map[string]any { return map[string]any{"exp": now.Unix() - 1} }
		mockserver.Reshape(s, func(login map[string]any) any {
			login["more"] = true
			return login
		}, mockserver.OpLogin)
	})

	token := s.login()
	if got := s.send(http.MethodGet, "/v1/user/self", "", "Authorization", "bearer "+token); got.status != 200 {
		t.Errorf("status %d", got.status)
	}

	if !strings.Contains(token, base64.RawURLEncoding.EncodeToString([]byte(`{"exp":1768469399}`))) {
		t.Errorf("the claims are not in %s", token)
	}
}

func TestAuth_revokedTokensAndKeysAreRefused(t *testing.T) {
	t.Parallel()

	s := start(t)
	token := s.login()
	s.RevokeTokens()
	s.RevokeSecretKey(s.SecretKey)

	if got := s.send(http.MethodGet, "/v1/user/self", "", "Authorization", "bearer "+token); got.status != 401 || got.refused() != "invalid_token" {
		t.Errorf("%d %s", got.status, got.body)
	}

	if got := s.withKey(http.MethodGet, "/v1/user/self", ""); got.status != 401 || got.refused() != "invalid_key" {
		t.Errorf("%d %s", got.status, got.body)
	}

	if got := s.send(http.MethodGet, "/v1/user/self", "", "Authorization", "bearer "+s.IssueToken("ada@example.com")); got.json()["email"] != "ada@example.com" {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestLogin_wrongPasswordIs401MissingIs400(t *testing.T) {
	t.Parallel()

	s := start(t)
	s.AllowViolations() // the contract requires both parameters

	for body, want := range map[string]string{
		encode(t, map[string]any{"email": s.Email, "password": "wrong"}):                 "401 invalid_credentials",
		encode(t, map[string]any{"email": "nobody@example.com", "password": s.Password}): "401 invalid_credentials",
		encode(t, map[string]any{"email": s.Email}):                                      "400 invalid_parameters password",
		encode(t, map[string]any{"email": 1, "password": nil}):                           "400 invalid_parameters email password",
		`{"email":"a","email":"b","password":"c"}`:                                       "400 malformed",
		`[]`: "400 malformed",
		`{"email":"a","password":"` + "\xff" + `"}`:                                            "400 malformed",
		encode(t, map[string]any{"email": s.Email, "password": s.Password}) + `{"and":"more"}`: "400 malformed",
	} {
		got := s.send(http.MethodPost, "/v1/auth/login/jwt", body)
		if have := strings.TrimSpace(strconv.Itoa(got.status) + " " + got.refused()); have != want {
			t.Errorf("%s: got %q, want %q", body, have, want)
		}
	}
}

func TestLogin_parametersWhereTheWireSays(t *testing.T) {
	t.Parallel()

	for _, place := range []string{mockserver.InJSON, mockserver.InForm, mockserver.InQuery} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()

			s := start(t, func(s *mockserver.Server) { s.Wire.LoginParametersIn = place })
			values := url.Values{"email": {s.Email}, "password": {s.Password}}.Encode()
			for _, sent := range []struct{ place, path, body, contentType string }{
				{mockserver.InJSON, "", encode(t, map[string]any{"email": s.Email, "password": s.Password}), "application/json"},
				{mockserver.InForm, "", values, "application/x-www-form-urlencoded"},
				{mockserver.InQuery, "?" + values, "", "text/plain"},
			} {
				got := s.send(http.MethodPost, "/v1/auth/login/jwt"+sent.path, sent.body, "Content-Type", sent.contentType)
				if (got.status == http.StatusOK) != (sent.place == place) {
					t.Errorf("parameters in %s: %d %s", sent.place, got.status, got.body)
				}

				requests := s.Requests()
				last := requests[len(requests)-1]
				if last.Place != sent.place || last.Sent["password"] != s.Password || strings.Join(last.Fields, " ") != "email password" {
					t.Errorf("the log has %q %v %v", last.Place, last.Fields, last.Sent)
				}
			}
		})
	}
}

func TestAuth_undocumentedPresentationIsAViolation(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		header, query string
		status        int
	}{
		"none at all":    {"", "", 401},
		"capital scheme": {"Bearer {token}", "", 401},
		"another scheme": {"Basic dXNlcjpwYXNz", "", 401},
		"header and key": {"bearer {token}", "?apiSecretToken={key}", 200},
		"scheme and key": {"Token x", "?apiSecretToken={key}", 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := start(t)
			s.AllowViolations()

			var header []string
			if tc.header != "" {
				header = []string{"Authorization", strings.Replace(tc.header, "{token}", s.IssueToken(s.Email), 1)}
			}

			got := s.send(http.MethodGet, "/v1/user/self"+strings.Replace(tc.query, "{key}", url.QueryEscape(s.SecretKey), 1), "", header...)
			if got.status != tc.status {
				t.Errorf("status %d", got.status)
			}

			if len(s.Server.Violations()) == 0 {
				t.Error("there is no violation")
			}

			for _, violation := range s.Violations() {
				if strings.Contains(violation, s.SecretKey) {
					t.Errorf("the key is in %q", violation)
				}
			}
		})
	}
}
