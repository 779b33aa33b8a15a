// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestRoute_everyOperationInItsFamilies(t *testing.T) {
	t.Parallel()

	s := start(t)
	s.login()
	want := []string{`1 login POST /v1/auth/login/jwt /v1/auth/login/jwt "" {  }  200 true`}
	fill := strings.NewReplacer("{orgId}", "org-demo", "{projectId}", "web", "{accountId}", "acc-1", "{identityId}", "user-1")
	send := func(scope mockserver.Scope, who, operation, method, template, rest, body string, status int) {
		path := fill.Replace(template)
		s.withKey(method, path+rest, body)
		want = append(want, fmt.Sprintf("%d %s %s %s %s %q %v secret %d true", len(want)+1, operation, method, template, path, who, scope, status))
	}

	send(mockserver.Scope{}, "", "getCurrentUser", "GET", selfPath, "", "", 200)
	send(projectScope, "", "exportRecords", "GET", "/v1/org/{orgId}/project/{projectId}/export", "?utcDate=2026-03-01", "", 200)
	for scope, prefix := range map[mockserver.Scope]string{projectScope: "/v1/org/{orgId}/project/{projectId}/compliance", accountScope: "/v1/account/{accountId}/compliance"} {
		user := prefix + "/user/{identityId}"
		send(scope, "user-1", "updateConsent", "PATCH", user+"/consent", "", allClauses(), 200)
		send(scope, "user-1", "getConsent", "GET", user+"/consent", "", "", 200)
		send(scope, "user-1", "updateProfile", "PATCH", user+"/profile", "", "{}", 202)
		send(scope, "user-1", "getProfile", "GET", user+"/profile", "", "", 200)
		send(scope, "user-1", "getAllData", "GET", user+"/all-data", "", "", 202)
		send(scope, "user-1", "getAllData", "GET", user+"/all-data", "", "", 200)
		send(scope, "user-1", "deleteAllData", "DELETE", user+"/all-data", "", "", 202)
		send(scope, "", "listPendingRequests", "GET", prefix+"/pending-requests", "", "", 200)
	}

	var got []string
	for _, r := range s.Requests() {
		got = append(got, fmt.Sprintf("%d %s %s %s %s %q %v %s %d %v", r.Seq, r.Operation, r.Method, r.Template, r.EscapedPath, r.Identity, r.Scope, r.Auth, r.Status, r.Committed))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRoute_pathThatIsNotExactIsAViolation(t *testing.T) {
	t.Parallel()

	for name, path := range map[string]string{
		"reserved raw":      "/v1/org/acme/project/web/compliance/user/jo@example.com/consent",
		"lower-case hex":    "/v1/org/a%2fb/project/web/compliance/user/x/consent",
		"needless encoding": "/v1/org/a/project/%41/compliance/user/x/consent",
		"quote raw":         `/v1/org/a/project/b/compliance/user/"/consent`,
		"not ASCII":         "/v1/org/a/project/b/compliance/user/\u00fc/consent",
		"dot":               "/v1/org/a/project/b/compliance/user/./consent",
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
		"GET /v2/user/self", "GET /v1/org/org-demo/project/web/compliance/user//consent", "GET /V1/user/self",
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
