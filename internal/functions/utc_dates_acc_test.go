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

func TestAccUTCDatesFunction_basic(t *testing.T) {
	acctest.PreCheck(t, acctest.FunctionsAlone)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:      `output "dates" { value = provider::analytics::utc_dates("2026-02-30", "2026-03-01") }`,
				ExpectError: regexp.MustCompile(`Invalid value for "from" parameter: The first date`),
			},
			{
				Config:      `output "dates" { value = provider::analytics::utc_dates("2026-03-02", "2026-03-01") }`,
				ExpectError: regexp.MustCompile(`Invalid value for "to" parameter: The last date is before\s+the\s+first\.\n`),
			},
			{
				Config: `output "dates" { value = provider::analytics::utc_dates("2026-02-28", "2026-03-01") }`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("dates", knownvalue.ListExact([]knownvalue.Check{
						knownvalue.StringExact("2026-02-28"), knownvalue.StringExact("2026-03-01"),
					})),
				},
			},
		},
	})
}
