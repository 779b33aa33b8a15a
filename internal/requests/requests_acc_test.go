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

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
)

const (
	deletionAddress = deletionName + ".jane"
	accessAddress   = accessName + ".jane"
)

func block(resource string, lines ...string) string {
	return fmt.Sprintf("\nresource %q \"jane\" {\n  identity_id = %q\n  %s\n}\n", resource, person, strings.Join(lines, "\n  "))
}

func state(address string, attributes map[string]knownvalue.Check) (checks []statecheck.StateCheck) {
	for name, check := range attributes {
		checks = append(checks, statecheck.ExpectKnownValue(address, tfjsonpath.New(name), check))
	}
	return checks
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
				ConfigPlanChecks: acctest.Planned(
					plancheck.ExpectResourceAction(deletionAddress, plancheck.ResourceActionCreate),
					plancheck.ExpectUnknownValue(deletionAddress, tfjsonpath.New("fulfilled")),
				),
				ConfigStateChecks: state(deletionAddress, map[string]knownvalue.Check{
					"identity_id": knownvalue.StringExact(person), "wait_for_fulfilment": knownvalue.Bool(true), "fulfilled": knownvalue.Bool(true),
					"request_id": knownvalue.StringExact("request-1"), "requested_at": instant, "fulfilled_at": instant,
				}),
			},
			{
				ResourceName: deletionAddress, ImportState: true, ImportStateId: "jane.doe%40example.com",
				ExpectError: regexp.MustCompile(`(?i)import.*not\s+implemented|doesn't support\s+import`),
			},
		},
	})

	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
	_, consents := service.Consent(scope, person)
	if _, remains := service.Profile(scope, person); !consents || remains {
		t.Errorf("the consent is there: %t, the profile: %t", consents, remains)
	}
}

func TestAccDataAccessRequestResource_basic(t *testing.T) {
	acctest.PreCheck(t)
	service, path := startWithData(t), output(t)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config:           acctest.Block(service) + block(accessName, fmt.Sprintf("output_path = %q", path)),
			ConfigPlanChecks: acctest.Planned(plancheck.ExpectUnknownValue(accessAddress, tfjsonpath.New("sha256"))),
			ConfigStateChecks: state(accessAddress, map[string]knownvalue.Check{
				"fulfilled": knownvalue.Bool(true), "fulfilled_at": instant, "overwrite": knownvalue.Bool(false), "sha256": knownvalue.NotNull(), "bytes": knownvalue.NotNull(),
			}),
		}},
	})

	wantQueued(t, service, mockserver.OpGetAllData, 1)
	wantData(t, path)
}
