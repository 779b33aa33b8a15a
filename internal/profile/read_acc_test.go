// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
)

func TestAccProfileDataSource_basic(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)
	service.PutProfile(scope, person, `{"seats":9007199254740993,"plan":"gold"}`)
	const address = "data.analytics_profile.jane"

	dataOf := func(identity string) string {
		return acctest.Block(service) + fmt.Sprintf("data \"analytics_profile\" \"jane\" {\n  identity_id = %q\n}\n", identity)
	}

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{Config: dataOf("nobody"), ExpectError: acctest.Message("Not found")},
			{
				Config: dataOf(person),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("profile"), knownvalue.StringExact(`{"plan":"gold","seats":9007199254740993}`)),
					statecheck.ExpectSensitiveValue(address, tfjsonpath.New("profile")),
				},
			},
		},
	})
}

// echoed reads the profile of a person and echoes it into state.
var echoed = fmt.Sprintf(`
ephemeral "analytics_profile" "jane" {
  identity_id = %q
}

provider "echo" {
  data = ephemeral.analytics_profile.jane
}

resource "echo" "jane" {}
`, person)

func TestAccProfileEphemeral_basic(t *testing.T) {
	acctest.PreCheck(t, acctest.Ephemeral)
	service := mocktest.Start(t)
	service.PutProfile(scope, person, `{"plan":"gold","phone":"+00 555 0100"}`)
	factories := acctest.Factories()
	factories["echo"] = echoprovider.NewProviderServer()

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{
				Config: acctest.Block(service) + echoed,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("echo.jane", tfjsonpath.New("data").AtMapKey("identity_id"), knownvalue.StringExact(person)),
					statecheck.ExpectKnownValue("echo.jane", tfjsonpath.New("data").AtMapKey("profile"), knownvalue.StringExact(`{"phone":"+00 555 0100","plan":"gold"}`)),
				},
			},
		},
	})
}
