// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// TestConsentBatch_rowIsNotWrittenWhereItsRecordIsGone has a gateway that answers the comparison
// before a write. A record cannot be removed at the service, so one that was there exists.
func TestConsentBatch_rowIsNotWrittenWhereItsRecordIsGone(t *testing.T) {
	t.Parallel()
	changed := strings.ReplaceAll(people(4), "false", "true")

	for name, tc := range map[string]struct {
		exists  bool
		content string
		others  prototest.Attributes
		drift   bool // somebody else has written before the plan
		plans   int  // an apply plans once more, in a process of its own
	}{
		"a create whose plan has seen a record":             {false, people(3), nil, true, 2},
		"an update of other rows whose plan has seen it":    {true, changed, nil, false, 2},
		"an update of the same rows, uncompared":            {true, people(3), uncompared.With(forced), false, 1},
		"an update of the same rows that the plan compares": {true, people(3), nil, true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var gateway atomic.Bool
			p, service := start(t, nil, func(s *mockserver.Server) {
				s.FaultFor = func(r mockserver.Request) *mockserver.Fault {
					if gateway.Load() && r.Operation == mockserver.OpGetConsent && r.Identity == userName(1) {
						return &mockserver.Fault{Status: 404, Body: []byte(`{"message":"no route"}`)}
					}
					return nil
				}
			})
			f := newFile(t, people(3))
			var state *prototest.State
			if tc.exists {
				state = createdBatch(t, p, service, f.config(nil))
			}
			if tc.drift {
				chooseFor(service, 1, early)
			}

			f.write(tc.content)
			var plan prototest.Plan
			for range tc.plans {
				p.NewRun()
				var diags prototest.Diagnostics
				plan, diags = p.Plan(batchName, state, f.config(tc.others))
				p.NoErrors(diags)
			}
			if tc.plans == 1 {
				p.NewRun()
			}

			chooseFor(service, 1, late)
			gateway.Store(true)
			after, diags := p.Apply(t.Context(), batchName, state, plan)
			prototest.WantText(t, diags.Errors(), "Not found (1): line 3\n", "cannot remove one", "a gateway")
			wantRow(t, service, 1, [5]bool{})
			if state != nil && after.Attributes["missing"] != 1.0 {
				t.Errorf("the state is %v", after.Attributes)
			}
		})
	}
}
