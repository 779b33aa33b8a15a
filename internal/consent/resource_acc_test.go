package consent_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func TestAccConsentResource_basic(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:      acctest.Block(service) + block(`user_ipv6 = "nowhere"`),
				ExpectError: regexp.MustCompile(`The value must be an IPv6 or IPv4 address`),
			},
			{
				Config: acctest.Block(service) + block(`user_ipv6 = "192.0.2.7"`, `agreement_time = "2026-01-31T13:00:00+01:00"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate)},
				},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("user_ipv6"), knownvalue.StringExact("192.0.2.7")),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("manual"), knownvalue.Bool(true)),
				},
			},
		},
	})
	wantHeld(t, service, configured)
}
