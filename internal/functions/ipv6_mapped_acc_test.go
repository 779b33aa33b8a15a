// SPDX-License-Identifier: MPL-2.0

package functions_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
)

func TestAccIPv6MappedFunction_basic(t *testing.T) {
	acctest.PreCheck(t, acctest.FunctionsAlone)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:      `output "result" { value = provider::analytics::ipv6_mapped("192.0.2.1/32") }`,
				ExpectError: regexp.MustCompile(`must be an IPv6 or IPv4\s+address`),
			},
			{
				Config: `
output "old" { value = provider::analytics::ipv6_mapped("192.0.2.1") }
output "new" { value = provider::analytics::ipv6_mapped("2001:0DB8:0:0:0:0:0:1") }
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("old", knownvalue.StringExact("::ffff:192.0.2.1")),
					statecheck.ExpectKnownOutputValue("new", knownvalue.StringExact("2001:db8::1")),
				},
			},
		},
	})
}
