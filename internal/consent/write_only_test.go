// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
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

func TestConsentWriteOnly_refuses(t *testing.T) {
	t.Parallel()
	p, _ := start(t, nil)
	for label, tc := range map[string]struct {
		others prototest.Attributes
		want   string
	}{
		"both":           {prototest.Attributes{"user_ipv6": "192.0.2.7", "user_ipv6_wo": "192.0.2.7", "user_ipv6_wo_version": 1}, "user_ipv6_wo"},
		"no version":     {prototest.Attributes{"user_ipv6_wo": "192.0.2.7"}, "user_ipv6_wo_version"},
		"no value":       {prototest.Attributes{"user_ipv6_wo_version": 1}, "user_ipv6_wo"},
		"not an address": {prototest.Attributes{"user_ipv6_wo": "somewhere", "user_ipv6_wo_version": 1}, "must be an IPv6 or IPv4 address"},
	} {
		diags := p.Validate(name, config(tc.others))
		if len(diags.Errors()) == 0 {
			t.Errorf("%s is accepted", label)
		}
		prototest.WantText(t, diags.Errors(), tc.want)
	}
}

// TestCLIConsentWriteOnly_staysOutOfState feeds the address from an ephemeral variable,
// and looks for it in what Terraform has written.
func TestCLIConsentWriteOnly_staysOutOfState(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	environment := service.Environment()
	environment["TF_VAR_address"] = "2001:db8::5ec:2e7"
	cli := clitest.New(t, `
variable "address" {
  type      = string
  ephemeral = true
}
`+block(`agreement_time = "`+early+`"`, "user_ipv6_wo = var.address", "user_ipv6_wo_version = 1"), environment)
	cli.Needs(acctest.WriteOnlyAttributes)

	planned := cli.MustRun("plan")
	applied := cli.MustRun("apply", "-auto-approve")
	cli.MustRun("plan", "-detailed-exitcode")
	wantAddress(t, service, "2001:db8::5ec:2e7")

	if strings.Contains(cli.ReadFile("terraform.tfstate")+planned.Output+applied.Output, "5ec:2e7") {
		t.Errorf("the address is in state or shown:\n%s%s", planned.Output, applied.Output)
	}
}
