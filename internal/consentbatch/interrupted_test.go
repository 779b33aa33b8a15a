// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// TestConsentBatch_interruptedApplyGoesOn interrupts a create, and the update of a batch, while
// the service carries out an update whose answer does not arrive any more. The next apply writes
// what is missing.
func TestConsentBatch_interruptedApplyGoesOn(t *testing.T) {
	t.Parallel()
	for inState, before := range map[string]int{"nothing": 0, "this resource with the present content": 2} { // rows that are in state
		t.Run(inState, func(t *testing.T) {
			t.Parallel()
			inBatch(t, people(before), prototest.Attributes{"max_concurrency": 1}, func(t *testing.T, b *batchTest) {
				path, config := reportBeside(b.f, nil)
				if before > 0 {
					b.create(config)
				}

				ctx, cancel := context.WithCancel(t.Context())
				b.service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Commit: true, Hang: true, Then: cancel})
				b.f.write(people(before) + rowOf(7, middle) + rowOf(8, middle) + rowOf(9, middle))
				plan, diags := b.p.Plan(batchName, b.state, config)
				b.p.NoErrors(diags)
				b.state, diags = b.p.Apply(ctx, batchName, b.state, plan)
				prototest.WantText(t, diags.Errors(), "Interrupted before all rows were done", "the outcome of 1 is unknown", "In state now: "+inState, "apply again")

				report, err := os.ReadFile(path)
				missing := strings.Count(string(report), `"outcome":"not_tried"`)
				if err != nil || strings.Count(string(report), `"outcome":"unknown"`) != 1 || !strings.Contains(string(report), `"unknown":1`) {
					t.Errorf("the report is %s (%v)", report, err)
				}
				if (b.state == nil) != (before == 0) {
					t.Errorf("the state is %v", b.state)
				} else if b.state != nil {
					wantResults(t, b.state, counts{Rows: 5, Missing: float64(1 + missing)})
				}

				b.apply(step{config: config, gets: before + 3, patches: 2, counts: counts{Rows: float64(before + 3), Written: 2}})
			})
		})
	}
}
