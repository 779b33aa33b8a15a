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
	clitest.WantWords(t, first, "To write: 30 of 30 rows", "+ rows = 30", "to_write = (known after apply)")
	chooseFor(service, 3, late) // between plan and apply
	applied := cli.MustRun("apply", "first.tfplan")
	clitest.WantWords(t, applied, "To write: 29 of 30 rows", "later choice of the person: 1.", "line 5.", "1 added")
	wantRow(t, service, 3, [5]bool{})
	cli.Setenv("TF_LOG", "")
	clitest.WantWords(t, cli.MustRun("plan", "-detailed-exitcode"), "No changes", "later choice")

	service.DeleteConsent(scope, userName(7))
	f.write(people(32))
	clitest.WantWords(t, cli.MustRun("plan", "-out=second.tfplan"), "To write: 3 of 32 rows", "~ rows = 30 -> 32")
	chooseFor(service, 7, late)
	second := cli.MustRun("apply", "second.tfplan")
	clitest.WantWords(t, second, "To write: 2 of 32 rows", "0 added, 1 changed")
	clitest.WantWords(t, cli.MustRun("state", "show", "analytics_consent_batch.all"), "written = 2", "kept = 2", "missing = 0")
	clitest.WantWords(t, cli.MustRun("plan", "-detailed-exitcode"), "No changes")
	wantNobody(t, cli, first, applied, second)

	cli.Configure(batchBlock("timeouts {\n    update = \"5m\"\n  }")) // a plan of settings, and then drift
	cli.MustRun("plan", "-out=third.tfplan")
	service.DeleteConsent(scope, userName(9))
	clitest.WantWords(t, cli.MustRun("apply", "third.tfplan"), "To write: 1 of 32 rows", "0 added, 1 changed")
	wantRow(t, service, 9, configured)

	clitest.WantWords(t, cli.MustRun("destroy", "-auto-approve"), "The consent stays at the service", "1 destroyed")
	wantRow(t, service, 31, configured)
}

func TestCLIConsentBatch_planReportsWrongRows(t *testing.T) {
	t.Parallel()
	cli, service, _ := newBatchCLI(t, batchBlock(), people(3)+"jane.canary@example.com,yes,true,true,true,,then\n"+rowOf(1, early))
	r := cli.Run("plan")
	if r.Code != 1 {
		t.Errorf("the plan ended with %d", r.Code)
	}
	clitest.WantWords(t, r, "Unusable rows", "line 5: clause_1_consent has to be true or false", "line 5: agreement_time must be an RFC 3339 time",
		"line 5: clause_5_consent is missing", "line 6: identity_id is the same as in line 3")
	if strings.Contains(r.Output, "canary") {
		t.Error("a person is in the error")
	}
	wantRequests(t, service, 0, 0)
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

		clitest.WantWords(t, r, "This plan is for the file as it is now", "nothing is written: plan again then", ".digest")
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

		clitest.WantWords(t, r, "nothing is written: plan again then")
		if _, known := service.Consent(scope, userName(5)); known {
			t.Error("what nobody has reviewed was written")
		}
	}
}

func TestCLIConsentBatch_failedCreateIsNotTainted(t *testing.T) {
	t.Parallel()
	cli, service, f := newBatchCLI(t, batchBlock(`on_destroy = "withdraw"`), people(5))
	service.Inject(rejecting(400, 2)...)
	clitest.WantWords(t, cli.Run("apply", "-auto-approve"), "1 of 5 rows failed", "line 4", "In state now: nothing")
	r := cli.MustRun("apply", "-auto-approve")
	clitest.WantWords(t, r, "To write: 1 of 5 rows", "1 added, 0 changed, 0 destroyed")
	if n := service.Count(mockserver.OpUpdateConsent); n != 6 {
		t.Errorf("%d updates", n)
	}

	f.write(people(6))
	if r := cli.Run("destroy", "-auto-approve"); r.Code != 1 {
		t.Errorf("the destroy ended with %d:\n%s", r.Code, r.Output)
	}

	wantRow(t, service, 0, configured)
	f.write(people(5))
	clitest.WantWords(t, cli.MustRun("destroy", "-auto-approve"), "1 destroyed")
	wantRow(t, service, 0, [5]bool{})
}

func TestCLIConsentBatch_writeOnlyContentIsInNoFileOrLog(t *testing.T) {
	t.Parallel()

	block := fmt.Sprintf("\nvariable \"people\" {\n  ephemeral = true\n}\n\nresource \"analytics_consent_batch\" \"all\" {\n  content_wo         = var.people\n  content_wo_version = %d\n}\n", 1)
	cli, service, f := newBatchCLI(t, block, people(3))
	cli.Needs(acctest.WriteOnlyAttributes)
	cli.Setenv("TF_VAR_people", people(3))
	cli.Setenv("TF_LOG_PROVIDER", "TRACE")
	first := cli.MustRun("apply", "-auto-approve")
	clitest.WantWords(t, first, "1 added", "To write: 3 of 3 rows")
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
}

func TestCLIConsentBatch_waitsForUnknownValues(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	cli := clitest.New(t, fmt.Sprintf(`
resource "terraform_data" "known_later" {
  input = { key = %q, source = "consents.csv" }
}

provider "analytics" {
  base_url       = %q
  api_secret_key = terraform_data.known_later.output.key
  org_id         = "org-demo"
  project_id     = "web"
}

resource "analytics_consent_batch" "later" {
  source = terraform_data.known_later.output.source
}

resource "analytics_consent_batch" "now" {
  source = "now.csv"
}
`, service.SecretKey, service.URL), nil)

	(&batchFile{t, filepath.Join(cli.Dir, "consents.csv")}).write(people(3))
	(&batchFile{t, filepath.Join(cli.Dir, "now.csv")}).write(batchHeader + rowOf(7, middle))
	r := cli.MustRun("plan", "-out=tfplan")
	clitest.WantWords(t, r, "rows = (known after apply)", "rows = 1")
	wantRequests(t, service, 0, 0)
	clitest.WantWords(t, cli.MustRun("apply", "tfplan"), "3 added")
	wantRow(t, service, 2, configured)
	wantRow(t, service, 7, configured)
	clitest.WantWords(t, cli.MustRun("plan", "-detailed-exitcode"), "No changes")
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
	r := cli.RunInterrupted(clitest.Interrupts()["SIGINT to the group"], "Creating...", under, "apply", "-auto-approve")
	clitest.WantWords(t, r, "Interrupted before all rows were done", "In state now: nothing", "the rows that were written stay at the service")
	done := int(updates.Load())
	cli.Setenv("ANALYTICS_REQUESTS_PER_SECOND", "10000")
	clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), "1 added")
	if n := service.Count(mockserver.OpUpdateConsent); done >= many || n < many || n > many+16 {
		t.Errorf("%d updates, %d of them before the interrupt", n, done)
	}

	clitest.WantWords(t, cli.MustRun("plan", "-detailed-exitcode"), "No changes")
}
