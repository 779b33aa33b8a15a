// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// TestConsentBatch_outageEndsTheApply has failures of every row, when it is read or when it is
// written. So many in a row, and those under way, show that the service is down. Where the
// credentials are rejected, going on could lock the account.
func TestConsentBatch_outageEndsTheApply(t *testing.T) {
	t.Parallel()
	json, page := []byte(`{"error":{"code":"E1","message":"x"}}`), map[string][]string{"Content-Type": {"text/html"}}
	read, write := mockserver.OpGetConsent, mockserver.OpUpdateConsent
	const down, inTheSameWay = "because the service failed for 50 rows in a row", "because they would have failed in the same way"

	for name, tc := range soak.SomeOf(1, map[string]struct {
		fault       mockserver.Fault
		title, says string
		most        int // requests; a write may be tried twice
	}{
		"403":              {mockserver.Fault{Operation: read, Status: 403, Body: json}, "Not permitted", down, 52},
		"429":              {mockserver.Fault{Operation: read, Status: 429, Body: json}, "Rate limited", down, 52},
		"page":             {mockserver.Fault{Operation: read, Status: 200, Header: page, Body: []byte("<p>Back soon")}, "Not JSON", down, 52},
		"cut":              {mockserver.Fault{Operation: read, Cut: mockserver.CutBeforeCommit}, "Connection lost", down, 52},
		"written 404 page": {mockserver.Fault{Operation: write, Status: 404, Body: []byte("<h1>")}, "Endpoint not found", down, 52},
		"written 500":      {mockserver.Fault{Operation: write, Status: 500, Body: json}, "The service failed", down, 2 * 52},
		"written 401":      {mockserver.Fault{Operation: write, Status: 401}, "Authentication rejected", inTheSameWay, 2 * 2},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, prototest.Attributes{"max_retries": 0, "max_concurrency": 2})
			f := newFile(t, people(100))
			tc.fault.Times = -1
			service.Inject(tc.fault)

			state, diags := p.Create(batchName, f.config(uncompared))
			prototest.WantText(t, diags.Errors(), tc.title, "of 100 rows failed", "rows were not tried, "+tc.says, "What to do:")
			sent, logins := service.Count(tc.fault.Operation), service.Count(mockserver.OpLogin)
			if state != nil || len(diags.Errors()) != 1 || sent > tc.most || logins > 2 {
				t.Errorf("state %v, %d errors, %d requests, %d logins", state != nil, len(diags.Errors()), sent, logins)
			}

			if tc.fault.Operation == read {
				_, diags = p.Plan(batchName, nil, f.config(nil))
				prototest.WantText(t, diags.Errors(), tc.title, "were compared", "In state now: nothing", "compare_at_plan = false")
			}
		})
	}
}
