// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"bufio"
	"encoding/json"
	"net"
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
		s.patch(consentPath, allClauses())
	}

	if seen.Load() != 1 {
		t.Errorf("it saw %d requests, want the one that reached the service", seen.Load())
	}

	if got := s.get(consentPath); got.status != http.StatusOK || got.header.Get("X-Wrapped") != "1" {
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
		"l": []any{json.Number("1.0"), nil}, "b": false, "a": []any{"1", "2"},
	}

	if diff := cmp.Diff(want, r.Sent); diff != "" {
		t.Error(diff)
	}

	if r.Place != "query+json" || r.Header.Get("X-Gateway") != "g 1" {
		t.Errorf("%q %v", r.Place, r.Header)
	}
}

func TestCount_untilReset(t *testing.T) {
	t.Parallel()

	s := start(t)
	token := s.login()
	s.get(consentPath)
	s.send(http.MethodGet, consentPath, "", "Authorization", "bearer "+token)

	if s.Count(mockserver.OpLogin) != 1 || s.Count(mockserver.OpGetConsent) != 2 || s.Count("") != 3 {
		t.Errorf("%d %d %d", s.Count(mockserver.OpLogin), s.Count(mockserver.OpGetConsent), s.Count(""))
	}

	if r := s.Requests()[2]; r.Auth != mockserver.AuthBearer || r.Token != token {
		t.Errorf("%s %q", r.Auth, r.Token)
	}

	s.Reset()
	s.get(consentPath)

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
		s.patch(consentPath, allClauses())
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

func TestConnections_areCounted(t *testing.T) {
	t.Parallel()

	s := start(t)
	s.get("/v1/user/self")
	s.get("/v1/user/self")

	if s.Connections() != 1 {
		t.Errorf("%d connections for a client that keeps its one", s.Connections())
	}

	s.client.CloseIdleConnections()
	s.get("/v1/user/self")

	if s.Connections() != 2 {
		t.Errorf("%d connections", s.Connections())
	}
}

func TestStop_closesTheConnections(t *testing.T) {
	t.Parallel()

	server := &mockserver.Server{}
	listening, err := server.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	address := strings.TrimPrefix(listening.URL, "http://")
	var dialer net.Dialer
	conn, err := dialer.DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	if _, err := conn.Write([]byte("GET /v1/user/self HTTP/1.1\r\nHost: localhost\r\n\r\n")); err != nil {
		t.Fatal(err)
	}

	reader := bufio.NewReader(conn)
	resp, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}

	resp.Body.Close()
	for range 2 {
		if err := listening.Stop(); err != nil {
			t.Errorf("stopping: %v", err)
		}
	}

	<-listening.Done()
	if _, err := reader.ReadByte(); err == nil {
		t.Error("the connection is still there")
	}

	if again, err := dialer.DialContext(t.Context(), "tcp", address); err == nil {
		again.Close()
		t.Error("somebody still listens")
	}
}

func TestStop_returnsTheErrorOfTheListener(t *testing.T) {
	t.Parallel()

	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	listening := new(mockserver.Server).Serve(l, nil)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}

	<-listening.Done()
	if err := listening.Stop(); err == nil {
		t.Error("no error")
	}
}

func TestListen_foreignAddressIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := new(mockserver.Server).Listen(t.Context(), "192.0.2.1:0"); err == nil {
		t.Error("no error")
	}
}
