// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// batchBlock returns a batch of a file beside the configuration, as text.
func batchBlock(lines ...string) string {
	return fmt.Sprintf("\nresource \"analytics_consent_batch\" \"all\" {\n  source = \"${path.module}/consents.csv\"\n  %s\n}\n", strings.Join(lines, "\n  "))
}

// newBatchCLI returns a Terraform with its own service and a file beside the configuration.
func newBatchCLI(t *testing.T, configuration, content string, configure ...func(*mockserver.Server)) (*clitest.CLI, *mocktest.Instance, *batchFile) {
	t.Helper()
	service := mocktest.Start(t, configure...)
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

func TestCLIConsentBatch_seededRepairedExtendedForgotten(t *testing.T) {
	t.Parallel()
	cli, service, f := newBatchCLI(t, batchBlock(), people(30))
	cli.Setenv("TF_LOG", "TRACE")
	first := cli.MustRun("plan", "-out=first.tfplan")
	clitest.WantWords(t, first, "+ rows = 30", "written = (known after apply)")
	chooseFor(service, 3, late) // between plan and apply
	applied := cli.MustRun("apply", "first.tfplan")
	clitest.WantWords(t, applied, "Later choices of people stand", "line 5.", "1 added")
	wantRow(t, service, 3, [5]bool{})
	cli.Setenv("TF_LOG", "")
	clitest.WantWords(t, cli.MustRun("plan", "-detailed-exitcode"), "No changes", "later choice")

	service.DeleteConsent(scope, userName(7))
	f.write(people(32))
	clitest.WantWords(t, cli.MustRun("plan", "-out=second.tfplan"), "~ rows = 30 -> 32")
	chooseFor(service, 7, late)
	second := cli.MustRun("apply", "second.tfplan")
	clitest.WantWords(t, second, "0 added, 1 changed")
	clitest.WantWords(t, cli.MustRun("state", "show", "analytics_consent_batch.all"), "written = 2", "kept = 2", "missing = 0")
	clitest.WantWords(t, cli.MustRun("plan", "-detailed-exitcode"), "No changes")
	wantNobody(t, cli, first, applied, second)

	cli.Configure(batchBlock(`format = "csv"`)) // a plan of settings, and then drift
	cli.MustRun("plan", "-out=third.tfplan")
	chooseFor(service, 9, early)
	clitest.WantWords(t, cli.MustRun("apply", "third.tfplan"), "0 added, 1 changed")
	wantRow(t, service, 9, configured)

	clitest.WantWords(t, cli.MustRun("destroy", "-auto-approve"), "The consent stays at the service", "1 destroyed")
	wantRow(t, service, 31, configured)
}

// TestCLIConsentBatch_anotherFileThanThePlannedOne replaces the file by one with as many rows
// between a saved plan and its apply, for a create and for a change.
func TestCLIConsentBatch_anotherFileThanThePlannedOne(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"", "compare_at_plan = false"} {
		cli, service, f := newBatchCLI(t, batchBlock(line), people(3))
		cli.MustRun("plan", "-out=tfplan")
		f.write(strings.ReplaceAll(people(3), "user-2@", "user-5@"))
		r := cli.Run("apply", "tfplan")
		if r.Code != 1 {
			t.Errorf("the apply ended with %d:\n%s", r.Code, r.Output)
		}

		clitest.WantWords(t, r, "Provider produced inconsistent final plan", ".digest")
		if n := service.Count(mockserver.OpUpdateConsent); n != 0 {
			t.Errorf("%d rows were written that were not planned", n)
		}

		f.write(people(3))
		cli.MustRun("apply", "-auto-approve")
		f.write(people(4))
		cli.MustRun("plan", "-out=tfplan")
		f.write(strings.ReplaceAll(people(4), "user-3@", "user-5@"))
		r = cli.Run("apply", "tfplan")
		if r.Code != 1 {
			t.Errorf("the apply ended with %d:\n%s", r.Code, r.Output)
		}

		clitest.WantWords(t, r, "Provider produced inconsistent final plan", ".digest")
		if _, known := service.Consent(scope, userName(5)); known {
			t.Error("what nobody has reviewed was written")
		}
	}
}

