// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestToken_lastsOneHourOfTheClockWhateverItClaims(t *testing.T) {
	t.Parallel()

	expired := func(now time.Time) map[string]any { return map[string]any{"exp": now.Unix() - 1} }
	for want, claims := range map[string]func(time.Time) map[string]any{`{"exp":1768473000,"iat":1768469400,"sub":"{email}"}`: nil, `{"exp":1768469399}`: expired} {
		s := start(t, func(s *mockserver.Server) { s.Claims = claims })
		token := s.login()
		parts := strings.Split(token, ".")
		want = strings.Replace(want, "{email}", s.Email, 1)
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
	}
}

func TestAuth_undocumentedPresentationIsAViolation(t *testing.T) {
	t.Parallel()

	const self, key = "GET " + selfPath + "?", "apiSecretToken={key}"
	for name, tc := range map[string]struct {
		request, header string
		status          int
		words           string
	}{
		"none at all":          {self, "", 401, "0 credentials, not 1"},
		"two keys":             {self + key + "&" + key, "", 200, "2 credentials, not 1"},
		"header and key":       {self + key, "bearer {token}", 200, "2 credentials, not 1"},
		"scheme and key":       {self + key, "Token x", 200, "2 credentials, not 1"},
		"a token at the login": {"POST " + loginPath, "bearer x", 400, "1 credentials, not 0"},
	} {
		s := start(t)
		s.AllowViolations()
		fill := strings.NewReplacer("{key}", url.QueryEscape(s.SecretKey), "{token}", s.IssueToken(s.Email))
		var header []string
		if tc.header != "" {
			header = []string{"Authorization", fill.Replace(tc.header)}
		}

		method, path, _ := strings.Cut(tc.request, " ")
		got := s.send(method, fill.Replace(path), "", header...)
		violations := strings.Join(s.Violations(), "\n")
		if got.status != tc.status || !strings.Contains(violations, tc.words) || strings.Contains(violations, s.SecretKey) {
			t.Errorf("%s: %d: %s", name, got.status, violations)
		}
	}
}
