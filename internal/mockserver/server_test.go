// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestServer_zeroValueKnowsNobodyAndAnswers(t *testing.T) {
	t.Parallel()

	var s mockserver.Server
	for request, want := range map[string]int{
		"GET /v1/user/self?apiSecretToken=x": 401, "GET " + consentPath + "?apiSecretToken=x": 401, "GET /elsewhere": 404,
	} {
		method, path, _ := strings.Cut(request, " ")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, http.NoBody))
		if w.Code != want || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %v", request, w.Code, w.Header())
		}
	}
}

func TestServer_panicOfAHookIsAViolation(t *testing.T) {
	t.Parallel()

	for name, configure := range map[string]func(*mockserver.Server){
		"a change":            func(s *mockserver.Server) { s.ReshapeConsents(func(map[string]any) any { panic("canary") }) },
		"an answer, not JSON": func(s *mockserver.Server) { s.ReshapeConsents(func(map[string]any) any { return func() {} }) },
		"a fault": func(s *mockserver.Server) {
			s.FaultFor = func(mockserver.Request) *mockserver.Fault { panic("canary") }
		},
	} {
		s := start(t, configure)
		s.AllowViolations()
		if got := s.patch(consentPath, allClauses()); got.err == nil {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}

		s.Stop() // the violation follows the end of the connection
		if got := s.Server.Violations(); len(got) != 1 || !strings.Contains(got[0], "panicked in updateConsent") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestRequests_parametersAsTheyWereSent(t *testing.T) {
	t.Parallel()

	s := start(t)
	s.AllowViolations()
	s.withKey(http.MethodPatch, consentPath+"?a=1&a=2", `{"n":9007199254740993,"e":1e400,"z":-0,"s":"\u00e9<","l":[1.0,null],"b":false}`, "X-Gateway", "g 1")
	r := s.Requests()[0]
	want := map[string]any{
		"n": json.Number("9007199254740993"), "e": json.Number("1e400"), "z": json.Number("-0"), "s": "é<",
		"l": []any{json.Number("1.0"), nil}, "b": false, "a": "1",
	}

	if diff := cmp.Diff(want, r.Sent); diff != "" {
		t.Error(diff)
	}

	if r.ParametersIn != "query+json" || r.Header.Get("X-Gateway") != "g 1" {
		t.Errorf("%q %v", r.ParametersIn, r.Header)
	}
}

func TestRequests_completeBeforeTheClientHasTheAnswer(t *testing.T) {
	t.Parallel()

	told := make(chan mockserver.Request, 10)
	s := start(t, func(s *mockserver.Server) { s.OnRequest = func(r mockserver.Request) { told <- r } })
	s.Inject(mockserver.Fault{Skip: 1, Status: 500}, mockserver.Fault{Skip: 2, Cut: mockserver.CutAfterCommit})
	for i, want := range []struct {
		status    int
		committed bool
	}{{200, true}, {500, false}, {0, true}} {
		s.patch(consentPath, allClauses())
		for _, r := range []mockserver.Request{s.Requests()[i], <-told} {
			if r.Seq != i+1 || r.Status != want.status || r.Committed != want.committed {
				t.Errorf("request %d: %d %v", i+1, r.Status, r.Committed)
			}
		}
	}
	if len(told) > 0 {
		t.Errorf("told of a request twice")
	}
}