func TestCLIConsentBatch_writeOnlyContentIsInNoFileOrLog(t *testing.T) {
	t.Parallel()

	block := fmt.Sprintf("\nvariable \"people\" {\n  ephemeral = true\n}\n\nresource \"analytics_consent_batch\" \"all\" {\n  content_wo         = var.people\n  content_wo_version = %d\n}\n", 1)
	cli, service, f := newBatchCLI(t, block, people(3))
	cli.Needs(acctest.WriteOnlyAttributes)
	cli.Setenv("TF_VAR_people", people(3))
	cli.Setenv("TF_LOG_PROVIDER", "TRACE")
	first := cli.MustRun("apply", "-auto-approve")
	clitest.WantWords(t, first, "1 added")
	second := cli.MustRun("plan", "-detailed-exitcode")
	clitest.WantWords(t, second, "No changes")
	service.Inject(rejecting(400, 2)...)
	cli.Setenv("TF_VAR_people", strings.ReplaceAll(people(3), "true,true,false", "true,true,true"))
	third := cli.Run("apply", "-auto-approve")
	clitest.WantWords(t, third, "1 of 3 rows failed", "how many rows are missing")
	clitest.WantWords(t, cli.MustRun("state", "show", "analytics_consent_batch.all"), "missing = 1")
	fourth := cli.MustRun("apply", "-auto-approve")
	clitest.WantWords(t, fourth, "0 added, 1 changed")
	f.write("")
	wantNobody(t, cli, first, second, third, fourth)

	cli.Setenv("TF_VAR_people", people(4))
	cli.MustRun("plan", "-out=tfplan")
	service.Reset()
	cli.Setenv("TF_VAR_people", strings.ReplaceAll(people(4), "user-3@", "user-5@"))
	refused := cli.Run("apply", "tfplan")
	clitest.WantWords(t, refused, "Provider produced inconsistent final plan", ".digest")
	if n := service.Count(mockserver.OpUpdateConsent); n != 0 || refused.Code != 1 {
		t.Errorf("the apply ended with %d and wrote %d rows that were not planned", refused.Code, n)
	}

	cli.Setenv("TF_VAR_people", people(4))
	cli.MustRun("plan", "-out=tfplan")
	cli.MustRun("apply", "tfplan")
	wantRow(t, service, 3, configured)
}

func TestCLIConsentBatch_interruptedApplyGoesOn(t *testing.T) {
	t.Parallel()
	const many = 1000
	under := make(chan struct{})
	var updates atomic.Int32
	cli, service, _ := newBatchCLI(t, batchBlock("compare_at_plan = false"), people(many), func(s *mockserver.Server) {
		s.OnRequest = func(r mockserver.Request) {
			if r.Operation == mockserver.OpUpdateConsent && updates.Add(1) == 50 {
				close(under)
			}
		}
	})

	cli.Setenv("ANALYTICS_REQUESTS_PER_SECOND", "300")
	r := cli.RunInterrupted(clitest.GroupInterrupt, "Creating...", under, "apply", "-auto-approve")
	clitest.WantWords(t, r, "Interrupted before all rows were done", "In state now: nothing", "the rows that were written stay at the service")
	done := int(updates.Load())
	cli.Setenv("ANALYTICS_REQUESTS_PER_SECOND", "10000")
	clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), "1 added")
	if n := service.Count(mockserver.OpUpdateConsent); done >= many || n < many || n > many+16 {
		t.Errorf("%d updates, %d of them before the interrupt", n, done)
	}

	clitest.WantWords(t, cli.MustRun("plan", "-detailed-exitcode"), "No changes")
}
