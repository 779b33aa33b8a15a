// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/oasdiff/yaml"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

// shardsFolder holds the files of the guide about several machines.
const shardsFolder = "guides/when-one-machine-is-not-enough"

// TestCLIShards_scriptAppliesEachRowOnce runs the script of the guide for all shards at
// once, each in a folder of its own, as the jobs of a pipeline do.
func TestCLIShards_scriptAppliesEachRowOnce(t *testing.T) {
	t.Parallel()
	e := open(t, shardsFolder)

	environment := slices.Concat(e.Command(t.Context()).Env, []string{pathWithCLI(t)})
	var jobs sync.WaitGroup
	for index := range 4 {
		folder := t.TempDir()
		if err := os.CopyFS(folder, os.DirFS(e.folder)); err != nil {
			t.Fatal(err)
		}

		cmd := exec.CommandContext(t.Context(), "sh", "apply-shard.sh", fmt.Sprint(index), "4", "2")
		cmd.Dir = folder
		cmd.Env = environment
		jobs.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("shard %d: %v\n%s", index, err, out)
			}
			state := filepath.Join(folder, "terraform.tfstate.d", fmt.Sprintf("shard-%d", index), "terraform.tfstate")
			if _, err := os.Stat(state); err != nil {
				t.Errorf("shard %d has no state of its own: %v", index, err)
			}
		})
	}
	jobs.Wait()

	e.wantEachRowOnce(t)
}

// s3State matches the state of the guide's units, which a test keeps on its own machine.
var s3State = regexp.MustCompile(`(?s)backend  = "s3"(.*)config = \{.*?\n  \}`)

// TestCLIShards_terragruntAppliesEachRowOnce runs the stack of the guide, in the layout that the
// guide describes, if there is a Terragrunt. Its CLI installs the provider from a mirror.
func TestCLIShards_terragruntAppliesEachRowOnce(t *testing.T) {
	t.Parallel()
	e := open(t, shardsFolder)
	terragrunt, err := exec.LookPath("terragrunt")
	if err != nil {
		t.Skip("terragrunt is not on PATH")
	}

	repository := t.TempDir()
	unit := filepath.Join(repository, "units", "shard", "terragrunt.hcl")
	err = errors.Join(
		os.CopyFS(repository, os.DirFS(filepath.Join(e.folder, "terragrunt"))),
		os.CopyFS(filepath.Join(repository, "consent"), os.DirFS(e.folder)),
		exec.CommandContext(t.Context(), "git", "init", "--quiet", repository).Run(),
	)
	if err != nil {
		t.Fatal(err)
	}

	text, err := os.ReadFile(unit)
	if err != nil {
		t.Fatal(err)
	}
	text = s3State.ReplaceAll(text, []byte(`backend = "local"${1}config = { path = "$${get_repo_root()}/shard-$${values.shard}.tfstate" }`))
	if err := os.WriteFile(unit, text, 0o600); err != nil {
		t.Fatal(err)
	}

	terraform := e.Command(t.Context(), "version")
	cmd := exec.CommandContext(t.Context(), terragrunt, "stack", "run", "apply", "--parallelism", "4", "--non-interactive")
	cmd.Dir = filepath.Join(repository, "live")
	cmd.Env = slices.Concat(terraform.Env, registryAlone(t), []string{"TG_TF_PATH=" + terraform.Path})
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	e.wantEachRowOnce(t)
}

// wantEachRowOnce fails the test unless the service has received each row of the guide once.
func (e *example) wantEachRowOnce(t *testing.T) {
	t.Helper()
	written := map[string]int{}
	for _, r := range e.service.Requests() {
		if r.Operation == mockserver.OpUpdateConsent && r.Committed {
			written[r.Identity]++
		}
	}

	want := map[string]int{"user-1001": 1, "user-1002": 1, "user-1003": 1, "user-1004": 1, "user-1005": 1}
	if diff := cmp.Diff(want, written); diff != "" {
		t.Errorf("the updates of each person (-want +got):\n%s", diff)
	}
}

// TestShards_filesStartEveryShard reads the files of the guide that belong to programs which no test
// runs: each is what that program parses, and starts the shards 0 to n-1 of n.
func TestShards_filesStartEveryShard(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"github-workflow.yml":                   {"fail-fast: false", "max-parallel: 4\n", "shard: [0, 1, 2, 3, 4, 5, 6, 7]\n", "run: ./apply-shard.sh ${{ matrix.shard }} 8 4\n"},
		"kubernetes-job.yaml":                   {"completionMode: Indexed\n", "completions: 8\n", "parallelism: 4\n", "restartPolicy: Never\n", "exec ./apply-shard.sh \"$JOB_COMPLETION_INDEX\" 8 4\n"},
		"terragrunt/live/terragrunt.stack.hcl":  {"shard = 0, shards = 4 }", "shard = 1, shards = 4 }", "shard = 2, shards = 4 }", "shard = 3, shards = 4 }"},
		"terragrunt/units/shard/terragrunt.hcl": {"shard   = values.shard\n", "shards  = values.shards\n"},
		"hcp-terraform.hcl":                     {"value        = count.index\n", "value        = var.shards\n"},
	} {
		text := readPage(t, filepath.Join("examples", shardsFolder, name))
		if filepath.Ext(name) == ".hcl" {
			if _, diags := hclparse.NewParser().ParseHCL([]byte(text), name); diags.HasErrors() {
				t.Error(diags)
			}
		} else if _, err := yaml.Unmarshal([]byte(text), new(any), yaml.DecodeOpts{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}

		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s does not have %q", name, part)
			}
		}
	}
}
