// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

const deletionAddress = deletionName + ".jane"

// block returns a resource block about the person.
func block(resource string, lines ...string) string {
	return fmt.Sprintf("\nresource %q \"jane\" {\n  identity_id = %q\n  %s\n}\n", resource, person, strings.Join(lines, "\n  "))
}

// wantRequest checks the identifier of the request that an object stands for, and whether it
// is carried out.
func wantRequest(address, id string, fulfilled bool) []statecheck.StateCheck {
	return []statecheck.StateCheck{
		statecheck.ExpectKnownValue(address, tfjsonpath.New("request_id"), knownvalue.StringExact(id)),
		statecheck.ExpectKnownValue(address, tfjsonpath.New("fulfilled"), knownvalue.Bool(fulfilled)),
	}
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
				ConfigStateChecks: append(wantRequest(deletionAddress, "request-1", true),
					statecheck.ExpectKnownValue(deletionAddress, tfjsonpath.New("identity_id"), knownvalue.StringExact(person)),
					statecheck.ExpectKnownValue(deletionAddress, tfjsonpath.New("wait_for_fulfilment"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(deletionAddress, tfjsonpath.New("requested_at"), instant),
					statecheck.ExpectKnownValue(deletionAddress, tfjsonpath.New("fulfilled_at"), instant),
				),
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
