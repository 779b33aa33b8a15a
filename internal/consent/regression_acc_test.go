// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// TestAccConsentResource_renamedKeys renames all keys of for_each, which destroys and creates
// objects of the same people in one run.
func TestAccConsentResource_renamedKeys(t *testing.T) {
	acctest.PreCheck(t)
	const people = 12
	service := mocktest.Start(t)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: acctest.Block(service) + peopleBlock("old", people)},
			{
				Config: acctest.Block(service) + peopleBlock("new", people),
				ConfigPlanChecks: acctest.Planned(
					plancheck.ExpectResourceAction(`analytics_consent.people["old-0"]`, plancheck.ResourceActionDestroy),
					plancheck.ExpectResourceAction(`analytics_consent.people["new-0"]`, plancheck.ResourceActionCreate),
				),
				ConfigStateChecks: []statecheck.StateCheck{serviceCheck(func() error {
					if n := withdrawnPeople(service, people); n != 0 {
						return fmt.Errorf("%d of %d people were withdrawn", n, people)
					}
					return nil
				})},
			},
			{Config: acctest.Block(service)}, // the library cannot read the state of a for_each at the end
		},
	})

	if n := withdrawnPeople(service, people); n != people {
		t.Errorf("%d of %d people were withdrawn when the objects went", n, people)
	}
}

// peopleBlock returns a resource for n people, under keys with a prefix.
func peopleBlock(key string, people int) string {
	return fmt.Sprintf(`
resource "analytics_consent" "people" {
  for_each         = { for i in range(%d) : "%s-${i}" => "person-${i}" }
  identity_id      = each.value
  clause_1_consent = true
  clause_2_consent = true
  clause_3_consent = false
  clause_4_consent = true
  clause_5_consent = true
  agreement_time   = %q
  on_destroy       = "withdraw"
}
`, people, key, early)
}
