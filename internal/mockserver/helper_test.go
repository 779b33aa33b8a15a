// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
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
	userPath    = "/v1/org/org-demo/project/web/compliance/user/user-1"
	consentPath = userPath + "/consent"
	profilePath = userPath + "/profile"
	allDataPath = userPath + "/all-data"
	pendingPath = "/v1/org/org-demo/project/web/compliance/pending-requests"
	exportPath  = "/v1/org/org-demo/project/web/export?utcDate="

	formType = "application/x-www-form-urlencoded"

	clauses = `"clause_1_consent":true,"clause_2_consent":true,"clause_3_consent":true,"clause_4_consent":true,"clause_5_consent":true`
)

// service is a running server whose clock stands still at 2026-01-15T09:30:00Z unless the test moves it.
type service struct {
	*mocktest.Instance
	t      *testing.T
	passed *atomic.Int64
	header http.Header // of the last answer
}

func start(t *testing.T, configure ...func(*mockserver.Server)) *service {
	t.Helper()
	passed := &atomic.Int64{}
	still := func(s *mockserver.Server) {
		s.Now = func() time.Time {
			return time.Date(2026, 1, 15, 9, 30, 0, 0, time.UTC).Add(time.Duration(passed.Load()))
		}
	}

	return &service{Instance: mocktest.Start(t, append(configure, still)...), t: t, passed: passed}
}

// advance moves the service's clock.
func (s *service) advance(d time.Duration) { s.passed.Add(int64(d)) }

// delayed fulfils requests only after the clock is advanced.
func delayed(s *mockserver.Server) { s.FulfilmentDelay = time.Minute }

// send sends a request, such as "GET /path", as it is. It returns the status and the body of the answer, separated by a
// space, and the error that the body ends with; or "reset".
func (s *service) send(request, body string, header ...string) string {
	s.t.Helper()
	method, path, _ := strings.Cut(request, " ")
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")

	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}

	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if errors.Is(err, syscall.ECONNRESET) {
		return "reset"
	}
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	s.header = resp.Header
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		text = append(text, " "+err.Error()...)
	}

	return fmt.Sprintf("%d %s", resp.StatusCode, text)
}

// ask sends a request with the secret key.
func (s *service) ask(request, body string, header ...string) string {
	s.t.Helper()
	separator := map[bool]string{true: "&", false: "?"}[strings.Contains(request, "?")]
	return s.send(request+separator+"apiSecretToken="+url.QueryEscape(s.SecretKey), body, header...)
}

// want fails the test unless the answer to a request with the secret key is that one.
func (s *service) want(request, body, answer string) {
	s.t.Helper()
	if got := s.ask(request, body); got != answer {
		s.t.Errorf("%s %s is answered with %s, want %s", request, body, got, answer)
	}
}
