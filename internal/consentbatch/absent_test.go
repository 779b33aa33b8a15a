// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// sayingNone returns answers of a gateway that there is no consent of the person of row 1.
func sayingNone() map[string]mockserver.Fault {
	with := func(status int, body string) mockserver.Fault {
		return mockserver.Fault{Operation: mockserver.OpGetConsent, Identity: userName(1), Status: status, Body: []byte(body), Times: -1}
	}

	return map[string]mockserver.Fault{
		"404": with(404, `{"message":"no route"}`), "410": with(410, `{}`),
		"empty": with(0, "{}"), "null": with(0, "null"), "no record": with(0, `{"consent":null}`),
	}
}

// TestConsentBatch_rowIsNotWrittenWhereItsRecordIsGone has a gateway that answers the comparison
// before an update. A record cannot be removed at the service, so one that was there exists.
func TestConsentBatch_rowIsNotWrittenWhereItsRecordIsGone(t *testing.T) {
	t.Parallel()
	for label, fault := range soak.SomeOf(2, sayingNone()) {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			var gateway atomic.Pointer[mockserver.Fault]
			p, service := start(t, nil, func(s *mockserver.Server) {
				s.FaultFor = func(r mockserver.Request) *mockserver.Fault {
					if r.Operation == mockserver.OpGetConsent && r.Identity == userName(1) {
						return gateway.Load()
					}
					return nil
				}
			})
			f := newFile(t, people(3))
			wantRefused := func(state *prototest.State, config prototest.Attributes, plans int) {
				t.Helper()
				var plan prototest.Plan
				for range plans { // an apply plans once more, in a process of its own
					p.NewRun()
					planned, diags := p.Plan(batchName, state, config)
					p.NoErrors(diags)
					plan = planned
				}
				if plans == 1 {
					p.NewRun()
				}

				chooseFor(service, 1, late)
				gateway.Store(&fault)
				defer gateway.Store(nil)
				after, diags := p.Apply(t.Context(), batchName, state, plan)
				prototest.WantText(t, diags.Errors(), "Not found (1): line 3\n", "cannot remove one", "a gateway")
				wantRow(t, service, 1, [5]bool{})
				if state != nil && after.Attributes["missing"] != 1.0 {
					t.Errorf("the state is %v", after.Attributes)
				}
			}

			// A create whose plan has seen a record.
			chooseFor(service, 1, early)
			wantRefused(nil, f.config(nil), 2)

			// An update of other rows, whose plan has seen the records.
			service.DeleteConsent(scope, userName(1))
			p.NewRun()
			state := createdBatch(t, p, service, f.config(nil))
			f.write(strings.ReplaceAll(people(4), "false", "true"))
			wantRefused(state, f.config(nil), 2)

			// An update of the same rows: the last apply has left a record of each.
			f.write(people(3))
			forced := prototest.Attributes{"compare_at_plan": false, "keep_later_choice": false}
			wantRefused(state, f.config(forced), 1)
			chooseFor(service, 0, early)
			chooseFor(service, 1, early)
			wantRefused(state, f.config(nil), 1)
		})
	}
}

// TestConsentBatch_planIsBoundToTheRecords plans the same rows twice, as an apply does, and a
// gateway answers the second plan: Terraform refuses that a known value becomes unknown.
func TestConsentBatch_planIsBoundToTheRecords(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(3))
	state := createdBatch(t, p, service, f.config(nil))
	chooseFor(service, 0, early)
	first, diags := p.Plan(batchName, state, f.config(nil))
	p.NoErrors(diags)

	p.NewRun()
	service.Inject(sayingNone()["404"])
	second, diags := p.Plan(batchName, state, f.config(nil))
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "The service reports records as missing", "line 3")
	if first.Attributes["missing"] != 0.0 || second.Attributes["missing"] != prototest.Unknown {
		t.Errorf("planned is %v and then %v", first.Attributes["missing"], second.Attributes["missing"])
	}
}
