// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"context"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// stopAfter cancels a context once the service has received so many updates.
func stopAfter(updates int, cancel context.CancelFunc) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		seen := make(chan struct{}, updates)
		s.OnRequest = func(r mockserver.Request) {
			if r.Operation != mockserver.OpUpdateConsent {
				return
			}

			select {
			case seen <- struct{}{}:
			default:
				cancel()
			}
		}
	}
}

func TestConsentBatch_interruptedUpdateCountsMissingRows(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p, service := start(t, nil, stopAfter(30, cancel))
	f := newFile(t, people(10))
	config := f.config(uncompared)
	state := createdBatch(t, p, service, config)
	f.write(people(100))
	plan, diags := p.Plan(batchName, state, config)
	p.NoErrors(diags)
	state, diags = p.Apply(ctx, batchName, state, plan)
	prototest.WantText(t, diags.Errors(), "Interrupted before all rows were done")
	if missing, _ := state.Attributes["missing"].(float64); missing < 50 || state.Attributes["rows"] != 100.0 {
		t.Errorf("the state is %v", state.Attributes)
	}

	state, diags = p.Update(batchName, state, config)
	p.NoErrors(diags)
	wantEmptyBatchPlan(t, p, state, config)
}

// TestConsentBatch_interruptedCreateGoesOn interrupts an apply while the service carries out an
// update whose answer does not arrive any more. The next apply writes what is missing.
func TestConsentBatch_interruptedCreateGoesOn(t *testing.T) {
	t.Parallel()
	inBatch(t, people(3), prototest.Attributes{"max_concurrency": 1}, func(t *testing.T, b *batchTest) {
		ctx, cancel := context.WithCancel(t.Context())
		b.service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Commit: true, Hang: true, Then: cancel})
		path, config := reportBeside(b.f, nil)

		plan, diags := b.p.Plan(batchName, nil, config)
		b.p.NoErrors(diags)
		state, diags := b.p.Apply(ctx, batchName, nil, plan)
		prototest.WantText(t, diags.Errors(), "Interrupted before all rows were done", "the outcome of 1 is unknown", "2 were not tried", "In state now: nothing", "apply again")
		if state != nil {
			t.Error("there is state")
		}

		lines := readReport(t, path)
		outcomes := map[any]int{}
		for _, line := range lines[1:] {
			outcomes[line["outcome"]]++
		}
		if lines[0]["unknown"] != 1.0 || lines[0]["not_tried"] != 2.0 || outcomes["unknown"] != 1 || outcomes["not_tried"] != 2 {
			t.Errorf("the report is %v", lines)
		}

		b.apply(step{config: config, gets: 3, patches: 2, counts: counts{Rows: 3, Written: 2}})
	})
}
