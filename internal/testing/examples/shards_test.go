// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// shardsFolder holds the files of the guide about several machines.
const shardsFolder = "guides/when-one-machine-is-not-enough"

// TestCLIShards_scriptAppliesEachRowOnce runs the script of the guide for all shards at
// once, each in a folder of its own, as the jobs of a pipeline do.
func TestCLIShards_scriptAppliesEachRowOnce(t *testing.T) {
	t.Parallel()
	e := open(t, shardsFolder)
	const jobs = `for i in 0 1 2 3; do (cp -r . "$JOBS/$i" && cd "$JOBS/$i" && sh apply-shard.sh $i 4 2) & done; wait`
	folder := t.TempDir()
	e.Setenv("JOBS", folder)
	output, err := e.shell(e.Dir, "-c", jobs)
	e.must(err)

	for index := range 4 {
		job := fmt.Sprint(index)
		if _, err := os.Stat(filepath.Join(folder, job, "terraform.tfstate.d", "shard-"+job, "terraform.tfstate")); err != nil {
			t.Errorf("shard %d has no state of its own: %v\n%s", index, err, output)
		}
	}
	e.wantEachRowOnce()
}

// s3State matches the state of the guide's units, which a test keeps on its own machine.
var s3State = regexp.MustCompile(`(?s)backend  = "s3"(.*)config = \{.*?\n  \}`)

// TestCLIShards_terragruntAppliesEachRowOnce runs the stack of the guide, in the layout that the
// guide describes, if there is a Terragrunt. Its CLI installs the provider from a mirror.
func TestCLIShards_terragruntAppliesEachRowOnce(t *testing.T) {
	t.Parallel()
	e := open(t, shardsFolder)
	if _, err := exec.LookPath("terragrunt"); err != nil {
		t.Skip("terragrunt is not on PATH")
	}

	repository := t.TempDir()
	e.must(os.CopyFS(repository, os.DirFS(filepath.Join(e.Dir, "terragrunt"))))
	e.must(os.CopyFS(filepath.Join(repository, "consent"), os.DirFS(e.Dir)))
	e.must(exec.CommandContext(t.Context(), "git", "init", "--quiet", repository).Run())

	unit := filepath.Join(repository, "units", "shard", "terragrunt.hcl")
	text, err := os.ReadFile(unit)
	e.must(err)
	text = s3State.ReplaceAll(text, []byte(`backend = "local"${1}config = { path = "$${get_repo_root()}/shard-$${values.shard}.tfstate" }`))
	e.must(os.WriteFile(unit, text, 0o600))

	e.useMirror()
	e.Setenv("TG_TF_PATH", e.Command(t.Context()).Path)
	stack := "exec terragrunt stack run apply --parallelism 4 --non-interactive"
	if out, err := e.shell(filepath.Join(repository, "live"), "-c", stack); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	e.wantEachRowOnce()
}

// wantEachRowOnce fails the test unless the service has received each row of the guide once.
func (e *example) wantEachRowOnce() {
	e.t.Helper()
	written := map[string]int{}
	for _, r := range e.service.Requests() {
		if r.Operation == mockserver.OpUpdateConsent && r.Committed {
			written[r.Identity]++
		}
	}

	want := map[string]int{"user-1001": 1, "user-1002": 1, "user-1003": 1, "user-1004": 1, "user-1005": 1}
	if diff := cmp.Diff(want, written); diff != "" {
		e.t.Errorf("the updates of each person (-want +got):\n%s", diff)
	}
}
