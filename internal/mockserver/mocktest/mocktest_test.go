// SPDX-License-Identifier: MPL-2.0

package mocktest

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeTB is a testing.TB that records failures and runs its cleanups on demand.
type fakeTB struct {
	testing.TB
	failed   bool
	cleanups []func()
}

func (f *fakeTB) Helper()               {}
func (f *fakeTB) Cleanup(c func())      { f.cleanups = append(f.cleanups, c) }
func (f *fakeTB) Errorf(string, ...any) { f.failed = true }

func TestStart_violationFailsTheTestUnlessAllowed(t *testing.T) {
	t.Parallel()
	for path, violated := range map[string]bool{"/v1/user/self": false, "/elsewhere": true} {
		for _, allowed := range []bool{false, true} {
			fake := &fakeTB{TB: t}
			i := Start(fake)
			if allowed {
				i.AllowViolations()
			}
			i.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, path+"?apiSecretToken="+url.QueryEscape(i.SecretKey), http.NoBody))
			for _, cleanup := range fake.cleanups {
				cleanup()
			}

			if isFailed := violated && !allowed; fake.failed != isFailed || (len(i.Violations()) > 0) != violated {
				t.Errorf("%s, allowed %v: failed %v, violations %q", path, allowed, fake.failed, i.Violations())
			}
		}
	}
}
