// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// TestConsent_whatTheServiceStoresInsteadStopsNothing has a service that changes records while
// it writes them.
func TestConsent_whatTheServiceStoresInsteadStopsNothing(t *testing.T) {
	t.Parallel()

	full := prototest.Attributes{"user_ipv6": "192.0.2.7", "agreement_time": "2026-01-31T12:00:00Z", "on_destroy": "withdraw"}
	for label, tc := range soak.SomeOf(2, map[string]struct {
		change           func(*mockserver.ConsentRecord)
		attribute, state string
	}{
		"an address without its end": {func(r *mockserver.ConsentRecord) { r.UserIPv6 = new("192.0.2.xxx") }, "user_ipv6", "192.0.2.xxx"},
		"an address with a zone":     {func(r *mockserver.ConsentRecord) { r.UserIPv6 = new("fe80::1%eth0") }, "user_ipv6", "fe80::1%eth0"},
		"a network":                  {func(r *mockserver.ConsentRecord) { r.UserIPv6 = new("2001:db8::") }, "user_ipv6", "2001:db8::"},
		"a time before 2000":         {func(r *mockserver.ConsentRecord) { r.AgreementTime = "1999-12-31T00:00:00Z" }, "agreement_time", "2026-01-31T12:00:00Z"}, // is none
		"microseconds":               {func(r *mockserver.ConsentRecord) { r.AgreementTime = "2026-01-31T12:00:00.000123Z" }, "agreement_time", "2026-01-31T12:00:00Z"},
	}) {
		p, service := start(t, nil)
		state, diags := p.Create(name, config(full))
		p.NoErrors(diags)

		record, _ := service.Consent(scope, person)
		tc.change(&record)
		service.PutConsent(scope, person, record)

		state, diags = p.Refresh(name, state)
		p.NoErrors(diags)
		if got := state.Attributes[tc.attribute]; got != tc.state {
			t.Errorf("%s: in state is %v", label, got)
		}

		p.NewRun()
		updated, diags := p.Update(name, state, config(full))
		p.NoErrors(diags)
		if got := updated.Attributes["user_ipv6"]; got != "192.0.2.7" {
			t.Errorf("%s: after the update, the address is %v", label, got)
		}

		service.PutConsent(scope, person, record)
		p.NewRun()
		_, diags = p.Destroy(name, state)
		p.NoErrors(diags)
		if record, _ := service.Consent(scope, person); record.Clauses != [5]bool{} {
			t.Errorf("%s: the consent was not withdrawn: %v", label, diags)
		}
	}
}

func TestConsent_valueThatIsKnownAtApplyIsChecked(t *testing.T) {
	t.Parallel()

	for attribute, value := range map[string]string{"user_ipv6": "canary", "agreement_time": "1999-12-31T00:00:00Z"} {
		p, service := start(t, nil)
		plan, diags := p.Plan(name, nil, config(prototest.Attributes{attribute: prototest.Unknown}))
		p.NoErrors(diags)

		_, diags = p.Apply(t.Context(), name, nil, p.Resolve(name, plan, prototest.Attributes{attribute: value}))
		prototest.WantText(t, diags.Errors(), "Invalid value")
		if n := service.Count(""); n != 0 {
			t.Errorf("%s: %d requests were sent", attribute, n)
		}
	}
}
