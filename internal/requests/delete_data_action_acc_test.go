// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

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
