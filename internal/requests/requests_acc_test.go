// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
)

const deletionAddress = deletionName + ".jane"

// block returns a resource block about the person.
func block(resource string, lines ...string) string {
	return fmt.Sprintf("\nresource %q \"jane\" {\n  identity_id = %q\n  %s\n}\n", resource, person, strings.Join(lines, "\n  "))
}

var instant = knownvalue.StringFunc(func(value string) error {
	_, err := time.Parse(time.RFC3339, value)
	return err
})

func TestAccDataDeletionResource_basic(t *testing.T) {
	acctest.PreCheck(t)
	service := startWithData(t)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config: acctest.Block(service) + block(deletionName),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(deletionAddress, plancheck.ResourceActionCreate),
					plancheck.ExpectUnknownValue(deletionAddress, tfjsonpath.New("request_id")),
					plancheck.ExpectUnknownValue(deletionAddress, tfjsonpath.New("fulfilled")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(deletionAddress, tfjsonpath.New("request_id"), knownvalue.StringExact("request-1")),
					statecheck.ExpectKnownValue(deletionAddress, tfjsonpath.New("fulfilled"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(deletionAddress, tfjsonpath.New("identity_id"), knownvalue.StringExact(person)),
					statecheck.ExpectKnownValue(deletionAddress, tfjsonpath.New("wait_for_fulfilment"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(deletionAddress, tfjsonpath.New("requested_at"), instant),
					statecheck.ExpectKnownValue(deletionAddress, tfjsonpath.New("fulfilled_at"), instant),
				},
			},
			{
				ResourceName: deletionAddress, ImportState: true, ImportStateId: "jane.doe%40example.com",
				ExpectError: regexp.MustCompile(`(?i)import.*not\s+implemented|doesn't support\s+import`),
			},
		},
	})

	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
	if service.HasData(scope, person) {
		t.Error("the person's data is still there")
	}
	if _, ok := service.Consent(scope, person); !ok {
		t.Error("the consent went with the data")
	}
}

const accessAddress = accessName + ".jane"

// Once its file is gone, the object is created anew.
func TestAccDataAccessRequestResource_basic(t *testing.T) {
	acctest.PreCheck(t)
	service := startWithData(t)
	path := output(t)
	access := block(accessName, fmt.Sprintf("output_path = %q", path))
	fileIsKnown := []statecheck.StateCheck{
		statecheck.ExpectKnownValue(accessAddress, tfjsonpath.New("fulfilled"), knownvalue.Bool(true)),
		statecheck.ExpectKnownValue(accessAddress, tfjsonpath.New("sha256"), knownvalue.NotNull()),
		statecheck.ExpectKnownValue(accessAddress, tfjsonpath.New("bytes"), knownvalue.NotNull()),
	}

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config: acctest.Block(service) + access,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(accessAddress, plancheck.ResourceActionCreate),
					plancheck.ExpectUnknownValue(accessAddress, tfjsonpath.New("sha256")),
				}},
				ConfigStateChecks: append(fileIsKnown,
					statecheck.ExpectKnownValue(accessAddress, tfjsonpath.New("output_path"), knownvalue.StringExact(path)),
					statecheck.ExpectKnownValue(accessAddress, tfjsonpath.New("request_id"), knownvalue.StringExact("request-1")),
					statecheck.ExpectKnownValue(accessAddress, tfjsonpath.New("overwrite"), knownvalue.Bool(false)),
					statecheck.ExpectKnownValue(accessAddress, tfjsonpath.New("requested_at"), instant),
					statecheck.ExpectKnownValue(accessAddress, tfjsonpath.New("fulfilled_at"), instant),
				),
			},
			{
				PreConfig: func() {
					if err := os.Remove(path); err != nil {
						t.Error(err)
					}
				},
				Config:            acctest.Block(service, "wire {\n  lag = \"0s\"\n  all_data {\n    at = \"/profile\"\n  }\n}") + access,
				ConfigPlanChecks:  acctest.Planned(plancheck.ExpectResourceAction(accessAddress, plancheck.ResourceActionCreate)),
				ConfigStateChecks: fileIsKnown,
			},
		},
	})

	wantQueued(t, service, mockserver.OpGetAllData, 1) // the service answers the other with the data
	wantData(t, path)
}

const (
	deleteAddress = "action." + deleteName + ".jane"
	deletesJane   = `identity_id = "` + person + `"`
)

// actionBlock returns the block of an action. lines are the lines of its configuration.
func actionBlock(action string, lines ...string) string {
	return fmt.Sprintf("\naction %q \"jane\" {\n  config {\n    %s\n  }\n}\n", action, strings.Join(lines, "\n    "))
}

// triggerBlock returns a resource that triggers an action when it is created and whenever
// its input changes.
func triggerBlock(input, action string) string {
	return fmt.Sprintf(`
resource "terraform_data" "trigger" {
  input = %q

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [%s]
    }
  }
}
`, input, action)
}

func TestAccDeleteDataAction_basic(t *testing.T) {
	acctest.PreCheck(t, acctest.Actions)
	service := startWithData(t)
	configuration := func(input string) string {
		return actionBlock(deleteName, deletesJane) + triggerBlock(input, deleteAddress)
	}

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config:      acctest.Block(service, "read_only = true") + configuration("first"),
				ExpectError: regexp.MustCompile(`read-only`),
			},
			{
				PreConfig: func() { wantNothingSent(t, service) },
				Config:    acctest.Block(service) + configuration("first"),
				PostApplyFunc: func() {
					wantQueued(t, service, mockserver.OpDeleteAllData, 1)
					if service.HasData(scope, person) {
						t.Error("the person's data is still there")
					}
				},
			},
			{
				Config:        acctest.Block(service) + configuration("second"),
				PostApplyFunc: func() { wantQueued(t, service, mockserver.OpDeleteAllData, 2) },
			},
		},
	})

	wantQueued(t, service, mockserver.OpDeleteAllData, 2)
	if _, ok := service.Consent(scope, person); !ok {
		t.Error("the consent went with the data")
	}
}
