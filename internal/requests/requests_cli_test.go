// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/acctest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

func newCLI(t *testing.T, configuration string, configure ...func(*mockserver.Server)) (*clitest.CLI, *mocktest.Instance) {
	t.Helper()
	service := startWithData(t, configure...)
	return clitest.New(t, configuration, service.Environment()), service
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
	ways := clitest.Interrupts()
	twice := clitest.Interrupt{Signal: syscall.SIGINT, ToGroup: true, Twice: true}
	type row struct {
		stops     map[string]clitest.Interrupt
		operation string // that has no answer
		looks     int    // for which the list does not show the request
		says      string
	}
	rows(t, map[string]row{
		"while waiting":                       {ways, mockserver.OpListPendingRequests, 0, "Interrupted while waiting"},
		"while sending, listed at once":       {ways, mockserver.OpDeleteAllData, 0, ""},
		"while sending, not listed yet":       {ways, mockserver.OpDeleteAllData, 4, "Interrupted, and the outcome is not known"},
		"twice while sending, listed at once": {map[string]clitest.Interrupt{"Ctrl+C": twice}, mockserver.OpDeleteAllData, 0, ""},
	}, func(t *testing.T, _ string, row row) {
		rows(t, row.stops, func(t *testing.T, _ string, stop clitest.Interrupt) {
			hangs, reached := hangingAt(row.operation)
			waits := row.operation == mockserver.OpListPendingRequests
			cli, service := newCLI(t, block(deletionName, fmt.Sprint("wait_for_fulfilment = ", waits)), never, hangs)
			service.SetPendingLag(mockserver.Lag{Reads: row.looks})
			r := cli.RunInterrupted(stop, "Creating...", reached, "apply", "-auto-approve")
			service.SetPendingLag(mockserver.Lag{})
			clitest.WantWords(t, r, row.says)
			state := cli.ReadFile("terraform.tfstate")
			if !stop.Twice && !strings.Contains(state, deletionName) || strings.Contains(state, "tainted") {
				t.Errorf("state is\n%s\n%s", state, r.Output)
			}

			if waits {
				service.FulfilAll()
			}
			cli.MustRun("apply", "-auto-approve")
			id := wantQueued(t, service, mockserver.OpDeleteAllData, 1)[0].ID
			if got := cli.Stored()[0].Attributes["request_id"]; got != id {
				t.Errorf("the object stands for %v, want %s", got, id)
			}
			service.FulfilAll()
			clitest.WantWords(t, cli.MustRun("plan", "-detailed-exitcode"), "No changes")
		})
	})
}

// deletion returns a block x of deletions, with count or for_each, or of one person.
func deletion(repeat, identity string) string {
	return "\nresource \"analytics_data_deletion\" \"x\" {\n  " + repeat + "\n  identity_id = " + identity + "\n}\n"
}

func moved(from, to string) string {
	return "\nmoved {\n  from = " + deletionName + "." + from + "\n  to   = " + deletionName + "." + to + "\n}\n"
}

// TestCLIDataDeletion_personsMove changes which address holds which person, runs into the
// refusal, and does what it says.
func TestCLIDataDeletion_personsMove(t *testing.T) {
	t.Parallel()
	const ann, keyed, listed = `"ann"`, "each.value", "local.people[count.index]"
	second := strings.Replace(deletion("", ann), `"x"`, `"second"`, 1)
	renamed := deletion(`for_each    = { new = "ann" }`, keyed)
	list := func(people string) string {
		return "\nlocals {\n  people = [" + people + "]\n}\n" + deletion("count       = length(local.people)", listed)
	}
	type row struct {
		needs         acctest.Feature // without which the test is skipped
		before, after string
		commands      string // that do what the refusal says, one a line
		then          string // replaces the configuration if set
		sent          int    // in all
	}
	rows(t, map[string]row{
		"between two blocks": {before: deletion("", ann), after: deletion("", `"bob"`) + second, commands: "state mv $.x $.second", sent: 2},
		"along a count list": {
			before: list(`"ann", "bob", "eve"`), after: list(`"bob", "eve"`),
			commands: "state rm $.x[0]\nstate mv $.x[1] $.x[0]\nstate mv $.x[2] $.x[1]", sent: 3,
		},
		"renamed key, with a moved block": {
			before: deletion(`for_each    = { old = "ann" }`, keyed), after: renamed, then: renamed + moved(`x["old"]`, `x["new"]`), sent: 1,
		},
		"tainted": {before: deletion("", ann), after: deletion("", ann), commands: "untaint $.x", sent: 1},
		"removed, and a new block": {
			needs: acctest.RemovedBlocks, before: deletion("", ann),
			after: "\nremoved {\n  from = analytics_data_deletion.x\n  lifecycle {\n    destroy = false\n  }\n}\n" + second,
			then:  moved("x", "second") + second, sent: 1,
		},
	}, func(t *testing.T, name string, row row) {
		cli, service := newCLI(t, row.before, outcome(mockserver.Outcome{KeepListed: true})) // which is proof
		acctest.PreCheck(t, row.needs)
		cli.MustRun("apply", "-auto-approve")
		sent := len(service.Queue())

		cli.Configure(row.after)
		if name == "tainted" {
			cli.MustRun("taint", deletionName+".x")
		}
		r := cli.Run("apply", "-auto-approve")
		if r.Code == 0 {
			t.Fatalf("it was applied:\n%s", r.Output)
		}
		clitest.WantWords(t, r, "The plan would submit a deletion again", "terraform state mv")
		wantQueued(t, service, mockserver.OpDeleteAllData, sent)

		for command := range strings.Lines(row.commands) {
			cli.MustRun(strings.Fields(strings.ReplaceAll(command, "$", deletionName))...)
		}
		if row.then != "" {
			cli.Configure(row.then)
		}
		cli.MustRun("apply", "-auto-approve")
		clitest.WantWords(t, cli.MustRun("plan", "-detailed-exitcode"), "No changes")
		wantQueued(t, service, mockserver.OpDeleteAllData, row.sent)
	})
}

