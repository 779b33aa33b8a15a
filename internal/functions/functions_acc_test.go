// SPDX-License-Identifier: MPL-2.0

package functions_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
)

// TestAccFunctions_basic calls the functions that return texts, from a configuration.
func TestAccFunctions_basic(t *testing.T) {
	acctest.PreCheck(t, acctest.FunctionsAlone)
	is := func(output, want string) statecheck.StateCheck {
		return statecheck.ExpectKnownOutputValue(output, knownvalue.StringExact(want))
	}

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:      `output "result" { value = provider::analytics::ipv6_mapped("192.0.2.1/32") }`,
				ExpectError: regexp.MustCompile(`must be an IPv6 or IPv4\s+address`),
			},
			{
				Config:      `output "dates" { value = provider::analytics::utc_dates("2026-03-02", "2026-03-01") }`,
				ExpectError: regexp.MustCompile(`Invalid value for "to" parameter: The last date is before\s+the\s+first\.\n`),
			},
			{
				Config:      `output "id" { value = provider::analytics::import_id("jane", "org-demo", "") }`,
				ExpectError: regexp.MustCompile(`Invalid value for "scope" parameter: This value of the scope`),
			},
			{
				Config:          testAccFunctionsConfig,
				ConfigVariables: config.Variables{"key": config.StringVariable("0123456789abcde")},
				ExpectError:     regexp.MustCompile(`Invalid value for "key" parameter: The key is too short`),
			},
			{
				Config:          testAccFunctionsConfig,
				ConfigVariables: config.Variables{"key": config.StringVariable("0123456789abcdef")},
				ConfigStateChecks: []statecheck.StateCheck{
					is("mapped", "::ffff:192.0.2.1"), is("pseudonym", pseudonymOfAda), is("dates", "2026-02-28 2026-03-01"),
					is("person", "jane%20doe"), is("account", "acct%207/jane"), is("project", "org-demo/100%25/jane%2F1+1@example.com"),
				},
			},
		},
	})
}

const testAccFunctionsConfig = `
variable "key" {
  type      = string
  sensitive = true
}

output "pseudonym" {
  value     = provider::analytics::pseudonym("ada@example.com", var.key)
  sensitive = true
}

output "mapped"  { value = provider::analytics::ipv6_mapped("192.0.2.1") }
output "dates"   { value = join(" ", provider::analytics::utc_dates("2026-02-28", "2026-03-01")) }
output "person"  { value = provider::analytics::import_id("jane doe") }
output "account" { value = provider::analytics::import_id("jane", "acct 7") }
output "project" { value = provider::analytics::import_id("jane/1+1@example.com", "org-demo", "100%") }
`
