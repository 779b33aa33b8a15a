// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

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

	s.Reset()
	if n := len(s.Requests()); n > 0 {
		t.Errorf("%d requests are left", n)
	}
}
