// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestToken_lastsOneHourOfTheClockWhateverItClaims(t *testing.T) {
	t.Parallel()

	expired := func(now time.Time) map[string]any { return map[string]any{"exp": now.Unix() - 1} }
	for name, tc := range map[string]struct {
		claims func(time.Time) map[string]any
		want   string
	}{
		"its own":  {nil, `{"exp":1768473000,"iat":1768469400,"sub":"{email}"}`},
		"a hook's": {expired, `{"exp":1768469399}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := start(t, func(s *mockserver.Server) { s.Claims = tc.claims })
			token := s.login()
			parts := strings.Split(token, ".")
			want := strings.Replace(tc.want, "{email}", s.Email, 1)
			if len(parts) != 3 || parts[1] != base64.RawURLEncoding.EncodeToString([]byte(want)) || s.login() == token {
				t.Errorf("the token is %q", token)
			}

			for _, step := range []struct {
				advance time.Duration
				status  int
			}{{0, 200}, {time.Hour - time.Nanosecond, 200}, {time.Nanosecond, 401}} {
				s.advance(step.advance)
				got := s.send(http.MethodGet, selfPath, "", "Authorization", "bearer "+token)
				if got.status != step.status || got.status == 200 && got.json()["email"] != s.Email {
					t.Errorf("after %v: %d %s", step.advance, got.status, got.body)
				}
			}
		})
	}
}

func TestAuth_revokedTokensAndKeysAreRefused(t *testing.T) {
	t.Parallel()

	s := start(t)
	token := s.login()
	s.RevokeTokens()
	s.RevokeSecretKey(s.SecretKey)

	for _, got := range []reply{s.send(http.MethodGet, selfPath, "", "Authorization", "bearer "+token), s.get(selfPath)} {
		if got.status != http.StatusUnauthorized || got.refused() != "unauthenticated" {
			t.Errorf("%d %s", got.status, got.body)
		}
	}

	if got := s.send(http.MethodGet, selfPath, "", "Authorization", "bearer "+s.IssueToken("ada@example.com")); got.json()["email"] != "ada@example.com" {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestLogin_refusals(t *testing.T) {
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
				if last := requests[len(requests)-1]; last.Place != sent.place || last.Sent["password"] != s.Password || len(last.Sent) != 2 {
					t.Errorf("the log has %q %v", last.Place, last.Sent)
				}
			}
		})
	}
}

func TestAuth_undocumentedPresentationIsAViolation(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		path    string
		headers []string
		status  int
		words   string
	}{
		"none at all":    {selfPath, nil, 401, "0 credentials, not 1"},
		"no key":         {selfPath + "?apiSecretToken=", nil, 401, "empty secret key"},
		"two keys":       {selfPath + "?apiSecretToken={key}&apiSecretToken={key}", nil, 200, "2 credentials, not 1"},
		"two tokens":     {selfPath, []string{"bearer {token}", "bearer {token}"}, 200, "2 credentials, not 1"},
		"header and key": {selfPath + "?apiSecretToken={key}", []string{"bearer {token}"}, 200, "2 credentials, not 1"},
		"scheme and key": {selfPath + "?apiSecretToken={key}", []string{"Token x"}, 200, "bearer <JWT>"},
		"capital scheme": {selfPath, []string{"Bearer {token}"}, 401, "bearer <JWT>"},
		"two spaces":     {selfPath, []string{"bearer  {token}"}, 401, "bearer <JWT>"},
		"another scheme": {selfPath, []string{"Basic dXNlcjpwYXNz"}, 401, "bearer <JWT>"},
		"token at login": {"/v1/auth/login/jwt", []string{"bearer {token}"}, 200, "1 credentials, not 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := start(t)
			s.AllowViolations()

			fill := strings.NewReplacer("{key}", url.QueryEscape(s.SecretKey), "{token}", s.IssueToken(s.Email))
			method, body := http.MethodGet, ""
			if strings.Contains(tc.path, "login") {
				method, body = http.MethodPost, encode(t, map[string]any{"email": s.Email, "password": s.Password})
			}
			req, err := http.NewRequestWithContext(t.Context(), method, s.URL+fill.Replace(tc.path), strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			for _, header := range tc.headers {
				req.Header.Add("Authorization", fill.Replace(header))
			}
			resp, err := s.client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()

			violations := strings.Join(s.Server.Violations(), "\n")
			if resp.StatusCode != tc.status || !strings.Contains(violations, tc.words) || strings.Contains(violations, s.SecretKey) {
				t.Errorf("%d: %s", resp.StatusCode, violations)
			}
		})
	}
}