const deleteAddress = "action." + deleteName + ".jane"

// newActionCLI returns a CLI that knows actions, its service and its configuration: an action that deletes the data of
// the person, whom a variable with one more argument names, such as "sensitive = true".
func newActionCLI(t *testing.T, argument string) (*clitest.CLI, *mocktest.Instance, string) {
	t.Helper()
	block := "\nvariable \"who\" {\n  type = string\n  " + argument + "\n}\n\naction \"analytics_delete_data\" \"jane\" {\n  config { identity_id = var.who }\n}\n"
	cli, service := newCLI(t, block)
	acctest.PreCheck(t, acctest.Actions)
	cli.Setenv("TF_VAR_who", person)

	return cli, service, block
}

// A saved plan holds a sensitive value, as the pages and the guide say, and not an ephemeral one. Terraform 1.16 and
// later do not pass that one on then.
func TestCLIDeleteData_invoked(t *testing.T) {
	t.Parallel()
	rows(t, map[string]bool{"sensitive = true": false, "ephemeral = true": true}, func(t *testing.T, argument string, isEphemeral bool) {
		cli, service, _ := newActionCLI(t, argument)
		planned := cli.MustRun("plan", "-invoke="+deleteAddress, "-out=saved.tfplan")
		if isInPlan := strings.Contains(cli.ReadFile("saved.tfplan"), person); isInPlan == isEphemeral {
			t.Errorf("the plan holds the person: %t", isInPlan)
		}
		r := cli.Run("apply", "saved.tfplan")
		wantUnnamed(t, []string{planned.Output, r.Output})
		if isEphemeral && acctest.CLI.Minor >= 16 {
			clitest.WantWords(t, r, "The identity did not arrive", "Nothing was sent")
			wantNothingSent(t, service)
			return
		}
		clitest.WantWords(t, r, acceptedFirst, carriedOut, "Actions: 1 invoked")
		wantQueued(t, service, mockserver.OpDeleteAllData, 1)
	})
}

// The log of the provider and all messages name nobody, also where the service quotes the person in an error.
func TestCLIDeleteData_triggeredWithAnEphemeralVariable(t *testing.T) {
	t.Parallel()
	cli, service, block := newActionCLI(t, "ephemeral = true")
	cli.Configure(block + "\nresource \"terraform_data\" \"trigger\" {\n  input = timestamp()\n  lifecycle {\n    action_trigger {\n" +
		"      events  = [after_create, after_update]\n      actions = [" + deleteAddress + "]\n    }\n  }\n}\n")
	cli.Setenv("TF_LOG_PROVIDER", "TRACE")
	r := cli.MustRun("apply", "-auto-approve")
	clitest.WantWords(t, r, "irreversible", acceptedFirst, carriedOut)
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)

	service.Inject(mockserver.Fault{Operation: mockserver.OpDeleteAllData, Status: 422, Body: prototest.QuotedBack(t, []string{person})})
	failed := cli.Run("apply", "-auto-approve")
	clitest.WantWords(t, failed, "HTTP status: 422", "[TRACE]")
	prototest.WantNoCanary(t, "the log", r.Output+failed.Output, person)
}
