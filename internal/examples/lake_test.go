// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"encoding/csv"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// duckStatement matches the statement that the guide shows for DuckDB.
var duckStatement = regexp.MustCompile("(?s)```sql\n([^`]*read_json[^`]*)```")

// TestCLIExportLake_duckDB applies the lake of the guide and reads it with the guide's
// statement.
func TestCLIExportLake_duckDB(t *testing.T) {
	t.Parallel()
	statement := duckStatement.FindStringSubmatch(readPage(t, "docs/guides/nightly-exports.md"))
	if statement == nil {
		t.Fatal("the guide has no statement for DuckDB")
	}

	duckdb, err := exec.LookPath("duckdb")
	if err != nil {
		t.Skip("duckdb is not on PATH")
	}

	e := open(t, "guides/export-lake")
	e.terraform(t, "apply", "-auto-approve")

	c := exec.CommandContext(t.Context(), duckdb, "-csv", "-c", statement[1])
	c.Dir = e.folder
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}

	rows, err := csv.NewReader(strings.NewReader(string(out))).ReadAll()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	want := [][]string{{"dt", "events"}, {"2026-02-08", "1"}, {"2026-02-09", "1"}}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("unexpected rows (-want +got):\n%s", diff)
	}
}

// TestCLIExportLake_window moves the window of the guide by a day: what leaves it leaves
// the state, and its files stay.
func TestCLIExportLake_window(t *testing.T) {
	t.Parallel()
	e := open(t, "guides/export-lake")
	e.terraform(t, "apply", "-auto-approve")

	moved := e.terraform(t, "apply", "-auto-approve", "-var", "now=2026-02-11T02:00:00Z")
	if !strings.Contains(moved.Output, "1 added, 0 changed, 1 destroyed") {
		t.Errorf("the window did not move:\n%s", moved.Output)
	}

	for _, day := range []string{"2026-02-08", "2026-02-09", "2026-02-10"} {
		for _, kind := range []string{"persons", "sessions", "events"} {
			if _, err := os.Stat(e.folder + "/lake/" + kind + "/dt=" + day + "/part-0.ndjson.zst"); err != nil {
				t.Errorf("%s of %s: %v", kind, day, err)
			}
		}
	}
}
