// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

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
