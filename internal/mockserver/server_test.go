// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestServer_zeroValueKnowsNobodyAndAnswers(t *testing.T) {
	t.Parallel()

	var s mockserver.Server
	for request, want := range map[string]int{
		"GET /v1/user/self?apiSecretToken=x": 401, "GET " + projectPath + "?apiSecretToken=x": 401, "GET /elsewhere": 404,
	} {
		method, path, _ := strings.Cut(request, " ")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, http.NoBody))
		if w.Code != want || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %v", request, w.Code, w.Header())
		}
	}
}

func TestWrap_seesWhatReachesTheService(t *testing.T) {
	t.Parallel()

	var seen atomic.Int64
	s := start(t, func(s *mockserver.Server) {
		s.Wrap = func(service http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				seen.Add(1)
				w.Header().Set("X-Wrapped", "1")
				service.ServeHTTP(w, r)
			})
		}
	})

	s.Inject(mockserver.Fault{Status: 500}, mockserver.Fault{Cut: mockserver.CutBeforeCommit, Skip: 1}, mockserver.Fault{Cut: mockserver.CutAfterCommit, Skip: 2})
	for range 3 {
		s.withKey(http.MethodPatch, projectPath, allClauses())
	}

	if seen.Load() != 1 {
		t.Errorf("it saw %d requests, want the one that reached the service", seen.Load())
	}

	if got := s.withKey(http.MethodGet, projectPath, ""); got.status != http.StatusOK || got.header.Get("X-Wrapped") != "1" {
		t.Errorf("%d %v", got.status, got.header)
	}
}

func TestServer_panicOfAHookIsAViolation(t *testing.T) {
	t.Parallel()

	for name, configure := range map[string]func(*mockserver.Server){
		"Answer":              func(s *mockserver.Server) { s.ReshapeConsents(func(map[string]any) any { panic("canary") }) },
		"an answer, not JSON": func(s *mockserver.Server) { s.ReshapeConsents(func(map[string]any) any { return func() {} }) },
		"FaultFor": func(s *mockserver.Server) {
			s.FaultFor = func(mockserver.Request) *mockserver.Fault { panic("canary") }
		},
	} {
		told := make(chan string, 1)
		s := start(t, configure, func(s *mockserver.Server) { s.OnViolation = func(text string) { told <- text } })
		s.AllowViolations()

		if got := s.withKey(http.MethodPatch, projectPath, allClauses()); got.err == nil {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}

		text := <-told
		if diff := cmp.Diff([]string{text}, s.Server.Violations()); diff != "" || !strings.Contains(text, "panicked in updateConsent") {
			t.Errorf("%s: %q\n%s", name, text, diff)
		}
	}
}

func TestServer_concurrentClientsLoseNothing(t *testing.T) {
	t.Parallel()

	const clients, each = 8, 25
	s := start(t)
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for range each {
				if got := s.withKey(http.MethodPatch, projectPath, allClauses()); got.status != http.StatusOK {
					t.Errorf("%d %v", got.status, got.err)
				}
				s.Requests()
			}
		})
	}

	wg.Wait()
	seen := map[int]bool{}
	for _, r := range s.Requests() {
		seen[r.Seq] = r.Committed
	}

	if len(seen) != clients*each || s.Count(mockserver.OpUpdateConsent) != clients*each {
		t.Errorf("%d requests", len(seen))
	}
}
