// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// dataBlock returns a block that reads the profile of a person.
func dataBlock(identity string) string {
	return fmt.Sprintf("data \"analytics_profile\" \"jane\" {\n  identity_id = %q\n}\n", identity)
}

func TestAccProfileDataSource_basic(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)
	service.PutProfile(scope, person, `{"seats":9007199254740993,"plan":"gold"}`)
	const address = "data.analytics_profile.jane"

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:      acctest.Block(service) + dataBlock("nobody"),
				ExpectError: regexp.MustCompile(`Not found`),
			},
			{
				Config: acctest.Block(service) + dataBlock(person),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("profile"), knownvalue.StringExact(`{"plan":"gold","seats":9007199254740993}`)),
					statecheck.ExpectSensitiveValue(address, tfjsonpath.New("profile")),
				},
			},
		},
	})
}
