// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// newCLI returns Terraform and its service, at which the person has data.
func newCLI(t *testing.T, configuration string, configure ...func(*mockserver.Server)) (*clitest.CLI, *mocktest.Instance) {
	t.Helper()
	service := startWithData(t, configure...)
	return clitest.New(t, configuration, service.Environment()), service
}

func TestCLIDataAccess_writtenToAFileAndToNothingElse(t *testing.T) {
	t.Parallel()

	cli, service := newCLI(t, block(accessName, `output_path = "jane.json"`))
	cli.Setenv("TF_LOG", "TRACE")
	if r := cli.MustRun("apply", "-auto-approve"); strings.Contains(r.Output, "Canary") {
		t.Error("the data are in the output or in the log")
	}
	if strings.Contains(cli.ReadFile("terraform.tfstate"), "Canary") {
		t.Error("the data are in state")
	}

	cli.Setenv("TF_LOG", "")
	clitest.WantWords(t, cli.MustRun("destroy", "-auto-approve"), "stays where it is")
	if !strings.Contains(cli.ReadFile("jane.json"), "Jane Canary") {
		t.Error("the file does not hold the data")
	}
	wantQueued(t, service, mockserver.OpGetAllData, 1)
}

// hangingAt makes the service never answer the first deletion, which it has accepted, or the first
// look at the list after the deletion. It closes reached then.
func hangingAt(operation string) (configure func(*mockserver.Server), reached chan struct{}) {
	reached = make(chan struct{})
	var isSent, hangs atomic.Bool

	return func(s *mockserver.Server) {
		s.FaultFor = func(r mockserver.Request) *mockserver.Fault {
			isSent.CompareAndSwap(false, r.Operation == mockserver.OpDeleteAllData)
			if r.Operation != operation || !isSent.Load() || hangs.Swap(true) {
				return nil
			}
			close(reached)
			return &mockserver.Fault{Hang: true, Commit: true}
		}
	}, reached
}

// A second signal can make Terraform exit without what the provider returns. The next apply goes on
// with the request in any case.
func TestCLIDataDeletion_interrupted(t *testing.T) {
	t.Parallel()

	ways := clitest.Interrupts(t)
	twice := clitest.GroupInterrupt
	twice.Twice = true
	for what, c := range map[string]struct {
		stops     map[string]clitest.Interrupt
		operation string // that has no answer
		looks     int    // for which the list does not show the request
		says      string
	}{
		"while waiting":                       {ways, mockserver.OpListPendingRequests, 0, "Interrupted while waiting"},
		"while sending, listed at once":       {ways, mockserver.OpDeleteAllData, 0, ""},
		"while sending, not listed yet":       {ways, mockserver.OpDeleteAllData, 4, "Interrupted, and the outcome is not known"},
		"twice while sending, listed at once": {map[string]clitest.Interrupt{"Ctrl+C": twice}, mockserver.OpDeleteAllData, 0, ""},
	} {
		for way, stop := range c.stops {
			t.Run(what+", "+way, func(t *testing.T) {
				t.Parallel()

				hangs, reached := hangingAt(c.operation)
				waits := c.operation == mockserver.OpListPendingRequests
				cli, service := newCLI(t, block(deletionName, fmt.Sprint("wait_for_fulfilment = ", waits)), never, hangs)
				service.SetPendingLag(mockserver.Lag{Looks: c.looks})
				r := cli.RunInterrupted(stop, "Creating...", reached, "apply", "-auto-approve")
				service.SetPendingLag(mockserver.Lag{})

				state := cli.ReadFile("terraform.tfstate")
				if !stop.Twice && !strings.Contains(state, deletionName) || strings.Contains(state, "tainted") {
					t.Errorf("state is\n%s\n%s", state, r.Output)
				}
				clitest.WantWords(t, r, c.says)

				if waits {
					service.FulfilAll()
				}
				cli.MustRun("apply", "-auto-approve")
				id := wantQueued(t, service, mockserver.OpDeleteAllData, 1)[0].ID
				if got := cli.Attribute(deletionAddress, "request_id"); got != id {
					t.Errorf("the object stands for %v, want %s", got, id)
				}

				service.FulfilAll()
				clitest.WantWords(t, cli.MustRun("plan", "-detailed-exitcode"), "No changes")
			})
		}
	}
}

// deletionBlock returns a deletion of a person.
func deletionBlock(name, identity string) string {
	return fmt.Sprintf("\nresource \"analytics_data_deletion\" %q {\n  identity_id = %q\n}\n", name, identity)
}

// deletionList returns deletions of a list of people, with count or for_each.
func deletionList(repeat string) string {
	identity := "each.value"
	if strings.HasPrefix(repeat, "count") {
		identity = "local.people[count.index]"
	}
	return "\nresource \"analytics_data_deletion\" \"x\" {\n  " + repeat + "\n  identity_id = " + identity + "\n}\n"
}

func people(names ...string) string {
	return "\nlocals {\n  people = [\"" + strings.Join(names, `", "`) + "\"]\n}\n"
}

