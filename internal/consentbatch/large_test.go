// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"encoding/json"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// TestConsentBatch_manyRowsLeaveASmallState checks that neither state nor its private part
// grows with the rows. The requests themselves are held to the contract elsewhere.
func TestConsentBatch_manyRowsLeaveASmallState(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil, func(s *mockserver.Server) { s.Wrap = nil })
	many := soak.Size(soak.Raced(100, 500), 5000)
	f := newFile(t, people(many))
	config := f.config(uncompared)
	state, diags := p.Create(batchName, config)
	p.NoErrors(diags)
	wantResults(t, state, counts{Rows: float64(many), Written: float64(many)})
	wantRequests(t, service, many, many)
	text, err := json.Marshal(state.Attributes)
	if err != nil || len(text)+len(state.Private) > 2000 {
		t.Errorf("the state has %d bytes and %d private ones (%v)", len(text), len(state.Private), err)
	}

	for _, i := range []int{0, many / 2, many - 1} {
		wantRow(t, service, i, configured)
	}

	service.Reset()
	wantEmptyBatchPlan(t, p, state, config)
	wantRequests(t, service, 0, 0)
}
