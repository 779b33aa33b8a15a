// SPDX-License-Identifier: MPL-2.0

package mocktest

import (
	"net/http"
	"net/http/httptest"
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
	for _, allowed := range []bool{false, true} {
		fake := &fakeTB{TB: t}
		i := Start(fake)
		if allowed {
			i.AllowViolations()
		}
		i.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/elsewhere", http.NoBody))
		for _, cleanup := range fake.cleanups {
			cleanup()
		}
		if fake.failed == allowed || len(i.Violations()) != 1 {
			t.Errorf("allowed %v: failed %v, violations %q", allowed, fake.failed, i.Violations())
		}
	}
}
