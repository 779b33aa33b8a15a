// SPDX-License-Identifier: MPL-2.0

package export_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const (
	dataName = "analytics_export"
	fileName = "analytics_export_file"

	// day is over in every test, and tomorrow has not begun.
	day       = "2026-03-01"
	yesterday = "2026-03-09"
	today     = "2026-03-10"
	tomorrow  = "2026-03-11"
)

var scope = mockserver.Scope{OrgID: mocktest.Org, ProjectID: mocktest.Project}

// start returns a provider and its mock server.
func start(t *testing.T, configure ...func(*mockserver.Server)) (*prototest.Provider, *mocktest.Instance) {
	t.Helper()
	service := startService(t, configure...)

	return nextRun(t, service), service
}

// startService starts a mock server that holds records of each kind for each day of the
// tests.
func startService(t *testing.T, configure ...func(*mockserver.Server)) *mocktest.Instance {
	t.Helper()
	service := mocktest.Start(t, configure...)
	for _, date := range []string{day, yesterday, today} {
		service.PutExport(scope, date, mockserver.ExportDay{
			Persons:  []any{map[string]any{"id": "p-" + date, "name": "Jane Canary"}},
			Sessions: []any{map[string]any{"id": "s-" + date}},
			Events:   []any{map[string]any{"id": "e1-" + date}, map[string]any{"id": "e2-" + date}},
		})
	}

	return service
}

// nextRun returns a provider for another run of Terraform, late in the evening of today in
// UTC.
func nextRun(t *testing.T, service *mocktest.Instance) *prototest.Provider {
	t.Helper()
	return runAt(t, service, time.Date(2026, 3, 10, 23, 59, 0, 0, time.UTC))
}

func runAt(t *testing.T, service *mocktest.Instance, now time.Time) *prototest.Provider {
	t.Helper()
	return prototest.MustStart(t, prototest.Config(service), func(cfg *client.Config) { cfg.Now = func() time.Time { return now } })
}

// record returns a record without anything that shows its kind.
func record(n int) any { return map[string]any{"id": n} }

// unkinded starts a run whose records need no kind: one that has a member x is a record too.
func unkinded(t *testing.T, service *mocktest.Instance) *prototest.Provider {
	t.Helper()
	settings := prototest.Config(service).With(prototest.Attributes{"wire": prototest.Attributes{"export_record_member": "x"}})
	return prototest.MustStart(t, settings, func(cfg *client.Config) {
		cfg.Now = func() time.Time { return time.Date(2026, 3, 10, 23, 59, 0, 0, time.UTC) }
	})
}

// target returns the path of a file in a new folder.
func target(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "day.ndjson")
}

// file returns the configuration of a file. others override it.
func file(path string, others prototest.Attributes) prototest.Attributes {
	return prototest.Attributes{"utc_date": day, "path": path}.With(others)
}

// created exports a file and fails the test on an error.
func created(t *testing.T, p *prototest.Provider, config prototest.Attributes) *prototest.State {
	t.Helper()
	state, _ := p.MustCreate(fileName, config)
	return state
}

// wantContent fails the test if a file has other content, or is not alone in its folder.
func wantContent(t *testing.T, path, want string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil || string(content) != want {
		t.Errorf("the file holds %q, %v; want %q", content, err, want)
	}

	prototest.WantAlone(t, path)
}

// wantNothing fails the test if the folder of a file is not empty.
func wantNothing(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("there is something at path: %v", err)
	}

	prototest.WantAlone(t, path)
}

func wantCount(t *testing.T, service *mocktest.Instance, want int) {
	t.Helper()
	if got := service.Count(mockserver.OpExportRecords); got != want {
		t.Errorf("%d exports were asked for, want %d", got, want)
	}
}

// wantNoPerson fails the test if diagnostics or state hold a record.
func wantNoPerson(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(text, "Canary") {
			t.Errorf("a record is in %s", text)
		}
	}
}
