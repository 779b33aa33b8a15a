// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
)

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
