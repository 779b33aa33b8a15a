// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestFulfil_decidesTheOutcome(t *testing.T) {
	t.Parallel()

	const second, minute, year = time.Second, time.Minute, 365 * 24 * time.Hour
	for name, tc := range map[string]struct {
		outcome mockserver.Outcome
		after   time.Duration
		listed  string // the status on the list; empty if it is not there
		status  string // in the queue
		done    bool
		effect  bool
	}{
		"sooner than others":   {mockserver.Outcome{After: second}, second, "", "fulfilled", true, true},
		"at once":              {mockserver.Outcome{After: -1}, 0, "", "fulfilled", true, true},
		"never":                {mockserver.Outcome{Fate: mockserver.Never}, year, "pending", "pending", false, false},
		"failed":               {mockserver.Outcome{Fate: mockserver.Failed, Code: "quota", Message: "Too much."}, year, "failed", "failed", true, false},
		"failed, final status": {mockserver.Outcome{Fate: mockserver.Failed, FinalStatus: "closed"}, minute, "closed", "closed", true, false},
		"kept, final status":   {mockserver.Outcome{KeepListed: true, FinalStatus: "delivered"}, minute, "delivered", "delivered", true, true},
		"vanished":             {mockserver.Outcome{Fate: mockserver.Vanished, KeepListed: true}, minute, "", "vanished", true, false},
	} {
		s := start(t, delayed, ending(tc.outcome))
		s.patch(profilePath, `{"name":"Ada"}`)
		s.advance(tc.after)

		want := []any{}
		if tc.listed != "" {
			want = append(want, tc.listed)
		}
		if diff := cmp.Diff(want, s.listed("status")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		q := s.Queue()[0]
		if _, effect := s.Profile(projectScope, "user-1"); effect != tc.effect || q.Status != tc.status || q.Done != tc.done {
			t.Errorf("%s: effect %v, %+v", name, effect, q)
		}
		if got := s.get(pendingPath).body; tc.outcome.Code != "" && !strings.Contains(got, `"error":{"code":"quota","message":"Too much."}`) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
