// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

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

// copied reads the profile of one person and writes a member of it to another, through
// an attribute that is write-only.
const copied = `
ephemeral "analytics_profile" "source" {
  identity_id = "source-person"
}

resource "analytics_profile" "copy" {
  identity_id        = "other-person"
  profile_wo         = jsonencode({ phone = jsondecode(ephemeral.analytics_profile.source.profile).phone })
  profile_wo_version = 1
  wait_for_fulfilment = false
}
`

// TestCLIProfileEphemeral_staysOutOfStateAndPlan looks for what was read in everything
// that Terraform has written.
func TestCLIProfileEphemeral_staysOutOfStateAndPlan(t *testing.T) {
	t.Parallel()
	const secret = "secret-0100"
	service := mocktest.Start(t)
	service.PutProfile(scope, "source-person", `{"phone":"`+secret+`"}`)
	cli := clitest.New(t, copied, service.Environment())
	cli.Needs(acctest.WriteOnlyAttributes)

	planned := cli.MustRun("plan", "-out=saved.tfplan")
	applied := cli.MustRun("apply", "saved.tfplan")
	service.FulfilAll()
	if held, _ := service.Profile(scope, "other-person"); held["phone"] != secret {
		t.Errorf("the service holds %v", held)
	}

	for _, output := range []string{planned.Output, applied.Output, cli.MustRun("show", "saved.tfplan").Output} {
		if strings.Contains(output, secret) {
			t.Errorf("the value is shown:\n%s", output)
		}
	}
	for _, name := range []string{"terraform.tfstate", "saved.tfplan"} {
		if strings.Contains(cli.ReadFile(name), secret) {
			t.Errorf("%s holds the value", name)
		}
	}
}
