package consentbatch_test

import (
	"encoding/json"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// TestFiveThousandRowsLeaveASmallState holds that neither state nor its private part
// grows with the rows. The requests themselves are held to the contract elsewhere.
func TestFiveThousandRowsLeaveASmallState(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil, func(s *mockserver.Server) { s.Wrap = nil })
	f := newFile(t, people(5000))
	config := f.config(acctest.Attributes{"compare_at_plan": false})
	state, diags := p.Create(batchName, config)
	p.NoErrors(diags)
	wantResults(t, state, 5000, 5000, 0, 5000, 0)
	wantRequests(t, service, 5000, 5000)
	text, err := json.Marshal(state.Attributes)
	if err != nil || len(text)+len(state.Private) > 2000 {
		t.Errorf("the state has %d bytes and %d private ones (%v)", len(text), len(state.Private), err)
	}
	for _, i := range []int{0, 2500, 4999} {
		wantRow(t, service, i, configured)
	}
	service.Reset()
	wantEmptyBatchPlan(t, p, state, config)
	wantRequests(t, service, 0, 0)
}
