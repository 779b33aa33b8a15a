// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
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

// wantRefused fails the test unless a command failed and printed these words.
func wantRefused(t *testing.T, r clitest.Result, words ...string) {
	t.Helper()
	if r.Code != 1 {
		t.Errorf("the command ended with %d", r.Code)
	}
	clitest.WantWords(t, r, words...)
}

// readState returns a state file, and the one object in it.
func readState(t *testing.T, cli *clitest.CLI) (state, object map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(cli.ReadFile("terraform.tfstate")), &state); err != nil {
		t.Fatal(err)
	}

	first := func(of map[string]any, name string) map[string]any {
		list, _ := of[name].([]any)
		if len(list) != 1 {
			t.Fatalf("the state has %d %s", len(list), name)
		}
		member, _ := list[0].(map[string]any)
		return member
	}

	return state, first(first(state, "resources"), "instances")
}

func writeState(t *testing.T, cli *clitest.CLI, state map[string]any) {
	t.Helper()
	text, err := json.Marshal(state)
	if err == nil {
		err = os.WriteFile(filepath.Join(cli.Dir, "terraform.tfstate"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
