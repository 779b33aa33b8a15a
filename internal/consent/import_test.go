// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// TestConsent_importByIdentityLeavesTheAddressOut imports what a query has found. The
// configuration that Terraform generates for it has no address, and is not changed by one
// at the service. A configuration with an address is written once.
func TestConsent_importByIdentityLeavesTheAddressOut(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	address, yes := "2001:db8::1", true
	service.PutConsent(scope, person, mockserver.ConsentRecord{Clauses: configured, UserIPv6: &address, AgreementTime: early, Manual: &yes})

	state, diags := p.ImportByIdentity(name, prototest.Attributes{"identity_id": person})
	p.NoErrors(diags)
	if state.Attributes["user_ipv6"] != nil || strings.Contains(string(state.Private), "address") {
		t.Errorf("imported is %v, with %s", state.Attributes, state.Private)
	}

	generated := config(prototest.Attributes{"agreement_time": early, "user_ipv6": nil})
	state, _ = wantEmptyPlan(t, p, state, generated)
	if n := service.Count(mockserver.OpUpdateConsent); n != 0 {
		t.Errorf("%d updates were sent", n)
	}

	state, diags = p.Update(name, state, generated.With(prototest.Attributes{"user_ipv6": "2001:db8:0::1"}))
	p.NoErrors(diags)
	wantEmptyPlan(t, p, state, generated.With(prototest.Attributes{"user_ipv6": address}))
	if n := service.Count(mockserver.OpUpdateConsent); n != 1 {
		t.Errorf("%d updates were sent", n)
	}
}
