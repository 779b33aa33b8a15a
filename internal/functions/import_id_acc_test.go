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

func TestAccImportIDFunction_basic(t *testing.T) {
	acctest.PreCheck(t, acctest.FunctionsAlone)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:      `output "id" { value = provider::analytics::import_id("..") }`,
				ExpectError: regexp.MustCompile(`Invalid value for "identity_id" parameter: The identity`),
			},
			{
				Config:      `output "id" { value = provider::analytics::import_id("jane", "org-demo", "") }`,
				ExpectError: regexp.MustCompile(`Invalid value for "scope" parameter: This value of the scope`),
			},
			{
				Config: `
output "id"      { value = provider::analytics::import_id("jane doe") }
output "account" { value = provider::analytics::import_id("jane doe", "acct 7") }
output "project" { value = provider::analytics::import_id("jane/1+1@example.com", "org-demo", "100%") }
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("id", knownvalue.StringExact("jane%20doe")),
					statecheck.ExpectKnownOutputValue("account", knownvalue.StringExact("acct%207/jane%20doe")),
					statecheck.ExpectKnownOutputValue("project", knownvalue.StringExact("org-demo/100%25/jane%2F1+1@example.com")),
				},
			},
		},
	})
}
