// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// writeOnly returns a consent whose address is in no plan and no state.
func writeOnly(address string, version int, others prototest.Attributes) prototest.Attributes {
	return config(prototest.Attributes{
		"user_ipv6_wo": address, "user_ipv6_wo_version": version, "agreement_time": early,
	}).With(others)
}

// wantAddress fails the test if the service holds another address.
func wantAddress(t *testing.T, service *mocktest.Instance, want string) {
	t.Helper()
	record, _ := service.Consent(scope, person)
	if record.UserIPv6 == nil {
		t.Errorf("the service holds no address, want %s", want)
	} else if *record.UserIPv6 != want {
		t.Errorf("the service holds the address %s, want %s", *record.UserIPv6, want)
	}
}

func TestConsentWriteOnly_everyChangeCarriesTheAddress(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	state, _ := p.MustCreate(name, writeOnly("192.0.2.7", 1, nil))
	p.NewRun()

	_, diags := p.Update(name, state, writeOnly("192.0.2.8", 1, prototest.Attributes{"clause_1_consent": false}))
	p.NoErrors(diags)
	wantAddress(t, service, "::ffff:192.0.2.8")
	wantHeld(t, service, [5]bool{false, true, false, true, true})
}
