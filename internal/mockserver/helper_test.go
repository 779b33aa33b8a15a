// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The scopes and paths of the two families, for the person user-1.
var (
	projectScope = mockserver.Scope{OrgID: "org-demo", ProjectID: "web"}
	accountScope = mockserver.Scope{AccountID: "acc-1"}
)

const (
	loginPath   = "/v1/auth/login/jwt"
	selfPath    = "/v1/user/self"
	userPath    = "/v1/org/org-demo/project/web/compliance/user/user-1"
	consentPath = userPath + "/consent"
	profilePath = userPath + "/profile"
	allDataPath = userPath + "/all-data"
	pendingPath = "/v1/org/org-demo/project/web/compliance/pending-requests"
	exportPath  = "/v1/org/org-demo/project/web/export"

	formType = "application/x-www-form-urlencoded"
)

// inAccount returns the same path in the older family.
func inAccount(path string) string {
	return strings.Replace(path, "/org/org-demo/project/web", "/account/acc-1", 1)
}

// epoch is when the clock of a service begins to run.
var epoch = time.Date(2026, 1, 15, 9, 30, 0, 0, time.UTC)

// service is a running server and a client for it.
type service struct {
	*mocktest.Instance
	t         *testing.T
	transport *http.Transport
	passed    *atomic.Int64 // since epoch
}

// start starts a server whose clock stands still.
func start(t *testing.T, configure ...func(*mockserver.Server)) *service {
	t.Helper()
	var passed atomic.Int64
	still := func(s *mockserver.Server) {
		s.Now = func() time.Time { return epoch.Add(time.Duration(passed.Load())) }
	}

	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)

	return &service{mocktest.Start(t, append([]func(*mockserver.Server){still}, configure...)...), t, transport, &passed}
}

// advance moves the service's clock.
func (s *service) advance(d time.Duration) { s.passed.Add(int64(d)) }

// delayed fulfils requests only after the clock is advanced.
func delayed(s *mockserver.Server) { s.FulfilmentDelay = time.Minute }

// ending decides the outcome of all requests.
func ending(o mockserver.Outcome) func(*mockserver.Server) {
	return func(s *mockserver.Server) { s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return o } }
}

// reply is an answer, as far as it was received.
type reply struct {
	status int
	header http.Header
	body   string
	err    error // of sending, or of reading to the end
}

// json returns the body as an object; empty if it is something else.
func (r reply) json() map[string]any {
	var m map[string]any
	_ = json.Unmarshal([]byte(r.body), &m)
	return m
}

// refused returns the status of an error, its code, and the fields that it names.
func (r reply) refused() string {
	var body struct {
		Error struct {
			Code   string
			Fields map[string]string
		}
	}
	_ = json.Unmarshal([]byte(r.body), &body)
	text := fmt.Sprint(r.status, " ", body.Error.Code)
	for _, name := range slices.Sorted(maps.Keys(body.Error.Fields)) {
		text += " " + name
	}

	return text
}

// send sends a request. The path is sent as it is; header holds names and values in
// turn.
func (s *service) send(method, path, body string, header ...string) reply {
	s.t.Helper()

	req, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}

	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}

	resp, err := s.transport.RoundTrip(req)
	if err != nil {
		return reply{err: err}
	}
	defer resp.Body.Close()

	text, err := io.ReadAll(resp.Body)

	return reply{status: resp.StatusCode, header: resp.Header, body: string(text), err: err}
}

// withKey sends a request with the secret key.
func (s *service) withKey(method, path, body string, header ...string) reply {
	s.t.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	return s.send(method, path+separator+"apiSecretToken="+url.QueryEscape(s.SecretKey), body, header...)
}

func (s *service) get(path string) reply {
	s.t.Helper()
	return s.withKey(http.MethodGet, path, "")
}

func (s *service) patch(path, body string) reply {
	s.t.Helper()
	return s.withKey(http.MethodPatch, path, body)
}

// login logs in and returns the token.
func (s *service) login() string {
	s.t.Helper()
	got := s.send(http.MethodPost, loginPath, encode(s.t, map[string]any{"email": s.Email, "password": s.Password}))
	token, _ := got.json()["token"].(string)
	if got.status != http.StatusOK || token == "" {
		s.t.Fatalf("the login was answered with %d %s", got.status, got.body)
	}
	return token
}

// listed returns one field of the records on the list of pending requests.
func (s *service) listed(field string) []any {
	s.t.Helper()
	got := s.get(pendingPath)
	var records []map[string]any
	if err := json.Unmarshal([]byte(got.body), &records); err != nil || got.status != http.StatusOK {
		s.t.Fatalf("the list was answered with %d and %d bytes: %v", got.status, len(got.body), err)
	}

	all := []any{}
	for _, r := range records {
		all = append(all, r[field])
	}

	return all
}

func encode(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// allClauses returns an update that agrees to all clauses, with further members.
func allClauses(more ...string) string {
	members := []string{`"clause_1_consent":true`, `"clause_2_consent":true`, `"clause_3_consent":true`, `"clause_4_consent":true`, `"clause_5_consent":true`}
	return "{" + strings.Join(append(members, more...), ",") + "}"
}

const allClausesText = "clause_1_consent=true&clause_2_consent=true&clause_3_consent=true&clause_4_consent=true&clause_5_consent=false"
