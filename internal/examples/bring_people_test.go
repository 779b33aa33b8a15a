// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
)

// bringPeople holds the examples of the guide that brings existing people under
// management.
const bringPeople = "guides/bring-existing-people/"

// TestCLIBringPeople_queryWritesTheConfigurationShown runs the guide's query, and compares
// the configuration that Terraform writes with the one in the guide, which
// TestCLIExamples_applyOnce applies.
func TestCLIBringPeople_queryWritesTheConfigurationShown(t *testing.T) {
	t.Parallel()
	e := open(t, bringPeople+"query")
	e.Needs(acctest.Lists)
	e.remove(t, "people.tf")
	e.terraform(t, "query", "-generate-config-out=people.tf")
	wantFileAs(t, e.folder, "query/people.tf")

	clitest.WantWords(t, e.terraform(t, "plan"), "2 to import, 0 to add, 0 to change, 0 to destroy.")
	clitest.WantWords(t, e.terraform(t, "apply", "-auto-approve"), "2 imported, 0 added, 0 changed, 0 destroyed.")
	e.remove(t, "people.tfquery.hcl")
	clitest.WantWords(t, e.terraform(t, "plan"), "No changes.")
	e.wantNoUpdate(t)
}

// TestCLIBringPeople_rowsOfAQueryAreInPlace runs the guide's commands that turn the output
// of a query into rows, and applies them: nothing is written.
func TestCLIBringPeople_rowsOfAQueryAreInPlace(t *testing.T) {
	t.Parallel()
	e := open(t, bringPeople+"batch")
	e.Needs(acctest.Lists)
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("the guide's commands need jq, which is not on PATH")
	}

	e.remove(t, "people.ndjson")
	e.script(t, "query-to-rows.sh")
	wantFileAs(t, e.folder, "batch/people.ndjson")
	if info, err := os.Stat(filepath.Join(e.folder, "query.ndjson")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the output of the query is readable by others: %v (%v)", info, err)
	}

	clitest.WantWords(t, e.terraform(t, "plan"), "+ rows = 2")
	e.terraform(t, "apply", "-auto-approve")
	e.wantNoUpdate(t)
}

// script runs a script of the folder, for which the CLI is called terraform.
func (e *example) script(t *testing.T, name string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-eu", name)
	cmd.Dir = e.folder
	cmd.Env = slices.Concat(e.Command(t.Context()).Env, []string{"LAKE=mounted", pathWithCLI(t)})
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s ended with %v:\n%s", name, err, out)
	}
}

// pathWithCLI returns a PATH on which the CLI of the tests is called terraform.
func pathWithCLI(t *testing.T) string {
	t.Helper()
	programs := t.TempDir()
	path, err := terraformcli.Find()
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err == nil {
		err = os.Symlink(path, filepath.Join(programs, "terraform"))
	}
	if err != nil {
		t.Fatal(err)
	}

	return "PATH=" + programs + string(os.PathListSeparator) + os.Getenv("PATH")
}

// wantFileAs fails the test unless a file of the folder is the same as an example of the
// guide.
func wantFileAs(t *testing.T, folder, example string) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(folder, filepath.Base(example)))
	if err != nil {
		t.Fatal(err)
	}
	want := readPage(t, "examples/"+bringPeople+example)
	if diff := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(string(got))); diff != "" {
		t.Errorf("%s is another (-shown +made):\n%s", example, diff)
	}
}
