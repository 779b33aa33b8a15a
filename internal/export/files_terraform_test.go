package export_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// TestAccExportFile_twoConfigurationsOnePath has two configurations of the provider in
// one run, which are two processes, write one path.
func TestAccExportFile_twoConfigurationsOnePath(t *testing.T) {
	t.Parallel()

	service := mocktest.Start(t)
	cli := acctest.NewCLI(t, `
provider "analytics" {}

provider "analytics" {
  alias = "other"
}

resource "analytics_export_file" "first" {
  utc_date  = "2026-03-01"
  path      = "day.ndjson"
  overwrite = true
}

resource "analytics_export_file" "second" {
  provider  = analytics.other
  utc_date  = "2026-03-02"
  path      = "./day.ndjson"
  overwrite = true
}
`, acctest.Environment(service))
	r := cli.Run("apply", "-auto-approve")
	if r.Code == 0 || strings.Count(r.Words(), "Two writers with one file") != 1 {
		t.Errorf("the apply ended with %d:\n%s", r.Code, r.Output)
	}
	if listed := cli.MustRun("state", "list"); strings.Count(listed.Output, "analytics_export_file") != 1 {
		t.Errorf("in state are:\n%s", listed.Output)
	}
	wantCount(t, service, 1)
}

func TestAccExportFile_killed(t *testing.T) {
	t.Parallel()

	begun := make(chan struct{})
	service := mocktest.Start(t, func(s *mockserver.Server) {
		s.ExportRecords = 10_000
		s.OnRequest = func(r mockserver.Request) {
			if r.Operation == mockserver.OpExportRecords && begun != nil {
				close(begun)
				begun = nil
			}
		}
	})
	ready := begun
	service.Inject(mockserver.Fault{Operation: mockserver.OpExportRecords, Cut: mockserver.CutStall, CutAt: -1000})
	cli := acctest.NewCLI(t, `
resource "analytics_export_file" "day" {
  utc_date           = "2026-03-01"
  path               = "export/{kind}.ndjson"
  create_directories = true
}
`, acctest.Environment(service))

	cli.RunInterrupted(acctest.Interrupt{Signal: syscall.SIGKILL, ToGroup: true}, "Creating...", ready, "apply", "-auto-approve")
	folder := filepath.Join(cli.Dir, "export")
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil || !strings.HasSuffix(entry.Name(), ".lock") || len(content) > 0 {
			t.Errorf("left behind is %s with %d bytes, %v", entry.Name(), len(content), err)
		}
	}

	cli.MustRun("apply", "-auto-approve")
	entries, err = os.ReadDir(folder)
	if err != nil || len(entries) != 3 {
		t.Errorf("afterwards there are %v, %v", entries, err)
	}
}
