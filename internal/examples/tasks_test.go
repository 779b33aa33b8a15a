// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
)

// TestCLISeedTestUsers_threeHundred seeds the file that the guide's script makes, and ends with
// the evidence that the guide shows.
func TestCLISeedTestUsers_threeHundred(t *testing.T) {
	t.Parallel()
	e := open(t, "guides/seed-test-users")
	e.script(t, "make-users.sh")
	e.terraform(t, "apply", "-auto-approve")

	want := map[string]any{"rows": 300.0, "written": 300.0, "kept": 0.0, "missing": 0.0, "sample": true}
	var got map[string]any
	if err := json.Unmarshal([]byte(e.terraform(t, "output", "-json", "evidence").Stdout), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected evidence (-want +got):\n%s", diff)
	}

	clitest.WantWords(t, e.terraform(t, "plan", "-detailed-exitcode"), "No changes.")
}

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

	earlier := filepath.Join("events", "dt=2026-01-01", "part-0.ndjson.gz")
	if err := os.MkdirAll(filepath.Join(e.folder, "lake", filepath.Dir(earlier)), 0o700); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(filepath.Join(e.folder, "lake", earlier), []byte("of an earlier run"), 0o600); err != nil {
		t.Fatal(err)
	}

	for range 2 {
		e.script(t, "nightly.sh")
		for _, file := range []string{"manifest/dt=2026-02-08/_SUCCESS", "manifest/dt=2026-02-09/_SUCCESS", "manifest/dt=2026-02-09/manifest.json", "events/dt=2026-02-09/part-0.ndjson.gz"} {
			if _, err := os.Stat(filepath.Join(e.folder, "mounted", file)); err != nil {
				t.Error(err)
			}
		}
	}
	clitest.WantWords(t, e.terraform(t, "plan", "-detailed-exitcode"), "No changes.")

	if _, err := os.Stat(filepath.Join(e.folder, "mounted", earlier)); !os.IsNotExist(err) {
		t.Errorf("the job copied a day of an earlier run, or: %v", err)
	}
}
