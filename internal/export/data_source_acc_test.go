// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

const dataAddress = "data.analytics_export.day"

// TestAccExportDataSource_basic reads a day in the plan, and uses what it read in an output
// and in a resource.
func TestAccExportDataSource_basic(t *testing.T) {
	acctest.PreCheck(t)
	service, path := startService(t), target(t)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: acctest.Block(service) + fmt.Sprintf(`
data "analytics_export" "day" {
  utc_date = "2026-03-01"
}

output "events" {
  value = length(jsondecode(nonsensitive(data.analytics_export.day.events)))
}

resource "analytics_export_file" "day" {
  utc_date = data.analytics_export.day.utc_date
  path     = %q
}
`, path),
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(fileAddress, plancheck.ResourceActionCreate),
					plancheck.ExpectKnownOutputValue("events", knownvalue.Int64Exact(2)),
				},
				PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
			},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("persons"), knownvalue.StringExact(`[{"id":"p-2026-03-01","name":"Jane Canary"}]`)),
				statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("sessions"), knownvalue.StringExact(`[{"id":"s-2026-03-01"}]`)),
				statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("events"), knownvalue.StringExact(`[{"id":"e1-2026-03-01"},{"id":"e2-2026-03-01"}]`)),
				statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("unknown"), knownvalue.StringExact(`[]`)),
				statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("counts"), counted(1, 1, 2)),
				statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("complete"), knownvalue.Bool(true)),
				statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("invalid_utf8_records"), knownvalue.Int64Exact(0)),
				statecheck.ExpectSensitiveValue(dataAddress, tfjsonpath.New("persons")),
				statecheck.ExpectSensitiveValue(dataAddress, tfjsonpath.New("sessions")),
				statecheck.ExpectSensitiveValue(dataAddress, tfjsonpath.New("events")),
				statecheck.ExpectSensitiveValue(dataAddress, tfjsonpath.New("unknown")),
			},
			PostApplyFunc: func() { wantContent(t, path, lines) },
		}},
	})

	for _, r := range service.Requests() {
		if r.Operation != mockserver.OpLogin && (r.Operation != mockserver.OpExportRecords || r.Scope != scope || r.Sent["utcDate"] != day) {
			t.Errorf("the service was asked for %s %s %v", r.Operation, r.EscapedPath, r.Sent)
		}
	}
}
