// SPDX-License-Identifier: MPL-2.0

package mocktest

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"go.uber.org/goleak"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const selfPath = "/v1/user/self"

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

	page := func(s *mockserver.Server) {
		s.Change(func(_ mockserver.Request, a *mockserver.Response) { a.Header.Set("Content-Type", "text/html") })
	}
	for name, tc := range map[string]struct {
		path      string
		configure func(*mockserver.Server)
		allowed   bool
		violated  bool
	}{
		"nothing wrong":              {selfPath, func(*mockserver.Server) {}, false, false},
		"no operation":               {"/elsewhere", func(*mockserver.Server) {}, false, true},
		"a page for a user":          {selfPath, page, false, true},
		"the same, allowed":          {selfPath, page, true, true},
		"the same, which is a fault": {selfPath, func(s *mockserver.Server) { s.Inject(mockserver.Fault{Body: []byte{}}) }, false, false},
	} {
		fake := &fakeTB{TB: t}
		i := Start(fake, tc.configure)
		if tc.allowed {
			i.AllowViolations()
		}
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, tc.path+"?apiSecretToken="+url.QueryEscape(i.SecretKey), http.NoBody)
		i.ServeHTTP(httptest.NewRecorder(), request)
		for _, cleanup := range fake.cleanups {
			cleanup()
		}

		if failed := tc.violated && !tc.allowed; fake.failed != failed || (len(i.Violations()) > 0) != tc.violated {
			t.Errorf("%s: failed %v, violations %q", name, fake.failed, i.Violations())
		}
	}
}
