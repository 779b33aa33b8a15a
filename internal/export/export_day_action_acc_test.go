// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// TestAccExportDayAction_basic lets the creation and each change of another object export a
// day. An apply that changes nothing exports nothing. The first plan does not know the path.
func TestAccExportDayAction_basic(t *testing.T) {
	acctest.PreCheck(t, acctest.Actions)
	service, path := startService(t), target(t)

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config: testAccExportDayConfig(service, "first", path),
				PostApplyFunc: func() {
					wantContent(t, path, lines)
					wantExports(t, service, day)
				},
			},
			{
				Config: testAccExportDayConfig(service, "first", path, `kinds = ["events"]`, `overwrite = true`),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				PostApplyFunc: func() {
					wantContent(t, path, lines)
					wantExports(t, service, day)
				},
			},
			{
				Config: testAccExportDayConfig(service, "second", path, `kinds = ["events"]`, `overwrite = true`),
				PostApplyFunc: func() {
					wantContent(t, path, eventLines)
					wantExports(t, service, day, day)
				},
			},
		},
	})

	wantContent(t, path, eventLines)
	wantExports(t, service, day, day)
}

func testAccExportDayConfig(service *mocktest.Instance, input, path string, lines ...string) string {
	return acctest.Block(service) + fmt.Sprintf(`
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
`, path, input, strings.Join(lines, "\n    "))
}
