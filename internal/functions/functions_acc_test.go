// SPDX-License-Identifier: MPL-2.0

package functions_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
)

// TestAccFunctions_basic calls all functions from a configuration.
func TestAccFunctions_basic(t *testing.T) {
	acctest.PreCheck(t, acctest.FunctionsAlone)
	is := func(output, want string) statecheck.StateCheck {
		return statecheck.ExpectKnownOutputValue(output, knownvalue.StringExact(want))
	}

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:          testAccFunctionsConfig,
				ConfigVariables: config.Variables{"text": config.StringVariable(header + "\n")},
				ExpectError:     regexp.MustCompile(`Invalid value for "text" parameter: The rows cannot be used`),
			},
			{
				Config:          testAccFunctionsConfig,
				ConfigVariables: config.Variables{"text": config.StringVariable(header + "\nada@example.com,true,false,true,false,true\n")},
				ConfigStateChecks: []statecheck.StateCheck{
					is("mapped", "::ffff:192.0.2.1"), is("pseudonym", pseudonymOfAda), is("dates", "2026-02-28 2026-03-01"), is("project", "org-demo/100%25/jane%2F1+1@example.com"),
					is("rows", `[{"agreement_time":null,"clause_1_consent":true,"clause_2_consent":false,"clause_3_consent":true,"clause_4_consent":false,"clause_5_consent":true,`+
						`"identity_id":"ada@example.com","line":2,"manual":true,"user_ipv6":null}]`),
				},
			},
		},
	})
}

const testAccFunctionsConfig = `
variable "text" {
  type      = string
  sensitive = true
}

output "rows" {
  value     = jsonencode(provider::analytics::consent_rows(var.text))
  sensitive = true
}

output "pseudonym" { value = provider::analytics::pseudonym("ada@example.com", "0123456789abcdef") }
output "mapped"    { value = provider::analytics::ipv6_mapped("192.0.2.1") }
output "dates"     { value = join(" ", provider::analytics::utc_dates("2026-02-28", "2026-03-01")) }
output "project"   { value = provider::analytics::import_id("jane/1+1@example.com", "org-demo", "100%") }
`
