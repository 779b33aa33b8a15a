// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

const address = "analytics_consent_batch.all"

// TestAccConsentBatchResource_basic begins with a create of which one row fails. The next apply
// destroys nothing, and writes what is missing.
func TestAccConsentBatchResource_basic(t *testing.T) {
	acctest.PreCheck(t)
	service, f := mocktest.Start(t), newFile(t, people(3))
	service.Inject(rejecting(400, 2)...)
	config := acctest.Block(service) + fmt.Sprintf("\nresource \"analytics_consent_batch\" \"all\" {\n  source = %q\n}\n", f.path)
	exactly := func(name string, n int64) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(address, tfjsonpath.New(name), knownvalue.Int64Exact(n))
	}

	resource.ParallelTest(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories(), Steps: []resource.TestStep{
		{Config: config, ExpectError: acctest.Message("1 of 3 rows were not written", "line 4", "In state now: nothing")},
		{
			Config: config,
			ConfigPlanChecks: acctest.Planned(
				plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate),
				plancheck.ExpectKnownValue(address, tfjsonpath.New("rows"), knownvalue.Int64Exact(3)),
				plancheck.ExpectUnknownValue(address, tfjsonpath.New("written")),
			),
			ConfigStateChecks: []statecheck.StateCheck{
				exactly("rows", 3), exactly("kept", 0), exactly("written", 1), exactly("missing", 0),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("source"), knownvalue.StringExact(f.path)),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("digest"), knownvalue.NotNull()),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("keep_later_choice"), knownvalue.Bool(true)),
				statecheck.ExpectKnownValue(address, tfjsonpath.New("on_destroy"), knownvalue.StringExact("retain")),
			},
		},
	}})

	want := map[string]int{userName(0): 1, userName(1): 1, userName(2): 1}
	if diff := cmp.Diff(want, written(service)); diff != "" {
		t.Errorf("updates by person (-want +got):\n%s", diff)
	}
}

const writeOnlyBlock = `
variable "people" {
  type      = string
  ephemeral = true
}

resource "analytics_consent_batch" "all" {
  content_wo         = var.people
  content_wo_version = 1
}
`

// batchBlock returns a batch of a file beside the configuration, as text.
func batchBlock(lines ...string) string {
	return fmt.Sprintf("\nresource \"analytics_consent_batch\" \"all\" {\n  source = \"${path.module}/consents.csv\"\n  %s\n}\n", strings.Join(lines, "\n  "))
}

// newBatchCLI returns a Terraform with its own service and a file beside the configuration.
func newBatchCLI(t *testing.T, configuration, content string) (*clitest.CLI, *mocktest.Instance, *batchFile) {
	t.Helper()
	service := mocktest.Start(t)
	cli := clitest.New(t, configuration, service.Environment())
	f := &batchFile{t, filepath.Join(cli.Dir, "consents.csv")}
	f.write(content)
	return cli, service, f
}

// wantNobody fails the test if state or an output names a person of the rows.
func wantNobody(t *testing.T, cli *clitest.CLI, outputs ...clitest.Result) {
	t.Helper()
	shown := cli.ReadFile("terraform.tfstate")
	for _, r := range outputs {
		shown += r.Output
	}

	if strings.Contains(shown, "@example.com") || strings.Contains(shown, "2001:db8") {
		t.Error("a person is in state or in an output")
	}
}

