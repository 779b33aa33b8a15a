// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// TestConsentBatch_outageEndsTheApplyAndFailingRowsDoNot has failures that could be those of every
// row, when it is read or when it is written: first of the first forty rows, and then of all.
func TestConsentBatch_outageEndsTheApplyAndFailingRowsDoNot(t *testing.T) {
	t.Parallel()
	const refused, rows = 40, 100
	json, page := []byte(`{"error":{"code":"E1","message":"x"}}`), map[string][]string{"Content-Type": {"text/html"}}
	read, write := mockserver.OpGetConsent, mockserver.OpUpdateConsent

	for name, tc := range soak.SomeOf(1, map[string]struct {
		fault mockserver.Fault
		words string
	}{
		"403":              {mockserver.Fault{Operation: read, Status: 403, Body: json}, "Not permitted"},
		"429":              {mockserver.Fault{Operation: read, Status: 429, Body: json}, "Rate limited"},
		"page":             {mockserver.Fault{Operation: read, Status: 200, Header: page, Body: []byte("<p>Back soon")}, "Not JSON"},
		"cut":              {mockserver.Fault{Operation: read, Cut: mockserver.CutBeforeCommit}, "Connection lost"},
		"written 404 page": {mockserver.Fault{Operation: write, Status: 404, Body: []byte("<h1>")}, "Endpoint not found"},
		"written 500":      {mockserver.Fault{Operation: write, Status: 500, Body: json}, "The service failed"},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, prototest.Attributes{"max_retries": 0, "max_concurrency": 2})
			f := newFile(t, people(rows))

			tc.fault.Times = -1
			for i := range refused {
				ofRow := tc.fault
				ofRow.Identity = userName(i)
				service.Inject(ofRow)
			}

			state, diags := p.Create(batchName, f.config(uncompared))
			prototest.WantText(t, diags.Errors(), tc.words, "40 of 100 rows failed", "60 are in place, 60 of them written by this run", "0 were not tried")
			if state != nil {
				t.Error("there is state")
			}

			for i := refused; i < rows; i++ {
				wantRow(t, service, i, configured)
				service.DeleteConsent(scope, userName(i))
			}

			// Now of all: so many rows in a row, and those under way, show that the service is down.
			p.NewRun()
			service.Reset()
			service.Inject(tc.fault)
			state, diags = p.Create(batchName, f.config(uncompared))
			prototest.WantText(t, diags.Errors(), tc.words, "of 100 rows failed", "rows were not tried, because", "What to do:")
			if n := service.Count(tc.fault.Operation); state != nil || len(diags.Errors()) != 1 || n > 2*(50+2) { // a write may be tried twice
				t.Errorf("state %v, %d errors, %d requests", state != nil, len(diags.Errors()), n)
			}

			if tc.fault.Operation == read {
				_, diags = p.Plan(batchName, nil, f.config(nil))
				prototest.WantText(t, diags.Errors(), tc.words, "were compared", "In state now: nothing", "compare_at_plan = false")
			}
		})
	}
}

// TestConsentBatch_rejectedCredentialsStopTheRun has a service that answers every read and no
// write: going on could lock the account.
func TestConsentBatch_rejectedCredentialsStopTheRun(t *testing.T) {
	t.Parallel()
	p, service := start(t, prototest.Attributes{"max_concurrency": 4})
	service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Status: 401, Times: -1})

	state, diags := p.Create(batchName, newFile(t, people(100)).config(uncompared))
	prototest.WantText(t, diags.Errors(), "Authentication rejected", "rows were not tried, because they would have failed in the same way", "check the credentials")
	if sent, logins := service.Count(mockserver.OpUpdateConsent), service.Count(mockserver.OpLogin); state != nil || sent > 2*4 || logins > 2 {
		t.Errorf("%d writes and %d logins were sent; the state is %v", sent, logins, state)
	}
}