// TestCLIDataDeletion_personsMove changes which address holds which person, runs into the
// refusal, and does what it says.
func TestCLIDataDeletion_personsMove(t *testing.T) {
	t.Parallel()

	const listOf = "count       = length(local.people)"
	for name, tc := range map[string]struct {
		needs         acctest.Feature // without which the test is skipped
		before, after string
		taints        bool
		// commands do what the refusal says, and after replaces the configuration if set.
		commands [][]string
		then     string
		sent     int // in all
	}{
		"between two blocks": {
			before: deletionBlock("first", "ann"), after: deletionBlock("first", "bob") + deletionBlock("second", "ann"),
			commands: [][]string{{"state", "mv", deletionName + ".first", deletionName + ".second"}}, sent: 2,
		},
		"along a count list": {
			before: people("ann", "bob", "eve") + deletionList(listOf), after: people("bob", "eve") + deletionList(listOf),
			commands: [][]string{
				{"state", "rm", deletionName + ".x[0]"},
				{"state", "mv", deletionName + ".x[1]", deletionName + ".x[0]"},
				{"state", "mv", deletionName + ".x[2]", deletionName + ".x[1]"},
			}, sent: 3,
		},
		"renamed key, with a moved block": {
			before: deletionList(`for_each    = { old = "ann" }`), after: deletionList(`for_each    = { new = "ann" }`),
			then: deletionList(`for_each    = { new = "ann" }`) + "\nmoved {\n  from = analytics_data_deletion.x[\"old\"]\n  to   = analytics_data_deletion.x[\"new\"]\n}\n", sent: 1,
		},
		"tainted": {
			before: deletionBlock("first", "ann"), after: deletionBlock("first", "ann"),
			taints: true, commands: [][]string{{"untaint", deletionName + ".first"}}, sent: 1,
		},
		"removed, and a new block": {
			needs: acctest.RemovedBlocks, before: deletionBlock("first", "ann"),
			after: "\nremoved {\n  from = analytics_data_deletion.first\n  lifecycle {\n    destroy = false\n  }\n}\n" + deletionBlock("second", "ann"),
			then:  "\nmoved {\n  from = analytics_data_deletion.first\n  to   = analytics_data_deletion.second\n}\n" + deletionBlock("second", "ann"), sent: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cli, service := newCLI(t, tc.before, outcome(mockserver.Outcome{KeepListed: true})) // which is proof
			cli.Needs(tc.needs)
			cli.MustRun("apply", "-auto-approve")
			sent := len(service.Queue())

			cli.Configure(tc.after)
			if tc.taints {
				cli.MustRun("taint", deletionName+".first")
			}
			r := cli.Run("apply", "-auto-approve")
			if r.Code == 0 {
				t.Fatalf("it was applied:\n%s", r.Output)
			}
			clitest.WantWords(t, r, "The plan would submit a deletion again", "terraform state mv")
			wantQueued(t, service, mockserver.OpDeleteAllData, sent)

			for _, command := range tc.commands {
				cli.MustRun(command...)
			}
			if tc.then != "" {
				cli.Configure(tc.then)
			}
			cli.MustRun("apply", "-auto-approve")
			clitest.WantWords(t, cli.MustRun("plan", "-detailed-exitcode"), "No changes")
			wantQueued(t, service, mockserver.OpDeleteAllData, tc.sent)
		})
	}
}

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
	r := cli.Run("apply", "-auto-approve", "-invoke="+deleteAddress)
	if r.Code != 0 {
		t.Fatalf("the action ended with %d:\n%s", r.Code, r.Output)
	}
	clitest.WantWords(t, r, "Actions: 1 to invoke", "irreversible", acceptedFirst, carriedOut, "Actions: 1 invoked")
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
	wantUnnamed(t, []string{r.Output})

	wantUnnamed(t, []string{cli.Run("apply", "-auto-approve", "-invoke="+deleteAddress, "-json").Output})
	wantQueued(t, service, mockserver.OpDeleteAllData, 2)

	wantUnnamed(t, []string{cli.ReadFile("terraform.tfstate")})

	// As the pages and the guide say, a saved plan holds what is sensitive.
	wantUnnamed(t, []string{cli.MustRun("plan", "-invoke="+deleteAddress, "-out=saved.tfplan").Output})
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
	wantUnnamed(t, []string{cli.ReadFile("saved.tfplan")})

	r := cli.Run("apply", "saved.tfplan")
	wantUnnamed(t, []string{r.Output})
	if cli.Version().Minor < 16 {
		clitest.WantWords(t, r, acceptedFirst, carriedOut, "Actions: 1 invoked")
		wantQueued(t, service, mockserver.OpDeleteAllData, 1)
		return
	}

	clitest.WantWords(t, r, "The identity did not arrive", "Nothing was sent")
	wantNothingSent(t, service)
}

// The log of the provider and all messages name nobody, also where the service quotes the person in
// an error.
func TestCLIDeleteData_triggeredWithAnEphemeralVariable(t *testing.T) {
	t.Parallel()

	cli, service := newActionCLI(t, deletesPerson("ephemeral = true")+triggerBlock("first", deleteAddress))
	cli.Setenv("TF_LOG_PROVIDER", "TRACE")
	r := cli.MustRun("apply", "-auto-approve")
	clitest.WantWords(t, r, "irreversible", acceptedFirst, carriedOut)
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)

	service.Inject(mockserver.Fault{Operation: mockserver.OpDeleteAllData, Status: 422, Body: prototest.QuotedBack(t, []string{person})})
	cli.Configure(deletesPerson("ephemeral = true") + triggerBlock("second", deleteAddress))
	failed := cli.Run("apply", "-auto-approve")
	clitest.WantWords(t, failed, "HTTP status: 422", "[TRACE]")
	prototest.WantNoCanary(t, "the log", r.Output+failed.Output, person)
}