// TestCLIConsentBatch_savedPlans changes what the service holds, and then the file, between saved
// plans and their applies. Terraform itself refuses an apply of other rows.
func TestCLIConsentBatch_savedPlans(t *testing.T) {
	t.Parallel()
	cli, service, f := newBatchCLI(t, batchBlock(), people(30))
	cli.Setenv("TF_LOG", "TRACE")
	first := cli.MustRun("plan", "-out=tfplan")
	clitest.WantWords(t, first, "+ rows = 30", "written = (known after apply)")
	chooseFor(service, 3, late)
	applied := cli.MustRun("apply", "tfplan")
	clitest.WantWords(t, applied, "Later choices of people stand", "line 5.", "1 added")
	wantRow(t, service, 3, [5]bool{})
	cli.Setenv("TF_LOG", "")
	clitest.WantWords(t, cli.MustRun("plan", "-detailed-exitcode"), "No changes", "later choice")

	wantNobody(t, cli, first, applied)
	cli.Configure(batchBlock(`format = "csv"`)) // a plan of settings, and then drift
	cli.MustRun("plan", "-out=tfplan")
	chooseFor(service, 9, early)
	clitest.WantWords(t, cli.MustRun("apply", "tfplan"), "0 added, 1 changed")
	wantRow(t, service, 9, configured)

	f.write(people(33))
	cli.MustRun("plan", "-out=tfplan")
	f.write(strings.ReplaceAll(people(33), "user-32@", "user-42@"))
	service.Reset()
	r := cli.Run("apply", "tfplan")
	clitest.WantWords(t, r, "Provider produced inconsistent final plan", ".digest")
	if sent := service.Count(mockserver.OpUpdateConsent); r.Code != 1 || sent != 0 {
		t.Errorf("the apply ended with %d and wrote %d rows that were not planned:\n%s", r.Code, sent, r.Output)
	}

	// An apply gets the configuration with what ignore_changes hides from the plan.
	f.write(people(33))
	ignoring := batchBlock("lifecycle {\n    ignore_changes = [source]\n  }")
	cli.Configure(strings.Replace(ignoring, "consents.csv", "others.csv", 1))
	clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), "0 added, 1 changed")
	wantRow(t, service, 32, configured)
	clitest.WantWords(t, cli.MustRun("destroy", "-auto-approve"), "The consent stays at the service", "1 destroyed")
	wantRow(t, service, 32, configured)
}

func TestCLIConsentBatch_writeOnlyContentIsInNoFileOrLog(t *testing.T) {
	t.Parallel()
	cli, service, _ := newBatchCLI(t, writeOnlyBlock, "")
	acctest.PreCheck(t, acctest.WriteOnlyAttributes)
	cli.Setenv("TF_VAR_people", people(3))
	cli.Setenv("TF_LOG_PROVIDER", "TRACE")
	first := cli.MustRun("apply", "-auto-approve")
	clitest.WantWords(t, first, "1 added")
	second := cli.MustRun("plan", "-detailed-exitcode")
	clitest.WantWords(t, second, "No changes")
	service.Inject(rejecting(400, 2)...)
	cli.Setenv("TF_VAR_people", strings.ReplaceAll(people(4), "true,true,false", "true,true,true"))
	third := cli.MustRun("plan", "-out=tfplan")
	fourth := cli.Run("apply", "tfplan")
	clitest.WantWords(t, fourth, "1 of 4 rows were not written", "how many rows are missing")
	wantNobody(t, cli, first, second, third, fourth)
	wantRow(t, service, 3, [5]bool{true, true, true, true, true})
}

// TestConsentBatch_reportIsWorkedOnAsTheGuideShows runs the commands of the guide.
func TestConsentBatch_reportIsWorkedOnAsTheGuideShows(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"sh", "jq", "sed", "uniq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not on PATH", program)
		}
	}

	p, service := start(t)
	f := newFile(t, people(5))
	folder := filepath.Dir(f.path)
	service.Inject(rejecting(422, 1, 3)...)
	_, diags := p.Update(batchName, nil, f.config(uncompared.With(prototest.Attributes{"report_path": filepath.Join(folder, "consents-report.ndjson")})))
	prototest.WantText(t, diags.Errors(), "2 of 5 rows were not written")

	script, err := filepath.Abs("../../examples/guides/seeding-thousands/work-on-report.sh")
	if err != nil {
		t.Fatal(err)
	}

	cmd := exec.CommandContext(t.Context(), "sh", "-eu", script)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Join(strings.Fields(string(out)), " ") != "2 The service rejected the request 422 no such thing as [redacted]" {
		t.Errorf("the commands say %q (%v)", out, err)
	}

	missing, err := os.ReadFile(filepath.Join(folder, "missing.csv"))
	if want := batchHeader + rowOf(1, middle) + rowOf(3, middle); err != nil || string(missing) != want {
		t.Errorf("the missing rows are %q (%v), want %q", missing, err, want)
	}
}
