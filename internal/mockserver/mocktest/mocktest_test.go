// SPDX-License-Identifier: MPL-2.0

package mocktest

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const selfPath = "/v1/user/self"

// get sends a request with the instance's secret key and returns the status.
func get(t testing.TB, i *Instance, transport *http.Transport, path string) (int, error) {
	t.Helper()

	defer transport.CloseIdleConnections()
	address := i.URL + path + "?apiSecretToken=" + url.QueryEscape(i.SecretKey)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}

	resp, err := transport.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()

	_, err = io.Copy(io.Discard, resp.Body)

	return resp.StatusCode, err
}

// fakeTB is a testing.TB that records failures and runs its cleanups on demand.
type fakeTB struct {
	testing.TB
	failed   bool
	cleanups []func()
}

func (f *fakeTB) Helper()          {}
func (f *fakeTB) Cleanup(c func()) { f.cleanups = append(f.cleanups, c) }

func (f *fakeTB) Errorf(string, ...any) { f.failed = true }

func TestStart_violationFailsTheTestUnlessAllowed(t *testing.T) {
	t.Parallel()

	empty := func(s *mockserver.Server) {
		mockserver.Reshape(s, func(any) any { return mockserver.NoContent }, mockserver.OpGetCurrentUser)
	}
	for name, tc := range map[string]struct {
		path      string
		configure func(*mockserver.Server)
		allowed   bool
		violated  bool
	}{
		"nothing wrong":              {selfPath, func(*mockserver.Server) {}, false, false},
		"no operation":               {"/elsewhere", func(*mockserver.Server) {}, false, true},
		"an answer without a user":   {selfPath, empty, false, true},
		"the same, allowed":          {selfPath, empty, true, true},
		"the same, which is a fault": {selfPath, func(s *mockserver.Server) { s.Inject(mockserver.Fault{Body: []byte{}}) }, false, false},
	} {
		fake := &fakeTB{TB: t}
		i := Start(fake, tc.configure)
		if tc.allowed {
			i.AllowViolations()
		}
		if _, err := get(t, i, &http.Transport{}, tc.path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, cleanup := range fake.cleanups {
			cleanup()
		}

		if failed := tc.violated && !tc.allowed; fake.failed != failed || (len(i.Violations()) > 0) != tc.violated {
			t.Errorf("%s: failed %v, violations %q", name, fake.failed, i.Violations())
		}
	}
}

func TestStart_credentialsAreUniqueAndNeedEscaping(t *testing.T) {
	t.Parallel()

	a, b := Start(t), Start(t)
	for own, other := range map[string]string{a.Email: b.Email, a.Password: b.Password, a.SecretKey: b.SecretKey} {
		if own == other || url.QueryEscape(own) == own {
			t.Errorf("%q and %q", own, other)
		}
	}

	a.SecretKey = b.SecretKey
	if status, err := get(t, a, &http.Transport{}, selfPath); status != http.StatusUnauthorized {
		t.Errorf("one accepts the other's key: %d %v", status, err)
	}
}

func TestStartTLS_authorityIsItsOwn(t *testing.T) {
	t.Parallel()

	i := StartTLS(t, nil)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(i.CAPEM)
	trusting := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true}
	if status, err := get(t, i, trusting, selfPath); status != http.StatusOK || i.Connections() != 1 {
		t.Errorf("%d %v over %d connections", status, err, i.Connections())
	}

	_, err := get(t, i, &http.Transport{}, selfPath)
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); !ok {
		t.Errorf("without the authority: %v", err)
	}
}

func TestStartPipe_livesInABubble(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		i := StartPipe(t, func(s *mockserver.Server) { s.Latency = time.Hour })
		began := time.Now()
		if status, err := get(t, i, &http.Transport{DialContext: i.DialContext}, selfPath); status != http.StatusOK || err != nil {
			t.Errorf("%d %v", status, err)
		}

		if r := i.Requests()[0]; time.Since(began) != time.Hour || r.Took != time.Hour || !r.At.Equal(began) {
			t.Errorf("it took %v of the bubble's time, and the log has %v", time.Since(began), r.Took)
		}

		i.Stop()
		if _, err := i.DialContext(t.Context(), "tcp", "localhost:80"); !errors.Is(err, net.ErrClosed) {
			t.Errorf("a connection to a stopped server: %v", err)
		}
	})
}
