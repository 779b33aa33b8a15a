// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// TestCLIConsent_warnsOnceOfWhatIsOverwritten has three people without an agreement_time.
func TestCLIConsent_warnsOnceOfWhatIsOverwritten(t *testing.T) {
	t.Parallel()
	service := mocktest.Start(t)
	people := strings.Replace(block("for_each = toset([\"user-1\", \"user-2\", \"user-3\"])"), strconv.Quote(person), "each.key", 1)
	cli := clitest.New(t, acctest.Block(service)+people, nil)
	want := func(n int, command ...string) {
		t.Helper()
		if output := cli.MustRun(command...).Words(); strings.Count(output, "Warning: ") != n+1 { // one is Terraform's, of the override
			t.Errorf("%s warns otherwise than %d times:\n%s", command[0], n, output)
		}
	}
	want(0, "validate")
	want(0, "plan")
	want(0, "apply", "-auto-approve")

	for _, identity := range []string{"user-1", "user-2", "user-3"} {
		service.PutConsent(scope, identity, refusal(nil))
	}
	want(1, "plan", "-out=tfplan")
	clitest.WantWords(t, cli.MustRun("plan"), "The plan overwrites", "clause_1_consent, clause_2_consent, clause_4_consent")
	want(0, "apply", "tfplan")
	want(0, "plan", "-detailed-exitcode")
}

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
		clitest.WantWords(t, refused, "Another resource keeps the consent to be withdrawn", "If the plan calls that resource deposed", "terraform state rm", "terraform import")
		service.Reset()
		cli.MustRun("state", "rm", address)
		cli.MustRun("import", address, person)
		cli.MustRun("apply", "-auto-approve")
		wantUpdates(t, service)
		cli.MustRun("plan", "-detailed-exitcode")
	}
}

// TestCLIConsent_aRefusalWithoutATimeStandsInAReplacement replaces an object after the person
// has refused at a service without times: destroyed first, and created first.
func TestCLIConsent_aRefusalWithoutATimeStandsInAReplacement(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"", "lifecycle {\n    create_before_destroy = true\n  }"} {
		service := mocktest.Start(t, withoutTimes)
		cli := clitest.New(t, acctest.Block(service)+block(`agreement_time = "2026-01-31T12:00:00Z"`, `on_destroy = "withdraw"`, line), nil)
		cli.MustRun("apply", "-auto-approve")

		service.PutConsent(scope, person, mockserver.ConsentRecord{Manual: new(false)})
		service.Reset()
		cli.Run("apply", "-auto-approve", "-replace="+address)
		if n := service.Count(mockserver.OpUpdateConsent); n != 0 {
			t.Errorf("%q: %d writes over the person's choice", line, n)
		}
		wantHeld(t, service, [5]bool{})
	}
}
