// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// family is one of the two path families, for the person user-1.
type family struct {
	scope  mockserver.Scope
	prefix string
}

var families = map[string]family{
	"project": {projectScope, "/v1/org/org-demo/project/web/compliance"},
	"account": {accountScope, "/v1/account/acc-1/compliance"},
}

func (f family) profile() string { return f.prefix + "/user/user-1/profile" }
func (f family) allData() string { return f.prefix + "/user/user-1/all-data" }
func (f family) consent() string { return f.prefix + "/user/user-1/consent" }
func (f family) pending() string { return f.prefix + "/pending-requests" }

// inBothFamilies runs a test in both families, each on a server with a ManualClock.
func inBothFamilies(t *testing.T, test func(*service, family), configure ...func(*mockserver.Server)) {
	t.Helper()
	for name, f := range families {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			configure := append([]func(*mockserver.Server){func(s *mockserver.Server) { s.Clock = mockserver.NewManualClock(epoch) }}, configure...)
			test(start(t, configure...), f)
		})
	}
}

// delayed fulfils requests only after the clock is advanced.
func delayed(s *mockserver.Server) { s.FulfilmentDelay = time.Minute }

// advance moves the service's clock.
func (s *service) advance(d time.Duration) {
	s.t.Helper()
	clock, ok := s.Clock.(*mockserver.ManualClock)
	if !ok {
		s.t.Fatal("the service has another clock")
	}
	clock.Advance(d)
}

// deferrals sends one request of each deferred operation.
var deferrals = map[string]func(*service, family) reply{
	mockserver.OpUpdateProfile: func(s *service, f family) reply { return s.withKey(http.MethodPatch, f.profile(), `{"name":"Ada"}`) },
	mockserver.OpGetAllData:    func(s *service, f family) reply { return s.withKey(http.MethodGet, f.allData(), "") },
	mockserver.OpDeleteAllData: func(s *service, f family) reply { return s.withKey(http.MethodDelete, f.allData(), "") },
}

var deferredOperations = slices.Sorted(maps.Keys(deferrals))

// list returns the list of pending requests.
func (s *service) list(f family) []map[string]any {
	s.t.Helper()
	got := s.withKey(http.MethodGet, f.pending(), "")
	var records []map[string]any
	if err := json.Unmarshal([]byte(got.body), &records); err != nil || got.status != http.StatusOK {
		s.t.Fatalf("the list was answered with %d and %d bytes: %v", got.status, len(got.body), err)
	}
	return records
}

// values returns the values of one field of the records.
func values(records []map[string]any, field string) []any {
	all := []any{}
	for _, r := range records {
		all = append(all, r[field])
	}
	return all
}
