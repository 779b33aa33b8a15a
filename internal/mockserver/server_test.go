// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// TestViolations_areWhatNoClientWouldSend sends requests as they are, and compares the beginning of the answer
// and of the only violation.
func TestViolations_areWhatNoClientWouldSend(t *testing.T) {
	t.Parallel()
	const self, key, unknown, inexact = "GET /v1/user/self?", "apiSecretToken={key}", "there is no such operation: ", "getConsent: a segment of the path"
	for _, tc := range []struct{ request, header, answer, violation string }{
		{"GET /?" + key, "", "404", unknown + "GET /"},
		{"GET /v1/auth/login/jwt?" + key, "", "404", unknown},
		{"POST " + consentPath + "?" + key, "", "404", unknown + "POST " + consentPath},
		{"GET " + consentPath + "/?" + key, "", "404", unknown},
		{"GET /v1//user/self?" + key, "", "404", unknown + "GET /v1//user/self"},
		{"GET /v1/user/./self?" + key, "", "404", unknown},
		{"GET /v2/user/self?" + key, "", "404", unknown},
		{"GET /v1/org/o/project/p/compliance/user//consent?" + key, "", "404", unknown},
		{"GET /v1/org/o/project/p/compliance/user/../consent?" + key, "", "404", unknown},
		{"GET /v1/org/o/project/p/compliance/user/a/b/consent?" + key, "", "404", unknown},
		{"GET /v1/account/acc-1/export?" + key, "", "404", unknown},

		{"GET /v1/org/acme/project/web/compliance/user/jo@example.com/consent?" + key, "", "404", inexact},
		{"GET /v1/org/a%2fb/project/web/compliance/user/x/consent?" + key, "", "404", inexact},
		{"GET /v1/org/a/project/%41/compliance/user/x/consent?" + key, "", "404", inexact},
		{`GET /v1/org/a/project/b/compliance/user/"/consent?` + key, "", "404", inexact},
		{"GET /v1/org/a/project/b/compliance/user/\u00fc/consent?" + key, "", "404", inexact},
		{"GET /v1/org/%2E%2E/project/b/compliance/user/x/consent?" + key, "", "404", inexact},

		{self, "", "401", "getCurrentUser came with 0 credentials, not 1"},
		{self + key + "&" + key, "", "200", "getCurrentUser came with 2 credentials, not 1"},
		{self + key, "Authorization: bearer {token}", "200", "getCurrentUser came with 2 credentials, not 1"},
		{self + key, "Authorization: Token x", "200", "getCurrentUser came with 2 credentials, not 1"},
		{"POST /v1/auth/login/jwt", "Authorization: bearer x", "400", "login came with 1 credentials, not 0"},
	} {
		t.Run(tc.request+tc.header, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.AllowViolations()
			fill := strings.NewReplacer("{key}", url.QueryEscape(s.SecretKey), "{token}", s.IssueToken(s.Email))
			text, err := s.raw(fill.Replace(tc.request), cmp.Or(fill.Replace(tc.header), "X: 1"), "")
			violations := strings.Join(s.Violations(), "\n")
			if err != nil || !strings.HasPrefix(text, "HTTP/1.1 "+tc.answer) || !strings.HasPrefix(violations, tc.violation) || strings.Contains(violations, s.SecretKey) {
				t.Errorf("%v: %s: %s", err, text, violations)
			}
			if isUnknown := s.Requests()[0].Operation == ""; isUnknown != strings.HasPrefix(tc.violation, unknown) {
				t.Errorf("the log has %+v", s.Requests()[0])
			}
		})
	}
}

func TestToken_lastsOneHourOfTheClockWhateverItClaims(t *testing.T) {
	t.Parallel()
	expired := func(now time.Time) map[string]any { return map[string]any{"exp": now.Unix() - 1} }
	for want, claims := range map[string]func(time.Time) map[string]any{`{"exp":1768473000,"iat":1768469400,"sub":"{email}"}`: nil, `{"exp":1768469399}`: expired} {
		s := start(t, func(s *mockserver.Server) { s.Claims = claims })
		login := fmt.Sprintf(`{"email":%q,"password":%q}`, s.Email, s.Password)
		answer := s.send("POST /v1/auth/login/jwt", login)
		token := strings.TrimSuffix(strings.TrimPrefix(answer, `200 {"token":"`), `"}`)
		payload := base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(want, "{email}", s.Email, 1)))
		if parts := strings.Split(token, "."); len(parts) != 3 || parts[1] != payload || s.send("POST /v1/auth/login/jwt", login) == answer {
			t.Errorf("the token is %q", token)
		}
		if got := s.send("POST /v1/auth/login/jwt", strings.Replace(login, "p@ss", "pass", 1)); !strings.HasPrefix(got, "401 ") {
			t.Errorf("a wrong password is answered with %s", got)
		}

		for _, step := range []struct {
			advance time.Duration
			answer  string
		}{{0, `200 {"email":`}, {time.Hour - time.Nanosecond, `200 {"email":`}, {time.Nanosecond, "401 "}} {
			s.advance(step.advance)
			if got := s.send("GET /v1/user/self", "", "Authorization", "bearer "+token); !strings.HasPrefix(got, step.answer) {
				t.Errorf("after %v: %s", step.advance, got)
			}
		}
	}
}
