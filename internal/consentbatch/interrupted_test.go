// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"context"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
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

func TestConsentBatch_interruptedCreateGoesOn(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	rows := soak.Raced(60, 400)
	p, service := start(t, nil, stopAfter(rows/4, cancel))
	f := newFile(t, people(rows))
	plan, diags := p.Plan(batchName, nil, f.config(uncompared))
	p.NoErrors(diags)
	state, diags := p.Apply(ctx, batchName, nil, plan)
	if state != nil {
		t.Error("there is state")
	}

	prototest.WantText(t, diags.Errors(), "Interrupted before all rows were done", "In state now: nothing", "apply again")
	before := service.Count(mockserver.OpUpdateConsent)
	state, diags = p.Create(batchName, f.config(nil))
	p.NoErrors(diags)
	wantEmptyBatchPlan(t, p, state, f.config(nil))
	// Those whose answer the interrupt cut off may have been written all the same.
	if n := service.Count(mockserver.OpUpdateConsent); n < rows || n > rows+16 || before < rows/4 {
		t.Errorf("%d updates, %d of them before the interrupt", n, before)
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

// TestConsentBatch_interruptedRowsOnTheirWayAreUnknown interrupts an apply while the service
// carries out an update whose answer does not arrive any more.
func TestConsentBatch_interruptedRowsOnTheirWayAreUnknown(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p, service := start(t, prototest.Attributes{"max_concurrency": 1})
	service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Commit: true, Hang: true, Then: cancel})
	path, config := reportBeside(newFile(t, people(3)), prototest.Attributes{"compare_at_plan": false})

	plan, diags := p.Plan(batchName, nil, config)
	p.NoErrors(diags)
	_, diags = p.Apply(ctx, batchName, nil, plan)
	prototest.WantText(t, diags.Errors(), "Interrupted before all rows were done", "the outcome of 1 is unknown", "2 were not done")

	lines := readReport(t, path)
	outcomes := map[any]int{}
	for _, line := range lines[1:] {
		outcomes[line["outcome"]]++
	}
	if lines[0]["unknown"] != 1.0 || lines[0]["not_tried"] != 2.0 || outcomes["unknown"] != 1 || outcomes["not_tried"] != 2 {
		t.Errorf("the report is %v", lines)
	}
}
