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
		"GET /", "GET /v1/auth/login/jwt", "POST " + consentPath, "GET " + consentPath + "/", "GET /v1//user/self", "GET /v1/user/./self",
		"GET /v1/org/o/project/p/compliance/user//consent", "GET /v1/account/acc-1/export",
	} {
		s := start(t)
		s.AllowViolations()
		if got := s.ask(request, ""); !strings.HasPrefix(got, "404 ") || s.Requests()[0].Operation != "" {
			t.Errorf("%s: %s", request, got)
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
		if !strings.Contains(token, "."+payload+".") || s.send("POST /v1/auth/login/jwt", login) == answer {
			t.Errorf("the token is %q", token)
		}

		s.advance(time.Hour - time.Nanosecond)
		before := s.send("GET /v1/user/self", "", "Authorization", "bearer "+token)
		s.advance(time.Nanosecond)
		after := s.send("GET /v1/user/self", "", "Authorization", "bearer "+token)
		wrong := s.send("POST /v1/auth/login/jwt", strings.Replace(login, "p@ss", "pass", 1))
		if !strings.HasPrefix(before, `200 {"email":`) || !strings.HasPrefix(after, "401 ") || !strings.HasPrefix(wrong, "401 ") {
			t.Errorf("before the hour is over %s, then %s; with a wrong password %s", before, after, wrong)
		}
	}
}
