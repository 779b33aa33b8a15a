// SPDX-License-Identifier: MPL-2.0

package functions_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
)

func TestAccConsentRowsFunction_basic(t *testing.T) {
	acctest.PreCheck(t, acctest.FunctionsAlone)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:          testAccConsentRowsConfig,
				ConfigVariables: config.Variables{"text": config.StringVariable(header + "\n")},
				ExpectError:     regexp.MustCompile(`Invalid value for "text" parameter: The rows cannot be used`),
			},
			{
				Config:          testAccConsentRowsConfig,
				ConfigVariables: config.Variables{"text": config.StringVariable(header + ",user_ipv6\nada@example.com,true,false,true,false,true,::ffff:192.0.2.1\n")},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("rows", knownvalue.ListExact([]knownvalue.Check{
						knownvalue.ObjectExact(map[string]knownvalue.Check{
							"line":             knownvalue.Int64Exact(2),
							"identity_id":      knownvalue.StringExact("ada@example.com"),
							"clause_1_consent": knownvalue.Bool(true),
							"clause_2_consent": knownvalue.Bool(false),
							"clause_3_consent": knownvalue.Bool(true),
							"clause_4_consent": knownvalue.Bool(false),
							"clause_5_consent": knownvalue.Bool(true),
							"user_ipv6":        knownvalue.StringExact("192.0.2.1"),
							"agreement_time":   knownvalue.Null(),
							"manual":           knownvalue.Bool(true),
						}),
					})),
				},
			},
		},
	})
}

// TestAccConsentRowsFunction_errorShowsNobody gives a row that cannot be used.
func TestAccConsentRowsFunction_errorShowsNobody(t *testing.T) {
	acctest.PreCheck(t, acctest.FunctionsAlone)

	var shown error
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		ErrorCheck: func(err error) error {
			shown = err
			return nil
		},
		Steps: []resource.TestStep{{
			Config:          testAccConsentRowsConfig,
			ConfigVariables: config.Variables{"text": config.StringVariable(header + "\nada-secret,maybe,true,true,true,true")},
		}},
	})

	if shown == nil || !strings.Contains(shown.Error(), "line 2: clause_1_consent") {
		t.Fatalf("the row is not named: %v", shown)
	}
	if strings.Contains(shown.Error(), "ada-secret") || strings.Contains(shown.Error(), "maybe") {
		t.Errorf("the error shows a value: %v", shown)
	}
}

const testAccConsentRowsConfig = `
variable "text" {
  type      = string
  sensitive = true
}

output "rows" {
  value     = provider::analytics::consent_rows(var.text)
  sensitive = true
}
`
