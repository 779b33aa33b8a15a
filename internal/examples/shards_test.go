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
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/oasdiff/yaml"
	"github.com/zclconf/go-cty/cty/gocty"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/terraformcli"
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

	provider, err := acctest.ProviderProgram()
	if err != nil {
		t.Fatal(err)
	}
	mirror, repository := t.TempDir(), t.TempDir()
	settings, unit := filepath.Join(mirror, "terraform.rc"), filepath.Join(repository, "units", "shard", "terragrunt.hcl")
	err = errors.Join(
		terraformcli.Mirror(mirror, terraformcli.Source, provider),
		os.WriteFile(settings, terraformcli.MirrorConfig(mirror), 0o600),
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
	cmd.Env = slices.Concat(terraform.Env, []string{"TF_CLI_CONFIG_FILE=" + settings, "TG_TF_PATH=" + terraform.Path})
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

// parsed decodes a file of YAML.
func parsed[T any](t *testing.T, name string) (value T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "examples", shardsFolder, name))
	if err == nil {
		_, err = yaml.Unmarshal(text, &value, yaml.DecodeOpts{})
	}
	if err != nil {
		t.Fatal(err)
	}

	return value
}

func TestShards_workflowHasEachShard(t *testing.T) {
	t.Parallel()
	workflow := parsed[struct {
		Jobs struct {
			Apply struct {
				Strategy struct {
					FailFast    *bool `json:"fail-fast"`
					MaxParallel int   `json:"max-parallel"`
					Matrix      struct{ Shard []int }
				}
				Steps []struct{ Run string }
			}
		}
	}](t, "github-workflow.yml")

	strategy := workflow.Jobs.Apply.Strategy
	for i, shard := range strategy.Matrix.Shard {
		if shard != i {
			t.Errorf("shard %d is at %d", shard, i)
		}
	}
	if strategy.FailFast == nil || *strategy.FailFast {
		t.Error("a failed shard ends the others")
	}

	steps := workflow.Jobs.Apply.Steps
	want := fmt.Sprintf("./apply-shard.sh ${{ matrix.shard }} %d %d", len(strategy.Matrix.Shard), strategy.MaxParallel)
	if last := steps[len(steps)-1].Run; last != want {
		t.Errorf("the last step is %q, want %q", last, want)
	}
}

func TestShards_jobHasEachShard(t *testing.T) {
	t.Parallel()
	job := parsed[struct {
		Spec struct {
			CompletionMode           string
			Completions, Parallelism int
			Template                 struct {
				Spec struct {
					RestartPolicy string
					Containers    []struct{ Args []string }
				}
			}
		}
	}](t, "kubernetes-job.yaml")

	if mode, policy := job.Spec.CompletionMode, job.Spec.Template.Spec.RestartPolicy; mode != "Indexed" || policy != "Never" {
		t.Errorf("the mode is %s, and pods restart %s", mode, policy)
	}

	want := fmt.Sprintf(`./apply-shard.sh "$JOB_COMPLETION_INDEX" %d %d`, job.Spec.Completions, job.Spec.Parallelism)
	if script := job.Spec.Template.Spec.Containers[0].Args[0]; !strings.Contains(script, want) {
		t.Errorf("the script is %q, want %q in it", script, want)
	}
}

func TestShards_stackHasEachShard(t *testing.T) {
	t.Parallel()
	stack := parsedHCL(t, "terragrunt/live/terragrunt.stack.hcl")
	content, diags := stack.Content(&hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{{Type: "unit", LabelNames: []string{"name"}}}})
	if diags.HasErrors() {
		t.Fatal(diags)
	}

	for i, unit := range content.Blocks {
		attributes, diags := unit.Body.JustAttributes()
		if diags.HasErrors() {
			t.Fatal(diags)
		}

		value, diags := attributes["values"].Expr.Value(nil)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		var values struct {
			Shard  int `cty:"shard"`
			Shards int `cty:"shards"`
		}
		if err := gocty.FromCtyValue(value, &values); err != nil || values.Shard != i || values.Shards != len(content.Blocks) {
			t.Errorf("unit %d has %+v, %v", i, values, err)
		}
	}
}

// parsedHCL parses a file that no CLI of the tests reads.
func parsedHCL(t *testing.T, name string) hcl.Body {
	t.Helper()
	file, diags := hclparse.NewParser().ParseHCLFile(filepath.Join(root, "examples", shardsFolder, name))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return file.Body
}

func TestShards_filesOfOtherProgramsAreHCL(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"hcp-terraform.hcl", "terragrunt/units/shard/terragrunt.hcl"} {
		parsedHCL(t, name)
	}
}
