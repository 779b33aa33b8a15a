// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"encoding/csv"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
)

// TestCLINightlyLake_marksCompleteDays runs the guide's job twice: each day is in the lake with
// its marker, and the second run changes nothing. A day that an earlier run has left in the
// job's own folder is not copied again, since the lake may have been purged of a person since.
func TestCLINightlyLake_marksCompleteDays(t *testing.T) {
	t.Parallel()
	e := open(t, "guides/nightly-lake")
	e.Needs(acctest.Functions)
	for _, program := range []string{"jq", "flock"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("the guide's job needs " + program + ", which is not on PATH")
		}
	}

	const earlier = "events/dt=2026-01-01/part-0.ndjson.gz"
	if err := errors.Join(
		os.MkdirAll(filepath.Join(e.folder, "lake", filepath.Dir(earlier)), 0o700),
		os.WriteFile(filepath.Join(e.folder, "lake", earlier), []byte("of an earlier run"), 0o600),
	); err != nil {
		t.Fatal(err)
	}

	for range 2 {
		e.script(t, "nightly.sh")
		e.wantFiles(t, "mounted/manifest/dt=2026-02-08/_SUCCESS", "mounted/manifest/dt=2026-02-09/_SUCCESS",
			"mounted/manifest/dt=2026-02-09/manifest.json", "mounted/events/dt=2026-02-09/part-0.ndjson.gz")
	}
	clitest.WantWords(t, e.terraform(t, "plan", "-detailed-exitcode"), "No changes.")

	if _, err := os.Stat(filepath.Join(e.folder, "mounted", earlier)); !os.IsNotExist(err) {
		t.Errorf("the job copied a day of an earlier run, or: %v", err)
	}
}

// startsService matches the commands with which a page starts a service, and goes on in their shell.
var startsService = regexp.MustCompile("(?s)```sh\n([^`]* mockserver [^`]*\\. \\./service\\.env\n)")

// TestCLITasks_pagesWorkAsTheyStand runs these commands, and what the page says to do then, as
// somebody who has nothing but Terraform: the provider comes from a mirror. The service that the
// environment named before is not reached.
func TestCLITasks_pagesWorkAsTheyStand(t *testing.T) {
	t.Parallel()
	const apply, planAgain = "terraform apply -no-color -auto-approve\n", "terraform plan -no-color\n"
	for page, task := range map[string]struct {
		folder, before, then string
		says                 []string
	}{
		"getting-started": {
			folder: "quickstart", then: apply + planAgain + "echo writes: $(grep -c PATCH requests.log)",
			says: []string{"3 added", "No changes.", "writes: 3"},
		},
		"seed-test-users": {
			folder: "guides/seed-test-users", before: "sh make-users.sh\n", then: apply + "terraform output -json evidence\n" + planAgain,
			says: []string{"1 added", `{"kept":0,"missing":0,"rows":300,"sample":true,"written":300}`, "No changes."},
		},
		"erase-or-hand-out": {
			folder: "guides/erase-now", then: "export TF_VAR_person=user-1001 TF_VAR_ticket=T-1042\n" + planAgain,
			says: []string{"1 to add, 0 to change, 0 to destroy", "irreversible"},
		},
		"bring-existing-people": {
			folder: "guides/bring-existing-people/for-each", then: "export ANALYTICS_READ_ONLY=true\n" + apply + planAgain,
			says: []string{"2 imported, 0 added, 1 changed", "No changes."},
		},
	} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			e := open(t, task.folder)
			e.skipUnknown(e.text(t))
			commands := startsService.FindStringSubmatch(readPage(t, "docs/guides/"+page+".md"))
			if commands == nil {
				t.Fatal("the page starts no service")
			}

			shell := exec.CommandContext(t.Context(), "sh", "-euc", task.before+commands[1]+task.then)
			shell.Dir = e.folder
			shell.Env = slices.Concat(e.Command(t.Context()).Env, registryAlone(t))
			output, err := shell.CombinedOutput()
			if err != nil {
				t.Errorf("%v:\n%s", err, output)
			}
			for _, said := range task.says {
				if !strings.Contains(string(output), said) {
					t.Errorf("%q is not shown:\n%s", said, output)
				}
			}
			if n := len(e.service.Requests()); n != 0 {
				t.Errorf("%d requests reached another service", n)
			}
		})
	}
}

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
	clitest.WantWords(t, moved, "1 added, 0 changed, 1 destroyed")
	for _, day := range []string{"2026-02-08", "2026-02-09", "2026-02-10"} {
		for _, kind := range []string{"persons", "sessions", "events"} {
			e.wantFiles(t, "lake/"+kind+"/dt="+day+"/part-0.ndjson.zst")
		}
	}
}

// wantFiles fails the test unless the folder has files.
func (e *example) wantFiles(t *testing.T, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if _, err := os.Stat(filepath.Join(e.folder, path)); err != nil {
			t.Error(err)
		}
	}
}
