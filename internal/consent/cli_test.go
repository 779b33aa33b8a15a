// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

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

// TestCLIConsent_ignoredTimeIsNoLaterOne has the idiom of a time that only a create takes. A plan
// gets the time in state in its place, which may be the person's own, and the apply the new one that is ignored.
func TestCLIConsent_ignoredTimeIsNoLaterOne(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	at := func(now, clause, onDestroy string) string {
		text := block(`agreement_time = "`+now+`"`, `on_destroy = "`+onDestroy+`"`, "lifecycle {\n    ignore_changes = [agreement_time]\n  }")
		return acctest.Block(service) + strings.Replace(text, "clause_3_consent = false", "clause_3_consent = "+clause, 1)
	}
	const now = "2026-05-01T12:00:00Z"
	cli := clitest.New(t, at(early, "false", "retain"), nil)
	cli.MustRun("apply", "-auto-approve")
	cli.Configure(at(now, "true", "retain"))
	cli.MustRun("plan", "-out=planned")
	service.PutConsent(scope, person, choose(late)) // no plan has seen it
	clitest.WantWords(t, cli.MustRun("apply", "planned"), laterStands)

	for _, onDestroy := range []string{"retain", "withdraw", "withdraw"} {
		cli.Configure(at(now, "false", onDestroy))
		clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), laterStands)
		service.PutConsent(scope, person, choose(late))
	}
	cli.MustRun("plan", "-detailed-exitcode")
	wantUpdates(t, service, update(configured, map[string]any{"agreement_time": early}))
}
