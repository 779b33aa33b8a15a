// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestRequests_parametersAsTheyWereSent(t *testing.T) {
	t.Parallel()

	s := start(t)
	s.AllowViolations()
	s.withKey(http.MethodPatch, projectPath+"?a=1&a=2", `{"n":9007199254740993,"e":1e400,"z":-0,"s":"\u00e9<","l":[1.0,null],"b":false}`, "X-Gateway", "g 1")
	r := s.Requests()[0]
	want := map[string]any{
		"n": json.Number("9007199254740993"), "e": json.Number("1e400"), "z": json.Number("-0"), "s": "é<",
		"l": []any{json.Number("1.0"), nil}, "b": false, "a": []any{"1", "2"},
	}

	if diff := cmp.Diff(want, r.Sent); diff != "" {
		t.Error(diff)
	}

	if r.Place != "query+json" || strings.Join(r.Fields, "") != "abelnsz" || r.Header.Get("X-Gateway") != "g 1" || r.RemoteAddr == "" {
		t.Errorf("%q %v %v %s", r.Place, r.Fields, r.Header, r.RemoteAddr)
	}
}

func TestRequests_returnsCopies(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.withKey(http.MethodPatch, projectPath, allClauses())
	r := s.Requests()[0]
	r.Fields[0], r.Sent["clause_1_consent"] = "changed", "changed"
	r.Header.Set("Content-Type", "changed")
	if again := s.Requests()[0]; again.Fields[0] != "clause_1_consent" || again.Sent["clause_1_consent"] != true || again.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%+v", again)
	}
}

func TestCount_untilReset(t *testing.T) {
	t.Parallel()

	s := start(t)
	token := s.login()
	s.withKey(http.MethodGet, projectPath, "")
	s.send(http.MethodGet, projectPath, "", "Authorization", "bearer "+token)

	if s.Count(mockserver.OpLogin) != 1 || s.Count(mockserver.OpGetConsent) != 2 || s.Count("") != 3 {
		t.Errorf("%d %d %d", s.Count(mockserver.OpLogin), s.Count(mockserver.OpGetConsent), s.Count(""))
	}

	if r := s.Requests()[2]; r.Auth != mockserver.AuthBearer || r.Token != token {
		t.Errorf("%s %q", r.Auth, r.Token)
	}

	s.Reset()
	s.withKey(http.MethodGet, projectPath, "")

	if r := s.Requests(); len(r) != 1 || r[0].Seq != 4 || s.Count("") != 1 {
		t.Errorf("%d requests", len(r))
	}
}

func TestRequests_completeBeforeTheClientHasTheAnswer(t *testing.T) {
	t.Parallel()

	var mu sync.Mutex
	told := map[int]mockserver.Request{}
	s := start(t, func(s *mockserver.Server) {
		s.OnRequest = func(r mockserver.Request) {
			mu.Lock()
			defer mu.Unlock()
			if _, twice := told[r.Seq]; twice {
				t.Errorf("told of request %d twice", r.Seq)
			}
			told[r.Seq] = r
		}
	})

	s.Inject(mockserver.Fault{Skip: 1, Status: 500}, mockserver.Fault{Skip: 2, Cut: mockserver.CutAfterCommit})
	for i, want := range []struct {
		status    int
		committed bool
	}{{200, true}, {500, false}, {0, true}} {
		s.withKey(http.MethodPatch, projectPath, allClauses())
		logged := s.Requests()[i]
		mu.Lock()

		for _, r := range []mockserver.Request{logged, told[i+1]} {
			if r.Status != want.status || r.Committed != want.committed {
				t.Errorf("request %d: %d %v", i+1, r.Status, r.Committed)
			}
		}

		mu.Unlock()
	}
}

func TestDiscardLog_onRequestIsStillCalled(t *testing.T) {
	t.Parallel()
	told := make(chan mockserver.Request, 1)
	s := start(t, func(s *mockserver.Server) {
		s.DiscardLog = true
		s.OnRequest = func(r mockserver.Request) { told <- r }
	})
	s.withKey(http.MethodGet, "/v1/user/self", "")
	if r := <-told; r.Operation != mockserver.OpGetCurrentUser || len(s.Requests()) != 0 {
		t.Errorf("%s, %d kept", r.Operation, len(s.Requests()))
	}
}
