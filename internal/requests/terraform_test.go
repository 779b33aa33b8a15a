// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
)

// newCLI returns Terraform and its service, at which the person has data.
func newCLI(t *testing.T, configuration string, configure ...func(*mockserver.Server)) (*clitest.CLI, *mocktest.Instance) {
	t.Helper()
	service := startWithData(t, configure...)
	return clitest.New(t, configuration, service.Environment()), service
}

func TestCLIDataDeletion_interruptedWaitIsResumed(t *testing.T) {
	t.Parallel()

	for name, stop := range clitest.Interrupts(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			waiting := make(chan struct{})
			var looks atomic.Int32
			cli, service := newCLI(t, block(deletionName), never, func(s *mockserver.Server) {
				s.OnRequest = func(r mockserver.Request) {
					if r.Operation != mockserver.OpListPendingRequests {
						return
					}
					if looks.Add(1) == 2 { // the first is before the deletion is sent
						close(waiting)
					}
				}
			})
			r := cli.RunInterrupted(stop, "Creating...", waiting, "apply", "-auto-approve")
			id := wantQueued(t, service, mockserver.OpDeleteAllData, 1)[0].ID
			state := cli.ReadFile("terraform.tfstate")
			if cli.Attribute(deletionName+".jane", "request_id") != id || strings.Contains(state, "tainted") {
				t.Errorf("the request is not in state:\n%s\n%s", state, r.Output)
			}

			clitest.WantWords(t, r, "Interrupted while waiting", id)

			if r := cli.Run("plan", "-detailed-exitcode"); r.Code != 2 {
				t.Errorf("the plan ended with %d:\n%s", r.Code, r.Output)
			}

			service.FulfilAll()
			clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), "Apply complete")
			clitest.WantWords(t, cli.MustRun("plan", "-detailed-exitcode"), "No changes")
			wantQueued(t, service, mockserver.OpDeleteAllData, 1)
		})
	}
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
	clitest.WantWords(t, cli.MustRun("destroy", "-auto-approve"), "The file with the data stays")
	if !strings.Contains(cli.ReadFile("jane.json"), "Jane Canary") {
		t.Error("the file does not hold the data")
	}
	wantQueued(t, service, mockserver.OpGetAllData, 1)
}

// A second signal can make Terraform exit without what the provider returns. The next apply
// takes over the request then.
func TestCLIDataDeletion_interruptedWhileSending(t *testing.T) {
	t.Parallel()

	once, twice := clitest.GroupInterrupt, clitest.GroupInterrupt
	twice.Twice = true
	for what, c := range map[string]struct {
		stop  clitest.Interrupt
		looks int // for which the list does not show the request
	}{
		"once, listed at once":  {once, 0},
		"once, not listed yet":  {once, 4},
		"twice, listed at once": {twice, 0},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()

			hangs, sent := hanging(mockserver.OpDeleteAllData, true)
			cli, service := newCLI(t, block(deletionName, "wait_for_fulfilment = false"), never, hangs)
			service.SetPendingLag(mockserver.Lag{Looks: c.looks})
			r := cli.RunInterrupted(c.stop, "Creating...", sent, "apply", "-auto-approve")
			service.SetPendingLag(mockserver.Lag{})

			state := cli.ReadFile("terraform.tfstate")
			if !c.stop.Twice && !strings.Contains(state, deletionName) || strings.Contains(state, "tainted") {
				t.Errorf("state is\n%s\n%s", state, r.Output)
			}
			if c.looks > 0 {
				clitest.WantWords(t, r, "Interrupted, and the outcome is not known")
			}

			cli.MustRun("apply", "-auto-approve")
			id := wantQueued(t, service, mockserver.OpDeleteAllData, 1)[0].ID
			if got := cli.Attribute(deletionName+".jane", "request_id"); got != id {
				t.Errorf("the object stands for %v, want %s", got, id)
			}
			service.FulfilAll()
			clitest.WantWords(t, cli.MustRun("plan", "-detailed-exitcode"), "No changes")
		})
	}
}
