// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
)

// private matches the private state of an object, which begins anew without it.
var private = regexp.MustCompile(`,\s*"private": "[^"]*"`)

// TestCLIConsent_deposedObjectLeavesWithAnImport has a replacement that was interrupted
// after the new object was created, and follows the advice of the refusal.
func TestCLIConsent_deposedObjectLeavesWithAnImport(t *testing.T) {
	t.Parallel()
	for _, lifecycle := range []string{"", "lifecycle {\n    create_before_destroy = true\n  }"} {
		service := mocktest.Start(t)
		cli := clitest.New(t, acctest.Block(service)+block(`on_destroy = "withdraw"`, lifecycle), nil)
		cli.MustRun("apply", "-auto-approve")
		var state struct {
			Resources []struct{ Instances []json.RawMessage }
		}
		text := cli.ReadFile("terraform.tfstate")
		if err := json.Unmarshal([]byte(text), &state); err != nil {
			t.Fatal(err)
		}
		object := string(state.Resources[0].Instances[0])
		deposed := strings.Replace(private.ReplaceAllString(object, ""), "{", `{"deposed": "0a1b2c3d",`, 1)
		text = strings.Replace(text, object, object+", "+deposed, 1)
		if err := os.WriteFile(filepath.Join(cli.Dir, "terraform.tfstate"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}

		refused := cli.Run("apply", "-auto-approve")
		if refused.Code != 1 {
			t.Errorf("the apply ended with %d", refused.Code)
		}
		clitest.WantWords(t, refused, "Another resource keeps the consent to be withdrawn", "If the plan calls it deposed", "terraform state rm", "terraform import")
		service.Reset()
		cli.MustRun("state", "rm", address)
		cli.MustRun("import", address, person)
		cli.MustRun("apply", "-auto-approve")
		wantUpdates(t, service)
		cli.MustRun("plan", "-detailed-exitcode")
	}
}

// TestCLIConsent_ignoredTimeIsNoLaterOne has the idiom of a time that only a create takes. The
// plan gets the person's own time in its place, and the apply the new one that is ignored.
func TestCLIConsent_ignoredTimeIsNoLaterOne(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	cli := clitest.New(t, "", nil)
	for _, tc := range []struct{ now, onDestroy, says string }{
		{early, "retain", "1 to add"},
		{"2026-05-01T12:00:00Z", "retain", laterStands},
		{"2026-05-01T12:00:00Z", "withdraw", laterStands},
		{"2026-05-01T12:00:00Z", "withdraw", laterStands},
	} {
		cli.Configure(acctest.Block(service) + block(`agreement_time = "`+tc.now+`"`, `on_destroy = "`+tc.onDestroy+`"`, "lifecycle {\n    ignore_changes = [agreement_time]\n  }"))
		clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), tc.says)
		service.PutConsent(scope, person, choose(late))
	}

	cli.MustRun("plan", "-detailed-exitcode")
	wantUpdates(t, service, update(configured, map[string]any{"agreement_time": early}))
}

// A choice that a person makes after the plan stands against the planned time too.
func TestCLIConsent_ignoredTimeIsNotThatOfTheApply(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	at := func(now, clause string) string {
		text := block(`agreement_time = "`+now+`"`, "lifecycle {\n    ignore_changes = [agreement_time]\n  }")
		return acctest.Block(service) + strings.Replace(text, "clause_3_consent = false", "clause_3_consent = "+clause, 1)
	}
	cli := clitest.New(t, at(early, "false"), nil)
	cli.MustRun("apply", "-auto-approve")
	cli.Configure(at("2026-05-01T12:00:00Z", "true"))
	cli.MustRun("plan", "-out=planned")
	service.PutConsent(scope, person, choose(late))
	clitest.WantWords(t, cli.MustRun("apply", "planned"), laterStands)
	wantUpdates(t, service, update(configured, map[string]any{"agreement_time": early}))
}

// TestCLIConsentList_interruptIsAnError interrupts a query that has found one person and
// waits for another. Without an error, Terraform would show half a list and end with 0.
func TestCLIConsentList_interruptIsAnError(t *testing.T) {
	t.Parallel()
	for name, stop := range clitest.Interrupts() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			waiting := make(chan struct{})
			var hung atomic.Bool
			service := mocktest.Start(t, func(s *mockserver.Server) {
				s.FaultFor = func(r mockserver.Request) *mockserver.Fault {
					if r.Identity != "user-2" || hung.Swap(true) {
						return nil
					}
					close(waiting)
					return &mockserver.Fault{Hang: true}
				}
			})
			cli := clitest.New(t, acctest.Block(service), nil)
			cli.Needs(acctest.Lists)
			putConsents(service, "user-1", "user-2")

			cli.Write("main.tfquery.hcl", listBlock(`identity_ids = ["user-1", "user-2"]`))
			r := cli.RunInterrupted(stop, "", waiting, "query")
			if r.Code == 0 {
				t.Errorf("the interrupted query ended with 0:\n%s", r.Output)
			}
			clitest.WantWords(t, r, "The list was interrupted")
			clitest.WantWords(t, cli.MustRun("query"), "user-1", "user-2") // as the message says
		})
	}
}
