// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
)

const address = "analytics_profile.jane"

func block(lines ...string) string {
	return fmt.Sprintf("resource \"analytics_profile\" \"jane\" {\n  identity_id = %q\n  %s\n}\n", person, strings.Join(lines, "\n  "))
}

// TestAccProfileResource_basic creates a profile, and once more after something else has removed it. Then it applies a
// change of the service, and one of the configuration.
func TestAccProfileResource_basic(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)
	configuration := acctest.Block(service) + block(`profile = jsonencode({ plan = "gold", seats = 9007199254740993, ratio = 1.0 })`)
	const profile = `{"plan":"gold","ratio":1,"seats":9007199254740993}`
	updated := acctest.Planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate))

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config: configuration,
				ConfigPlanChecks: acctest.Planned(
					plancheck.ExpectUnknownValue(address, tfjsonpath.New("fulfilled")),
					plancheck.ExpectSensitiveValue(address, tfjsonpath.New("profile")),
				),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("profile"), knownvalue.StringExact(profile)),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("fulfilled"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("on_destroy"), knownvalue.StringExact("retain")),
				},
			},
			{
				PreConfig: func() { service.DeleteProfile(scope, person) },
				Config:    configuration, ConfigPlanChecks: acctest.Planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate)),
			},
			{
				PreConfig: func() { service.PutProfile(scope, person, strings.Replace(profile, "gold", "free", 1)) },
				Config:    configuration, ConfigPlanChecks: updated,
			},
			{Config: acctest.Block(service) + block(`profile = jsonencode({ plan = null, team = "north" })`), ConfigPlanChecks: updated},
		},
	})

	wantSent(t, service, profile, profile, gold, `{"plan":null,"team":"north"}`)
	if held, _ := service.Profile(scope, person); held["seats"] == nil || held["team"] == nil {
		t.Errorf("after the destroy the service holds %v", held)
	}
}

// TestAccProfileResource_ignoreChanges applies another attribute beside a profile that ignore_changes
// hides from the plan, and not from the apply.
func TestAccProfileResource_ignoreChanges(t *testing.T) {
	acctest.PreCheck(t)
	service := mocktest.Start(t)
	ignoring := func(plan, onDestroy string) string {
		return acctest.Block(service) + block(`profile = jsonencode({ plan = "`+plan+`" })`, `on_destroy = "`+onDestroy+`"`, "lifecycle {\n    ignore_changes = [profile]\n  }")
	}

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps:                    []resource.TestStep{{Config: ignoring("gold", "clear")}, {Config: ignoring("free", "retain")}},
	})

	wantSent(t, service, gold)
}
