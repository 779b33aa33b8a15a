// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"context"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// TestConsentBatch_interruptedApplyGoesOn interrupts a create, and the update of a batch, while
// the service carries out an update whose answer does not arrive any more. The next apply writes
// what is missing.
func TestConsentBatch_interruptedApplyGoesOn(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		before  int // rows of the batch in state; 0 for a create
		inState string
	}{
		"create": {0, "nothing"},
		"update": {2, "this resource with the present content"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBatch(t, people(tc.before), prototest.Attributes{"max_concurrency": 1}, func(t *testing.T, b *batchTest) {
				path, config := reportBeside(b.f, nil)
				if tc.before > 0 {
					b.create(config)
				}

				ctx, cancel := context.WithCancel(t.Context())
				b.service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Commit: true, Hang: true, Then: cancel})
				b.f.write(people(tc.before) + rowOf(7, middle) + rowOf(8, middle) + rowOf(9, middle))
				plan, diags := b.p.Plan(batchName, b.state, config)
				b.p.NoErrors(diags)
				state, diags := b.p.Apply(ctx, batchName, b.state, plan)
				prototest.WantText(t, diags.Errors(), "Interrupted before all rows were done", "the outcome of 1 is unknown", "In state now: "+tc.inState, "apply again")
				if (state == nil) != (tc.before == 0) {
					t.Errorf("the state is %v", state)
				}

				lines := readReport(t, path)
				outcomes := map[any]int{}
				for _, line := range lines[1:] {
					outcomes[line["outcome"]]++
				}
				if missing := outcomes["not_tried"]; lines[0]["unknown"] != 1.0 || outcomes["unknown"] != 1 || lines[0]["not_tried"] != float64(missing) {
					t.Errorf("the report is %v", lines)
				} else if state != nil {
					wantResults(t, state, counts{Rows: 5, Missing: float64(1 + missing)})
				}

				b.state = state
				b.apply(step{config: config, gets: tc.before + 3, patches: 2, counts: counts{Rows: float64(tc.before + 3), Written: 2}})
			})
		})
	}
}
