// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// deletesPerson declares an action that deletes the data of a person. The variable that
// names the person has one more argument, such as "sensitive = true".
func deletesPerson(argument string) string {
	return `
variable "who" {
  type = string
  ` + argument + `
}

action "analytics_delete_data" "jane" {
  config { identity_id = var.who }
}
`
}

// newActionCLI returns a CLI that knows actions, and its service. The variable who is the
// person.
func newActionCLI(t *testing.T, configuration string, configure ...func(*mockserver.Server)) (*clitest.CLI, *mocktest.Instance) {
	t.Helper()
	cli, service := newCLI(t, configuration, configure...)
	cli.Needs(acctest.Actions)
	cli.Setenv("TF_VAR_who", person)

	return cli, service
}

func TestCLIDeleteData_invokedWithASensitiveVariable(t *testing.T) {
	t.Parallel()

	cli, service := newActionCLI(t, deletesPerson("sensitive = true"))
	r := cli.Invoke(deleteAddress)
	if r.Code != 0 {
		t.Fatalf("the action ended with %d:\n%s", r.Code, r.Output)
	}
	clitest.WantWords(t, r, "Actions: 1 to invoke", "irreversible", acceptedFirst, carriedOut, "Actions: 1 invoked")
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
	wantUnnamed(t, r.Output)

	wantUnnamed(t, cli.Invoke(deleteAddress, "-json").Output)
	wantQueued(t, service, mockserver.OpDeleteAllData, 2)

	wantUnnamed(t, cli.ReadFile("terraform.tfstate"))

	// As the pages and the guide say, a saved plan holds what is sensitive.
	wantUnnamed(t, cli.MustRun("plan", "-invoke="+deleteAddress, "-out=saved.tfplan").Output)
	if !strings.Contains(cli.ReadFile("saved.tfplan"), person) {
		t.Error("the plan does not hold the person")
	}
}

// TestCLIDeleteData_invokedWithAnEphemeralVariable invokes from a saved plan, which does
// not hold the person. Terraform 1.16 and later then do not pass the person on.
func TestCLIDeleteData_invokedWithAnEphemeralVariable(t *testing.T) {
	t.Parallel()

	cli, service := newActionCLI(t, deletesPerson("ephemeral = true"))
	cli.MustRun("plan", "-invoke="+deleteAddress, "-out=saved.tfplan")
	wantUnnamed(t, cli.ReadFile("saved.tfplan"))

	r := cli.Run("apply", "saved.tfplan")
	wantUnnamed(t, r.Output)
	if cli.Version().Before(16) {
		clitest.WantWords(t, r, acceptedFirst, carriedOut, "Actions: 1 invoked")
		wantQueued(t, service, mockserver.OpDeleteAllData, 1)
		return
	}

	clitest.WantWords(t, r, "The identity did not arrive", "Nothing was sent")
	wantNothingSent(t, service)
}

func TestCLIDeleteData_triggeredWithAnEphemeralVariable(t *testing.T) {
	t.Parallel()

	cli, service := newActionCLI(t, deletesPerson("ephemeral = true")+triggerBlock("first", deleteAddress))
	r := cli.MustRun("apply", "-auto-approve")
	clitest.WantWords(t, r, "irreversible", acceptedFirst, carriedOut)
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
	wantUnnamed(t, r.Output)
}

func TestCLIDeleteData_interruptedWaitIsReported(t *testing.T) {
	t.Parallel()

	for name, stop := range clitest.Interrupts(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cli, service := newActionCLI(t, deletesPerson("sensitive = true"), never)
			ready := make(chan struct{})
			close(ready)
			r := cli.RunInterrupted(stop, acceptedFirst, ready, "apply", "-auto-approve", "-invoke="+deleteAddress)
			if r.Code == 0 {
				t.Errorf("the interrupted run ended with 0:\n%s", r.Output)
			}
			clitest.WantWords(t, r, "execution halted", "Interrupted while waiting", "the request stands and must not be repeated")
			wantQueued(t, service, mockserver.OpDeleteAllData, 1)
		})
	}
}

// TestCLIDeleteData_logsNobody reads the log of the provider, with a service that quotes
// the person in an error.
func TestCLIDeleteData_logsNobody(t *testing.T) {
	t.Parallel()

	cli, service := newActionCLI(t, deletesPerson("ephemeral = true")+triggerBlock("first", deleteAddress))
	cli.Setenv("TF_LOG_PROVIDER", "TRACE")
	service.Inject(mockserver.Fault{Operation: mockserver.OpDeleteAllData, Status: 422, Body: prototest.QuotedBack(t, []string{person})})
	r := cli.Run("apply", "-auto-approve")
	if r.Code == 0 || !strings.Contains(r.Output, "[TRACE]") {
		t.Errorf("there is no error or no log:\n%s", r.Output)
	}
	prototest.WantNoCanary(t, "the log", r.Output, person)
}

// wantUnnamed fails the test if a text holds something of the person.
func wantUnnamed(t *testing.T, text string) {
	t.Helper()
	if strings.Contains(text, person) || strings.Contains(text, "Canary") {
		t.Errorf("the person is named:\n%s", text)
	}
}
