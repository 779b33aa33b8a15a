// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
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
	updated := acctest.Planned(plancheck.ExpectResourceAction(fileAddress, plancheck.ResourceActionUpdate))

	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				Config: testAccExportFileConfig(service, path),
				ConfigPlanChecks: acctest.Planned(
					plancheck.ExpectResourceAction(fileAddress, plancheck.ResourceActionCreate),
					plancheck.ExpectUnknownValue(fileAddress, tfjsonpath.New("sha256")),
					plancheck.ExpectUnknownValue(fileAddress, tfjsonpath.New("counts")),
				),
				ConfigStateChecks: []statecheck.StateCheck{
					inState("utc_date", knownvalue.StringExact(day)),
					inState("path", knownvalue.StringExact(path)),
					inState("org_id", knownvalue.StringExact(mocktest.Org)),
					inState("project_id", knownvalue.StringExact(mocktest.Project)),
					inState("account_id", knownvalue.Null()),
					inState("compression", knownvalue.StringExact("none")),
					inState("with_kind", knownvalue.Null()),
					inState("verify", knownvalue.StringExact("stat")),
					inState("on_destroy", knownvalue.StringExact("remove")),
					inState("complete", knownvalue.Bool(true)),
					inState("sha256", knownvalue.StringExact(digest(lines))),
					inState("bytes", knownvalue.Int64Exact(int64(len(lines)))),
					inState("counts", counted(1, 1, 2)),
					inState("files", knownvalue.Null()),
					inState("invalid_utf8_records", knownvalue.Int64Exact(0)),
				},
				PostApplyFunc: func() { wantContent(t, path, lines) },
			},
			{
				Config:           testAccExportFileConfig(service, path, `kinds = ["events"]`),
				ConfigPlanChecks: updated,
				ConfigStateChecks: []statecheck.StateCheck{
					inState("sha256", knownvalue.StringExact(digest(eventLines))),
					inState("counts", counted(-1, -1, 2)),
				},
				PostApplyFunc: func() { wantContent(t, path, eventLines) },
			},
			{
				Config:            testAccExportFileConfig(service, moved, `kinds = ["events"]`),
				ConfigPlanChecks:  updated,
				ConfigStateChecks: []statecheck.StateCheck{inState("path", knownvalue.StringExact(moved))},
				PostApplyFunc: func() {
					wantNothing(t, path)
					wantContent(t, moved, eventLines)
				},
			},
			{
				Config: testAccExportFileConfig(service, moved, `kinds = ["events"]`, `overwrite = true`),
				ConfigPlanChecks: acctest.Planned(
					plancheck.ExpectResourceAction(fileAddress, plancheck.ResourceActionUpdate),
					plancheck.ExpectKnownValue(fileAddress, tfjsonpath.New("sha256"), knownvalue.StringExact(digest(eventLines))),
				),
			},
		},
	})

	wantNothing(t, moved)
	wantExports(t, service, day, day, day)
}

// inState returns a check of an attribute in state.
func inState(name string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(fileAddress, tfjsonpath.New(name), check)
}

// counted returns a check of counts. A negative count is null.
func counted(persons, sessions, events int64) knownvalue.Check {
	counts := map[string]knownvalue.Check{}
	for name, n := range map[string]int64{"persons": persons, "sessions": sessions, "events": events} {
		counts[name] = knownvalue.Int64Exact(n)
		if n < 0 {
			counts[name] = knownvalue.Null()
		}
	}

	return knownvalue.ObjectExact(counts)
}

func testAccExportFileConfig(service *mocktest.Instance, path string, lines ...string) string {
	return acctest.Block(service) + fmt.Sprintf(`
resource "analytics_export_file" "day" {
  utc_date = "2026-03-01"
  path     = %q
  %s
}
`, path, strings.Join(lines, "\n  "))
}

// wantExports fails the test if the service was asked for other days.
func wantExports(t *testing.T, service *mocktest.Instance, want ...string) {
	t.Helper()
	var dates []string
	for _, r := range service.Requests() {
		if r.Operation == mockserver.OpExportRecords && r.Scope == scope {
			dates = append(dates, fmt.Sprint(r.Sent["utcDate"]))
		}
	}
	if !slices.Equal(dates, want) {
		t.Errorf("exported are %v; want %v", dates, want)
	}
}

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
			ConfigPlanChecks: acctest.Planned(
				plancheck.ExpectResourceAction(fileAddress, plancheck.ResourceActionCreate),
				plancheck.ExpectKnownOutputValue("events", knownvalue.Int64Exact(2)),
			),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("persons"), knownvalue.StringExact(`[{"id":"p-2026-03-01","name":"Jane Canary"}]`)),
				statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("sessions"), knownvalue.StringExact(`[{"id":"s-2026-03-01"}]`)),
				statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("events"), knownvalue.StringExact(`[{"id":"e1-2026-03-01"},{"id":"e2-2026-03-01"}]`)),
				statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("counts"), counted(1, 1, 2)),
				statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("complete"), knownvalue.Bool(true)),
				statecheck.ExpectKnownValue(dataAddress, tfjsonpath.New("invalid_utf8_records"), knownvalue.Int64Exact(0)),
				statecheck.ExpectSensitiveValue(dataAddress, tfjsonpath.New("persons")),
				statecheck.ExpectSensitiveValue(dataAddress, tfjsonpath.New("sessions")),
				statecheck.ExpectSensitiveValue(dataAddress, tfjsonpath.New("events")),
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
				Config:           testAccExportDayConfig(service, "first", path, `kinds = ["events"]`, `overwrite = true`),
				ConfigPlanChecks: acctest.Planned(plancheck.ExpectEmptyPlan()),
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
