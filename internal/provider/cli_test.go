// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
)

// consentBlock returns a resource with this name, which is that of the person, unless a line says
// something else.
func consentBlock(name string, lines ...string) string {
	block := strings.Join(lines, "\n")
	if !strings.Contains(block, "identity_id") {
		block += fmt.Sprintf("\nidentity_id = %q", name)
	}

	return fmt.Sprintf("resource \"analytics_consent\" %q {\n%s\n%s}\n", name, block, everyClause)
}

const everyClause = "clause_1_consent = true\nclause_2_consent = true\nclause_3_consent = true\nclause_4_consent = true\nclause_5_consent = true\n"

// TestCLIProvider_interruptSavesWhatIsDone interrupts an apply while one object is done and
// another waits for an answer that never comes. A SIGTERM to the group reaches the provider as well,
// and must not end it.
func TestCLIProvider_interruptSavesWhatIsDone(t *testing.T) {
	t.Parallel()
	ways := clitest.Interrupts()
	ways["SIGTERM to the group"] = clitest.Interrupt{Signal: syscall.SIGTERM, ToGroup: true}
	for name, stop := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hanging := make(chan struct{})
			var hung atomic.Bool
			service := mocktest.Start(t, func(s *mockserver.Server) {
				s.FaultFor = func(r mockserver.Request) *mockserver.Fault {
					if r.Identity != "hanging" || r.Operation != mockserver.OpUpdateConsent || hung.Swap(true) {
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

			if stored := cli.Stored(); len(stored) != 1 || stored[0].Attributes["identity_id"] != "done" {
				t.Errorf("what was done is not in state, but %v:\n%s", stored, r.Output)
			}
			clitest.WantWords(t, r, "Cancelled")

			cli.MustRun("apply", "-auto-approve") // as the message says
			cli.MustRun("plan", "-detailed-exitcode")
		})
	}
}

// TestCLIProvider_savedPlanIsForOneScope applies saved plans with another scope in the
// environment. Of a new object, Terraform passes nothing of the plan to the provider, and
// refuses the apply itself.
func TestCLIProvider_savedPlanIsForOneScope(t *testing.T) {
	t.Parallel()
	for resource, attributes := range map[string]struct{ first, added string }{
		"analytics_consent":             {"identity_id = \"user-1\"\n  " + everyClause, "manual = false"},
		"analytics_consent_batch":       {"source = \"people.csv\"", "on_destroy = \"withdraw\""},
		"analytics_profile":             {"identity_id = \"user-1\"\n  profile = \"{}\"", "on_destroy = \"clear\""},
		"analytics_data_deletion":       {"identity_id = \"user-1\"", "triggers = { n = 1 }"},
		"analytics_data_access_request": {"identity_id = \"user-1\"\n  output_path = \"data.json\"\n  overwrite = true", "triggers = { n = 1 }"},
		"analytics_export_file":         {"utc_date = \"2026-02-03\"\n  path = \"day\"", "on_destroy = \"retain\""},
	} {
		t.Run(resource, func(t *testing.T) {
			t.Parallel()
			service := mocktest.Start(t, func(s *mockserver.Server) {
				s.Fulfil = func(mockserver.QueuedRequest) mockserver.Outcome { return mockserver.Outcome{KeepListed: true} }
			})
			cli := clitest.New(t, fmt.Sprintf("resource %q \"x\" {\n  %s\n}\n", resource, attributes.first), service.Environment())
			cli.Write("people.csv", header+"user-2,true,true,true,true,true\n")

			applyElsewhere := func(words ...string) {
				cli.MustRun("plan", "-out=tfplan")
				cli.Setenv("ANALYTICS_PROJECT_ID", "shop")
				r := cli.Run("apply", "tfplan")
				cli.Setenv("ANALYTICS_PROJECT_ID", mocktest.Project)
				clitest.WantWords(t, r, words...)
			}
			applyElsewhere("Provider produced inconsistent final plan", ".project_id")
			cli.MustRun("apply", "-auto-approve")

			cli.Configure(fmt.Sprintf("resource %q \"x\" {\n  %s\n  %s\n}\n", resource, attributes.first, attributes.added))
			service.Reset()
			applyElsewhere("The plan is for another scope", `org_id = "`+mocktest.Org+`", project_id = "shop"`, "plan again")
			for _, r := range service.Requests() {
				if strings.Contains(r.EscapedPath, "shop") {
					t.Errorf("the service received %s %s", r.Method, r.EscapedPath)
				}
			}
			cli.MustRun("apply", "-auto-approve")
			cli.MustRun("plan", "-detailed-exitcode")
		})
	}
}
