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
// resource, which sends it, shows drift of it, and leaves the person's choice of it alone.
func TestConsent_everyAttributeIsManaged(t *testing.T) {
	t.Parallel()
	schemas, _ := start(t, nil)
	for _, attribute := range soak.Some(5, schemas.Schemas().DataSourceSchemas[name].Block.Attributes) {
		if slices.Contains([]string{"identity_id", "org_id", "project_id", "account_id", "json"}, attribute.Name) {
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

			p, service := start(t, nil)
			var state *prototest.State
			var second prototest.Attributes
			for _, value := range values {
				second = config(agreed.With(prototest.Attributes{attribute.Name: value}))
				var diags prototest.Diagnostics
				state, diags = p.Update(name, state, second)
				p.NoErrors(diags)
				if read, _ := p.ReadData(name, prototest.Attributes{"identity_id": person}); read[attribute.Name] != value {
					t.Errorf("the service holds %v, want %v", read[attribute.Name], value)
				}
			}
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

// TestConsent_readsNullForWhatTheServiceDoesNotSay reads a person of another scope, by the data
// source and by the ephemeral resource.
func TestConsent_readsNullForWhatTheServiceDoesNotSay(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	service.PutConsent(mockserver.Scope{AccountID: "acct-7"}, person, mockserver.ConsentRecord{Clauses: configured, Extra: map[string]any{"clause_1_consent": nil}})

	for object, read := range map[string]func(string, prototest.Attributes) (prototest.Attributes, prototest.Diagnostics){"data source": p.ReadData, "ephemeral resource": p.Open} {
		got, diags := read(name, prototest.Attributes{"identity_id": person, "account_id": "acct-7"})
		p.NoErrors(diags)
		for attribute, want := range map[string]any{"clause_1_consent": nil, "clause_2_consent": true, "clause_3_consent": false, "user_ipv6": nil, "agreement_time": nil, "manual": nil} {
			if got[attribute] != want {
				t.Errorf("%s: %s is %v, want %v", object, attribute, got[attribute], want)
			}
		}
	}
	wantOperations(t, service, mockserver.OpGetConsent, mockserver.OpGetConsent)
}
