// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestRoute_everyOperationInItsFamilies(t *testing.T) {
	t.Parallel()

	s := start(t)
	s.login()
	s.withKey(http.MethodGet, "/v1/user/self", "")
	want := []seen{
		{1, "login", "POST", "/v1/auth/login/jwt", "/v1/auth/login/jwt", "", mockserver.Scope{}, "none", 200, true},
		{2, "getCurrentUser", "GET", "/v1/user/self", "/v1/user/self", "", mockserver.Scope{}, "secret", 200, true},
	}

	for name, prefix := range map[string]string{"project": "/v1/org/{orgId}/project/{projectId}/compliance", "account": "/v1/account/{accountId}/compliance"} {
		want = append(want, s.sendAll(families[name], prefix, len(want))...)
	}

	var got []seen
	for _, r := range s.Requests() {
		got = append(got, seen{r.Seq, r.Operation, r.Method, r.Template, r.EscapedPath, r.Identity, r.Scope, r.Auth, r.Status, r.Committed})
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// seen is the part of a log entry that the tests of routes compare.
type seen struct {
	Seq                                    int
	Operation, Method, Template, Path, Who string
	Scope                                  mockserver.Scope
	Auth                                   string
	Status                                 int
	Committed                              bool
}

// sendAll sends a request of each operation of the compliance group, and returns the
// log entries that are expected for them.
func (s *service) sendAll(f family, prefix string, before int) []seen {
	s.t.Helper()

	var want []seen
	for i, call := range []seen{
		{Operation: "updateConsent", Method: "PATCH", Template: "/user/{identityId}/consent", Path: f.consent(), Who: "user-1", Status: 200},
		{Operation: "getConsent", Method: "GET", Template: "/user/{identityId}/consent", Path: f.consent(), Who: "user-1", Status: 200},
		{Operation: "updateProfile", Method: "PATCH", Template: "/user/{identityId}/profile", Path: f.profile(), Who: "user-1", Status: 202},
		{Operation: "getProfile", Method: "GET", Template: "/user/{identityId}/profile", Path: f.profile(), Who: "user-1", Status: 200},
		{Operation: "getAllData", Method: "GET", Template: "/user/{identityId}/all-data", Path: f.allData(), Who: "user-1", Status: 202},
		{Operation: "deleteAllData", Method: "DELETE", Template: "/user/{identityId}/all-data", Path: f.allData(), Who: "user-1", Status: 202},
		{Operation: "listPendingRequests", Method: "GET", Template: "/pending-requests", Path: f.pending(), Status: 200},
	} {
		body := map[string]string{"updateConsent": allClauses(), "updateProfile": "{}"}[call.Operation]
		s.withKey(call.Method, call.Path, body)
		call.Seq, call.Template, call.Scope, call.Auth, call.Committed = before+i+1, prefix+call.Template, f.scope, "secret", true
		want = append(want, call)
	}

	return want
}

func TestRoute_identityIsOneDecodedSegment(t *testing.T) {
	t.Parallel()

	for escaped, identity := range map[string]string{
		"a%2Fb":                   "a/b",
		"%2E%2E":                  "..",
		"%252F":                   "%2F",
		"a%3Fb%23c%25d%3Be":       "a?b#c%d;e",
		"a+b":                     "a+b",
		"a%20b%2Bc":               "a b+c",
		"ada%40example.com":       "ada@example.com",
		"caf%C3%A9":               "caf\u00e9",
		"cafe%CC%81":              "cafe\u0301",
		"%F0%9F%99%82":            "\U0001F642",
		"%C0%AF":                  "\xc0\xaf",
		"a%5Cb%22%3C%3E":          `a\b"<>`,
		strings.Repeat("x", 8192): strings.Repeat("x", 8192),
	} {
		s := start(t)
		s.AllowViolations() // the contract requires another spelling

		path := strings.Replace(projectPath, "user-1", escaped, 1)
		if got := s.withKey(http.MethodPatch, path, allClauses()); got.status != http.StatusOK {
			t.Errorf("%.40s: %d %s", escaped, got.status, got.body)
		}

		if _, ok := s.Consent(projectScope, identity); !ok {
			t.Errorf("%.40s: there is no record of %.40q", escaped, identity)
		}

		if r := s.Requests()[0]; r.EscapedPath != path || r.Identity != identity {
			t.Errorf("the log has %.80s and %.40q", r.EscapedPath, r.Identity)
		}
	}
}

func TestRoute_scopesAreDecoded(t *testing.T) {
	t.Parallel()
	s := start(t)
	path := "/v1/org/o%2F1%202/project/p%253/compliance/user/u/consent"
	if got := s.withKey(http.MethodPatch, path, allClauses()); got.status != http.StatusOK {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if _, ok := s.Consent(mockserver.Scope{OrgID: "o/1 2", ProjectID: "p%3"}, "u"); !ok {
		t.Errorf("the log has %+v", s.Requests()[0].Scope)
	}
}

func TestRoute_unknownOperationIs404AndAViolation(t *testing.T) {
	t.Parallel()

	for _, request := range []string{
		"GET /", "GET /v1/auth/login/jwt", "POST " + projectPath, "GET " + projectPath + "/", "GET /v1//user/self", "GET /v1/user/./self",
		"GET /v2/user/self", "GET /v1/org/org-demo/project/web/compliance/user//consent", "GET /V1/user/self",
		"GET /v1/org/org-demo/project/web/compliance/user/a/b/consent",
	} {
		s := start(t)
		s.AllowViolations()
		method, path, _ := strings.Cut(request, " ")
		got := s.withKey(method, path, "")
		if got.status != http.StatusNotFound || got.refused() != "unknown_route" {
			t.Errorf("%s: %d %s", request, got.status, got.body)
		}

		if len(s.Server.Violations()) == 0 {
			t.Errorf("%s: no violation", request)
		}

		if r := s.Requests()[0]; r.Operation != "" || r.Template != "" || r.EscapedPath != path {
			t.Errorf("%s: the log has %+v", request, r)
		}
	}
}

func TestBasePath_prefixesEveryRoute(t *testing.T) {
	t.Parallel()
	s := start(t, func(s *mockserver.Server) { s.BasePath = "/a%2Fb/c" })
	if !strings.HasSuffix(s.URL, "/a%2Fb/c") {
		t.Errorf("the address is %s", s.URL)
	}
	if got := s.withKey(http.MethodPatch, strings.Replace(projectPath, "user-1", "x%2Fy", 1), allClauses()); got.status != http.StatusOK {
		t.Errorf("%d %s", got.status, got.body)
	}
	if _, ok := s.Consent(projectScope, "x/y"); !ok {
		t.Error("there is no record")
	}
}
