package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
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

func TestCLIProvider_secretRotatedBetweenPlanAndApply(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	environment := service.Environment()
	cli := clitest.New(t, consentBlock("user-1001"), environment)
	cli.MustRun("plan", "-out=tfplan")
	service.RevokeSecretKey(service.SecretKey)
	service.AddSecretKey("rotated")
	cli.Setenv("ANALYTICS_API_SECRET_KEY", "rotated")
	cli.MustRun("apply", "tfplan")
	if n := service.Count(mockserver.OpUpdateConsent); n != 1 {
		t.Errorf("%d writes", n)
	}
}

// TestCLIProvider_interruptSavesWhatIsDone interrupts an apply while one object is done and
// another waits for an answer that never comes.
func TestCLIProvider_interruptSavesWhatIsDone(t *testing.T) {
	t.Parallel()
	for name, stop := range clitest.Interrupts(t) {
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

			cli := clitest.New(t, consentBlock("done")+consentBlock("hanging"), service.Environment())
			r := cli.RunInterrupted(stop, "analytics_consent.done: Creation complete", hanging, "apply", "-auto-approve")
			if r.Code == 0 {
				t.Error("Terraform calls the interrupted apply a success")
			}

			if got := cli.Attribute("analytics_consent.done", "identity_id"); got != "done" {
				t.Errorf("what was done is not in state, but %v:\n%s", got, r.Output)
			}
			if !strings.Contains(r.Words(), "Cancelled") {
				t.Errorf("the object in flight is not reported as cancelled:\n%s", r.Output)
			}
		})
	}
}
