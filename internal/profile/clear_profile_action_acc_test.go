// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// clearBlock returns an action that clears members of the person's profile, and a resource
// that triggers it when it is created and whenever its input changes.
func clearBlock(input, members string) string {
	return fmt.Sprintf(`
action "analytics_clear_profile" "jane" {
  config {
    identity_id = %q
    members     = %s
  }
}

resource "terraform_data" "anonymised" {
  input = %q

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.analytics_clear_profile.jane]
    }
  }
}
`, person, members, input)
}

func TestAccClearProfileAction_basic(t *testing.T) {
	acctest.PreCheck(t, acctest.Actions)
	service := mocktest.Start(t)
	service.PutProfile(scope, person, held)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: acctest.Block(service) + clearBlock("first", `["name", "fax", "address"]`)},
			{Config: acctest.Block(service) + clearBlock("second", `["name", "phone"]`)},
		},
	})

	wantSent(t, service, `{"name":null}`, `{"phone":null}`)
	if after, _ := service.Profile(scope, person); after["plan"] != "gold" || after["name"] != nil || after["phone"] != nil {
		t.Errorf("the service holds %v", after)
	}
}
