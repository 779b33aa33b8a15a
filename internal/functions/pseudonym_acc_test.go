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

func TestAccPseudonymFunction_basic(t *testing.T) {
	acctest.PreCheck(t, acctest.FunctionsAlone)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:          testAccPseudonymConfig,
				ConfigVariables: config.Variables{"key": config.StringVariable("0123456789abcde")},
				ExpectError:     regexp.MustCompile(`Invalid value for "key" parameter: The key is too short`),
			},
			{
				Config:          testAccPseudonymConfig,
				ConfigVariables: config.Variables{"key": config.StringVariable("0123456789abcdef")},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("pseudonym", knownvalue.StringExact(pseudonymOfAda)),
				},
			},
		},
	})
}

const testAccPseudonymConfig = `
variable "key" {
  type      = string
  sensitive = true
}

output "pseudonym" {
  value     = provider::analytics::pseudonym("ada@example.com", var.key)
  sensitive = true
}
`
