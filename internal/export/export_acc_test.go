// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
)

const (
	fileAddress = "analytics_export_file.day"
	dataAddress = "data.analytics_export.day"

	eventLines = `{"kind":"event","record":{"id":"e1-2026-03-01"}}
{"kind":"event","record":{"id":"e2-2026-03-01"}}
`
)

// TestAccExportFileResource_basic writes a day, and then changes what is in the file and where it is.
// Each change writes the file in place.
func TestAccExportFileResource_basic(t *testing.T) {
	acctest.PreCheck(t)
	service, path, moved := startService(t), target(t), target(t)
	config := func(path string, lines ...string) string {
		return acctest.Block(service) + fmt.Sprintf("resource \"analytics_export_file\" \"day\" {\n  utc_date = \"2026-03-01\"\n  path = %q\n  %s\n}\n", path, strings.Join(lines, "\n  "))
	}

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config: config(path),
				ConfigPlanChecks: acctest.Planned(
					plancheck.ExpectResourceAction(fileAddress, plancheck.ResourceActionCreate),
					plancheck.ExpectUnknownValue(fileAddress, tfjsonpath.New("sha256")),
				),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(fileAddress, tfjsonpath.New("complete"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(fileAddress, tfjsonpath.New("sha256"), knownvalue.StringExact(digest(lines))),
				},
				PostApplyFunc: func() { wantContent(t, path, lines) },
			},
			{
				Config:           config(moved, `kinds = ["events"]`),
				ConfigPlanChecks: acctest.Planned(plancheck.ExpectResourceAction(fileAddress, plancheck.ResourceActionUpdate)),
				PostApplyFunc: func() {
					wantNothing(t, path)
					wantContent(t, moved, eventLines)
				},
			},
			{
				Config:           config(moved, `kinds = ["events"]`, `overwrite = true`), // exports nothing
				ConfigPlanChecks: acctest.Planned(plancheck.ExpectKnownValue(fileAddress, tfjsonpath.New("sha256"), knownvalue.StringExact(digest(eventLines)))),
			},
		},
	})

	wantNothing(t, moved)
	wantCount(t, service, 2)
}

// TestAccExportDataSource_basic reads a day in the plan, and uses what it read in an output.
func TestAccExportDataSource_basic(t *testing.T) {
	acctest.PreCheck(t)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: acctest.Block(startService(t)) + `
data "analytics_export" "day" {
  utc_date = "2026-03-01"
}

output "events" {
  value = length(jsondecode(nonsensitive(data.analytics_export.day.events)))
}
`,
			ConfigPlanChecks: acctest.Planned(plancheck.ExpectKnownOutputValue("events", knownvalue.Int64Exact(2))),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("persons"), knownvalue.StringExact(`[{"id":"p-2026-03-01","name":"Jane Canary"}]`)),
				statecheck.ExpectSensitiveValue(dataAddress, tfjsonpath.New("persons")),
				statecheck.ExpectSensitiveValue(dataAddress, tfjsonpath.New("sessions")),
				statecheck.ExpectSensitiveValue(dataAddress, tfjsonpath.New("events")),
			},
		}},
	})
}

// TestAccExportDayAction_basic lets the creation and each change of another object export a
// day. An apply that changes nothing exports nothing. The first plan does not know the path.
func TestAccExportDayAction_basic(t *testing.T) {
	acctest.PreCheck(t, acctest.Actions)
	service, path := startService(t), target(t)
	step := func(input, others, text string, exports int) resource.TestStep {
		return resource.TestStep{
			Config: acctest.Block(service) + fmt.Sprintf(`
resource "terraform_data" "path" {
  input = %q
}

resource "terraform_data" "trigger" {
  input = %q

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.analytics_export_day.day]
    }
  }
}

action "analytics_export_day" "day" {
  config {
    utc_date = "2026-03-01"
    path     = terraform_data.path.output
    %s
  }
}
`, path, input, others),
			PostApplyFunc: func() {
				wantContent(t, path, text)
				wantCount(t, service, exports)
			},
		}
	}
	const events = "kinds = [\"events\"]\n overwrite = true"

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps:                    []resource.TestStep{step("first", "", lines, 1), step("first", events, lines, 1), step("second", events, eventLines, 2)},
	})
}
