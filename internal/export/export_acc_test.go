// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"fmt"
	"os"
	"path/filepath"
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
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

const (
	fileAddress = "analytics_export_file.day"

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
					wantNothingOf(t, path)
					prototest.WantAlone(t, path)
					wantContent(t, moved, eventLines)
				},
			},
			{
				Config:           config(moved, `kinds = ["events"]`, `overwrite = true`), // exports nothing
				ConfigPlanChecks: acctest.Planned(plancheck.ExpectKnownValue(fileAddress, tfjsonpath.New("sha256"), knownvalue.StringExact(digest(eventLines)))),
			},
		},
	})

	wantNothingOf(t, moved)
	prototest.WantAlone(t, moved)
	wantCount(t, service, 2)
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

// TestCLIExport_logsAndShowsNobody applies with everything logged. Once Terraform has recorded the file, nothing is beside it.
func TestCLIExport_logsAndShowsNobody(t *testing.T) {
	t.Parallel()

	service := startService(t)
	cli := clitest.New(t, `
data "analytics_export" "day" {
  utc_date = "2026-03-01"
}

resource "analytics_export_file" "day" {
  utc_date = data.analytics_export.day.utc_date
  path     = "day.ndjson"
}
`, service.Environment())
	cli.Setenv("TF_LOG", "TRACE")
	r := cli.MustRun("apply", "-auto-approve")
	cli.Setenv("TF_LOG", "")
	prototest.WantNoCanary(t, "the output", r.Output+cli.MustRun("state", "show", "analytics_export_file.day").Output, person)
	wantCount(t, service, 2)
	if left, err := filepath.Glob(filepath.Join(cli.Dir, ".analytics-*")); err != nil || len(left) > 0 {
		t.Errorf("after the run there are %v, %v", left, err)
	}
}

const nightlyAddress = "action.analytics_export_day.nightly"

const nightlyBlock = `
action "analytics_export_day" "nightly" {
  config {
    utc_date           = formatdate("YYYY-MM-DD", timeadd(plantimestamp(), "-24h"))
    path               = "export/{kind}.ndjson.zst"
    compression        = "zstd"
    create_directories = true
  }
}
`

// TestCLIExport_interruptLeavesNoFile interrupts the creation of a file, and an action.
func TestCLIExport_interruptLeavesNoFile(t *testing.T) {
	t.Parallel()

	const fileBlock = `
resource "analytics_export_file" "day" {
  utc_date           = "2026-03-01"
  path               = "export/day.ndjson"
  create_directories = true
}
`

	for what, tc := range map[string]struct {
		block, says string
		needs       acctest.Feature
		args        []string
	}{
		"file":   {block: fileBlock, says: "Creating..."},
		"action": {block: nightlyBlock, says: "Exporting", needs: acctest.Actions, args: []string{"-invoke=" + nightlyAddress}},
	} {
		for name, stop := range clitest.Interrupts() {
			t.Run(what+", "+name, func(t *testing.T) {
				t.Parallel()

				begun := make(chan struct{}) // an export that stalls before its end
				service := mocktest.Start(t, func(s *mockserver.Server) {
					s.ExportRecords = 10_000
					s.OnRequest = func(r mockserver.Request) {
						if r.Operation == mockserver.OpExportRecords {
							close(begun)
						}
					}
				})
				service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Cut: mockserver.CutStall, CutAt: -1000})
				cli := clitest.New(t, tc.block, service.Environment())
				acctest.PreCheck(t, tc.needs)

				r := cli.RunInterrupted(stop, tc.says, begun, append([]string{"apply", "-auto-approve"}, tc.args...)...)
				if r.Code == 0 {
					t.Errorf("the interrupted run ended with 0:\n%s", r.Output)
				}
				if left, err := os.ReadDir(filepath.Join(cli.Dir, "export")); err != nil || len(left) > 0 {
					t.Errorf("left behind are %v, %v\n%s", left, err, r.Output)
				}
				state, err := os.ReadFile(filepath.Join(cli.Dir, "terraform.tfstate"))
				if err == nil && strings.Contains(string(state), "analytics_export_file") {
					t.Errorf("it is in state:\n%s", state)
				}
			})
		}
	}
}
