// SPDX-License-Identifier: MPL-2.0

package examples_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
)

// TestCLINightlyLake_marksCompleteDays runs the guide's job twice: each day is in the lake with
// its marker, and the second run changes nothing. A day that an earlier run has left in the
// job's own folder is not copied again, since the lake may have been purged of a person since.
func TestCLINightlyLake_marksCompleteDays(t *testing.T) {
	t.Parallel()
	e := open(t, "guides/nightly-lake")
	acctest.PreCheck(e.t, acctest.Functions)
	e.Setenv("LAKE", "mounted")

	const earlier = "events/dt=2026-01-01/part-0.ndjson.gz"
	e.must(os.MkdirAll(filepath.Join(e.Dir, "lake", filepath.Dir(earlier)), 0o700))
	e.must(os.WriteFile(filepath.Join(e.Dir, "lake", earlier), []byte("of an earlier run"), 0o600))
	for range 2 {
		e.script("nightly.sh", "jq", "flock")
		for _, file := range []string{"manifest/dt=2026-02-08/_SUCCESS", "manifest/dt=2026-02-09/_SUCCESS", "manifest/dt=2026-02-09/manifest.json", "events/dt=2026-02-09/part-0.ndjson.gz"} {
			if _, err := os.Stat(filepath.Join(e.Dir, "mounted", file)); err != nil {
				t.Error(err)
			}
		}
	}
	clitest.WantWords(t, e.MustRun("plan", "-detailed-exitcode"), "No changes.")

	if _, err := os.Stat(filepath.Join(e.Dir, "mounted", earlier)); !os.IsNotExist(err) {
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
			e.skipUnknown()
			e.useMirror()
			commands := startsService.FindStringSubmatch(readPage(t, "docs/guides/"+page+".md"))
			if commands == nil {
				t.Fatal("the page starts no service")
			}

			output, err := e.shell(e.Dir, "-euc", task.before+commands[1]+task.then)
			if err != nil {
				t.Errorf("%v:\n%s", err, output)
			}
			for _, said := range task.says {
				if !strings.Contains(output, said) {
					t.Errorf("%q is not shown:\n%s", said, output)
				}
			}
			e.wantNone("")
		})
	}
}

// TestCLIModules_consentTeamPassesItsOwnTests runs `terraform test`, which mocks the provider
// in one file and reaches the mock server in another.
func TestCLIModules_consentTeamPassesItsOwnTests(t *testing.T) {
	t.Parallel()
	e := open(t, "modules/consent-team")
	acctest.PreCheck(e.t, acctest.MockProviders)
	e.MustRun("test")
	if len(e.service.Requests()) == 0 {
		t.Error("nothing reached the service")
	}
}

// TestCLIModules_testScriptNeedsTheProviderOnly runs the script of the guide about tests in the
// module, with a CLI that finds the provider as it would in a registry, and with a clause less than the tests want.
// The service that the environment names is not reached.
func TestCLIModules_testScriptNeedsTheProviderOnly(t *testing.T) {
	t.Parallel()
	for clause, errs := range map[string]bool{"clause_2_consent = true ": false, "clause_2_consent = false": true} {
		t.Run(clause, func(t *testing.T) {
			t.Parallel()
			e := open(t, "modules/early-access")
			acctest.PreCheck(e.t, acctest.Tests)
			e.useMirror()
			e.Write("main.tf", strings.Replace(e.ReadFile("main.tf"), "clause_2_consent = true ", clause, 1))
			output, err := e.shell(e.Dir, "test.sh")
			if said := strings.Contains(output, "The service must hold consent to feature usage"); said != errs || errs != (err != nil) {
				t.Errorf("the script ended with %v:\n%s", err, output)
			}
			if log := e.ReadFile("requests.log"); strings.Count(log, " updateConsent PATCH ") != 2 {
				t.Errorf("consent was not recorded and withdrawn:\n%s", log)
			}
			e.wantNone("")
		})
	}
}

// TestCLIBringPeople_queryWritesTheConfigurationShown runs the guide's query, and compares
// the configuration that Terraform writes with the one in the guide, which
// TestCLIExamples_applyOnce applies.
func TestCLIBringPeople_queryWritesTheConfigurationShown(t *testing.T) {
	t.Parallel()
	e := open(t, "guides/bring-existing-people/query")
	acctest.PreCheck(e.t, acctest.Lists)
	e.remove("people.tf")
	e.MustRun("query", "-generate-config-out=people.tf")
	e.wantAsShown("people.tf")

	clitest.WantWords(t, e.MustRun("plan"), "2 to import, 0 to add, 0 to change, 0 to destroy.")
	clitest.WantWords(t, e.MustRun("apply", "-auto-approve"), "2 imported, 0 added, 0 changed, 0 destroyed.")
	e.remove("people.tfquery.hcl")
	clitest.WantWords(t, e.MustRun("plan"), "No changes.")
	e.wantNone(mockserver.OpUpdateConsent)
}

// TestCLIBringPeople_rowsOfAQueryAreInPlace runs the guide's commands that turn the output
// of a query into rows, and applies them: nothing is written.
func TestCLIBringPeople_rowsOfAQueryAreInPlace(t *testing.T) {
	t.Parallel()
	e := open(t, "guides/bring-existing-people/batch")
	acctest.PreCheck(e.t, acctest.Lists)
	e.remove("people.ndjson")
	e.script("query-to-rows.sh", "jq")
	e.wantAsShown("people.ndjson")
	if info, err := os.Stat(filepath.Join(e.Dir, "query.ndjson")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the output of the query is readable by others: %v (%v)", info, err)
	}

	clitest.WantWords(t, e.MustRun("plan"), "+ rows = 2")
	e.MustRun("apply", "-auto-approve")
	e.wantNone(mockserver.OpUpdateConsent)
}

// wantAsShown fails the test unless a file of the folder is the same as the one of the repository.
func (e *example) wantAsShown(name string) {
	e.t.Helper()
	shown := readPage(e.t, "examples/"+e.name+"/"+name)
	if diff := cmp.Diff(strings.TrimSpace(shown), strings.TrimSpace(e.ReadFile(name))); diff != "" {
		e.t.Errorf("%s is another (-shown +made):\n%s", name, diff)
	}
}

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
