// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestRoute_pathThatIsNoOperationIs404(t *testing.T) {
	t.Parallel()
	for _, request := range []string{
		"GET /", "GET /v1/auth/login/jwt", "POST " + consentPath, "GET " + consentPath + "/", "GET /v1//user/self", "GET /v1/user/./self", "GET /v2/user/self",
		"GET /v1/org/o/project/p/compliance/user//consent",
		"GET /v1/org/o/project/p/compliance/user/a/b/consent", "GET /v1/account/acc-1/export",
	} {
		s := start(t)
		s.AllowViolations()
		got, _, _ := strings.Cut(s.ask(request, ""), " ")
		if violations := s.Violations(); got != "404" || len(violations) != 1 || !strings.HasPrefix(violations[0], "no operation") || s.Requests()[0].Operation != "" {
			t.Errorf("%s: %s, %q", request, got, violations)
		}
	}
}

func TestRoute_segmentsAreDecodedOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.ask("GET /v1/org/a%2Fb/project/%C3%BC/compliance/user/..%2Fx%252F/consent", "")
	if r := s.Requests()[0]; r.Identity != "../x%2F" || r.Scope != (mockserver.Scope{OrgID: "a/b", ProjectID: "ü"}) || r.Operation != mockserver.OpGetConsent {
		t.Errorf("the log has %+v", r)
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
