package provider_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

func consentBlock(identity string) string {
	return fmt.Sprintf(`
resource "analytics_consent" %q {
  identity_id      = %q
  clause_1_consent = true
  clause_2_consent = true
  clause_3_consent = true
  clause_4_consent = true
  clause_5_consent = true
}
`, identity, identity)
}

// loggedIn is the environment of a provider that uses the service's secret key.
func loggedIn(service *mocktest.Instance) map[string]string {
	return map[string]string{
		"ANALYTICS_BASE_URL": service.URL, "ANALYTICS_API_SECRET_KEY": service.SecretKey,
		"ANALYTICS_ORG_ID": acctest.Org, "ANALYTICS_PROJECT_ID": acctest.Project,
	}
}

func TestCredentialsThatContradictEachOtherAreShownAtTheirAttribute(t *testing.T) {
	t.Parallel()
	for words, block := range map[string]string{
		"excludes the other credentials": `base_url = "https://h.example.com"
  email = "a@example.com"
  password = "canary"
  api_secret_key = "canary"`,
		"missing beside email": `base_url = "https://h.example.com"
  email = "a@example.com"`,
		"is blank": `base_url = "https://h.example.com"
  token = "  "`,
	} {
		cli := acctest.NewCLI(t, "provider \"analytics\" {\n  "+block+"\n}\n"+consentBlock("user-1001"), nil)
		r := cli.Run("plan")
		if r.Code != 1 || !strings.Contains(r.Words(), words) || !strings.Contains(r.Output, "with provider[") {
			t.Errorf("%q is not shown:\n%s", words, r.Output)
		}
	}
}

func TestASecretRotatedBetweenPlanAndApplyWorks(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	environment := loggedIn(service)
	cli := acctest.NewCLI(t, consentBlock("user-1001"), environment)
	cli.MustRun("plan", "-out=tfplan")
	service.RevokeSecretKey(service.SecretKey)
	service.AddSecretKey("rotated")
	cli.Setenv("ANALYTICS_API_SECRET_KEY", "rotated")
	cli.MustRun("apply", "tfplan")
	if n := service.Count(mockserver.OpUpdateConsent); n != 1 {
		t.Errorf("%d writes", n)
	}
}

// watched collects an output and says when words are in it.
type watched struct {
	strings.Builder
	words string
	seen  chan struct{}
}

func (w *watched) Write(p []byte) (int, error) {
	before := strings.Contains(w.String(), w.words)
	n, err := w.Builder.Write(p)
	if !before && strings.Contains(w.String(), w.words) {
		close(w.seen)
	}
	return n, err
}

// TestAnInterruptSavesWhatIsDone interrupts an apply of which one object is done and
// another waits for an answer that never comes.
func TestAnInterruptSavesWhatIsDone(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]struct {
		signal  syscall.Signal
		toGroup bool
	}{
		"SIGINT to Terraform":  {syscall.SIGINT, false},
		"SIGINT to the group":  {syscall.SIGINT, true},
		"SIGTERM to Terraform": {syscall.SIGTERM, false},
		"SIGTERM to the group": {syscall.SIGTERM, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hanging := make(chan struct{})
			service := mocktest.Start(t, func(s *mockserver.Server) {
				s.FaultFor = func(r mockserver.Request) *mockserver.Fault {
					if r.Identity != "hanging" || r.Operation != mockserver.OpUpdateConsent {
						return nil
					}
					close(hanging)
					return &mockserver.Fault{Hang: true}
				}
			})
			cli := acctest.NewCLI(t, consentBlock("done")+consentBlock("hanging"), loggedIn(service))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := cli.Command(ctx, "apply", "-auto-approve")
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			output := &watched{words: "analytics_consent.done: Creation complete", seen: make(chan struct{})}
			cmd.Stdout, cmd.Stderr = output, output
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			<-hanging
			<-output.seen
			target := cmd.Process.Pid
			if stop.toGroup {
				target = -target
			}
			if err := syscall.Kill(target, stop.signal); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err == nil || ctx.Err() != nil {
				t.Errorf("Terraform ended with %v, %v", err, ctx.Err())
			}
			state, err := os.ReadFile(cli.Dir + "/terraform.tfstate")
			if err != nil || !strings.Contains(string(state), `"identity_id": "done"`) {
				t.Errorf("what was done is not in state (%v):\n%s\n%s", err, state, output.String())
			}
			if !strings.Contains(acctest.Result{Output: output.String()}.Words(), "Cancelled") {
				t.Errorf("the object in flight is not reported as cancelled:\n%s", output.String())
			}
		})
	}
}
