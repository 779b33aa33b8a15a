// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// ephemeralBlock returns blocks that read the profile of a person and echo it into state.
func ephemeralBlock(identity string) string {
	return fmt.Sprintf(`
ephemeral "analytics_profile" "jane" {
  identity_id = %q
}

provider "echo" {
  data = ephemeral.analytics_profile.jane
}

resource "echo" "jane" {}
`, identity)
}

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
				Config:      acctest.Block(service) + ephemeralBlock("nobody"),
				ExpectError: regexp.MustCompile(`Not found`),
			},
			{
				Config: acctest.Block(service) + ephemeralBlock(person),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("echo.jane", tfjsonpath.New("data").AtMapKey("identity_id"), knownvalue.StringExact(person)),
					statecheck.ExpectKnownValue("echo.jane", tfjsonpath.New("data").AtMapKey("profile"), knownvalue.StringExact(`{"phone":"+00 555 0100","plan":"gold"}`)),
				},
			},
		},
	})

	for _, r := range service.Requests() {
		if r.Operation != mockserver.OpGetProfile && r.Operation != mockserver.OpLogin {
			t.Errorf("the service received %s", r.Operation)
		}
	}
}
