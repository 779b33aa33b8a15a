// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"slices"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// twoValues are two values of each attribute of a record.
var twoValues = map[string][2]any{
	"clause_1_consent": {true, false}, "clause_2_consent": {true, false}, "clause_3_consent": {true, false}, "clause_4_consent": {true, false}, "clause_5_consent": {true, false},
	"user_ipv6": {"2001:db8::1", "2001:db8::2"}, "agreement_time": {early, middle}, "manual": {true, false},
}

// TestConsent_everyAttributeIsManaged holds that each attribute of the data source is one of the
// resource, which sends it, also where the first request is lost, shows drift of it, and leaves
// the person's choice of it alone.
func TestConsent_everyAttributeIsManaged(t *testing.T) {
	t.Parallel()
	schemas, _ := start(t, nil)
	for _, attribute := range soak.Some(5, schemas.Schemas().DataSourceSchemas[name].Block.Attributes) {
		switch attribute.Name {
		case "identity_id", "org_id", "project_id", "account_id", "json":
			continue
		}

		t.Run(attribute.Name, func(t *testing.T) {
			t.Parallel()
			values, found := twoValues[attribute.Name]
			if !found {
				t.Fatal("give the attribute two values")
			}
			if !slices.Contains(answer.ConsentFields, attribute.Name) {
				t.Error("no error of the service is shown at the attribute")
			}
			first := config(agreed.With(prototest.Attributes{attribute.Name: values[0]}))
			second := config(agreed.With(prototest.Attributes{attribute.Name: values[1]}))

			p, service := start(t, nil)
			wantRead := func(want any) {
				t.Helper()
				if read, _ := p.ReadData(name, prototest.Attributes{"identity_id": person}); read[attribute.Name] != want {
					t.Errorf("the service holds %v, want %v", read[attribute.Name], want)
				}
			}
			state, _ := p.MustCreate(name, first)
			wantRead(values[0])
			service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateConsent, Cut: mockserver.CutBeforeCommit})
			state, diags := p.Update(name, state, second)
			p.NoErrors(diags)
			wantRead(values[1])
			state, _ = wantEmptyPlan(t, p, state, second)

			// Another value is drift, unless it is the person's later choice.
			record, _ := service.Consent(scope, person)
			record.Extra = map[string]any{attribute.Name: values[0]}
			service.PutConsent(scope, person, record)
			state, _ = p.MustRefresh(name, state)
			plan, diags := p.Plan(name, state, second)
			p.NoErrors(diags)
			if !plan.Changes {
				t.Error("drift is not shown")
			}

			record.AgreementTime = late
			if attribute.Name == "agreement_time" {
				record.Extra = nil
			}
			service.PutConsent(scope, person, record)
			wantEmptyPlan(t, p, state, second)
		})
	}
}
