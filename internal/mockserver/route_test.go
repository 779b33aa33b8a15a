// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"net/url"
	"strings"
	"testing"
)

func TestRoute_pathThatIsNotExactIsAViolation(t *testing.T) {
	t.Parallel()

	for name, path := range map[string]string{
		"reserved raw":      "/v1/org/acme/project/web/compliance/user/jo@example.com/consent",
		"lower-case hex":    "/v1/org/a%2fb/project/web/compliance/user/x/consent",
		"needless encoding": "/v1/org/a/project/%41/compliance/user/x/consent",
		"quote raw":         `/v1/org/a/project/b/compliance/user/"/consent`,
		"not ASCII":         "/v1/org/a/project/b/compliance/user/\u00fc/consent",
		"encoded dots":      "/v1/org/%2E%2E/project/b/compliance/user/x/consent",
	} {
		s := start(t)
		s.AllowViolations()
		text, err := s.raw(t, "GET "+path+"?apiSecretToken="+url.QueryEscape(s.SecretKey), "")
		if violations := strings.Join(s.Violations(), "\n"); err != nil || !strings.HasPrefix(text, "HTTP/1.1 404") || !strings.Contains(violations, "getConsent: a segment of the path") {
			t.Errorf("%s: %v %s %s", name, err, text, violations)
		}
	}
}

func TestRoute_unknownOperationIs404AndAViolation(t *testing.T) {
	t.Parallel()

	s := start(t)
	s.AllowViolations()
	for i, request := range []string{
		"GET /", "GET /v1/auth/login/jwt", "POST " + consentPath, "GET " + consentPath + "/", "GET /v1//user/self", "GET /v1/user/./self",
		"GET /v2/user/self", "GET /v1/org/org-demo/project/web/compliance/user/./consent", "GET /v1/org/org-demo/project/web/compliance/user//consent", "GET /V1/user/self",
		"GET /v1/org/org-demo/project/web/compliance/user/a/b/consent", "GET /v1/account/acc-1/export",
	} {
		method, path, _ := strings.Cut(request, " ")
		if got := s.withKey(method, path, ""); got.refused() != "404 unknown_route" || !strings.Contains(strings.Join(s.Server.Violations(), "\n"), request) {
			t.Errorf("%s: %d %s", request, got.status, got.body)
		}
		if r := s.Requests()[i]; r.Operation != "" || r.Template != "" || r.EscapedPath != path {
			t.Errorf("%s: the log has %+v", request, r)
		}
	}
}
