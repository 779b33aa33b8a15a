// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"os"
	"path/filepath"
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

func TestCLIDataDeletion_sentOnceWhateverHappensToTheObject(t *testing.T) {
	t.Parallel()

	cli, service := newCLI(t, block(deletionName))
	clitest.WantWords(t, cli.MustRun("plan", "-out=tfplan"), "Deleting all data of a person is irreversible", "Consent is not revoked")
	cli.MustRun("apply", "tfplan")
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)

	service.PutProfile(scope, person, `{"name":"Jane Canary"}`) // its end proves the second deletion
	cli.Configure(block(deletionName, `triggers = { on = "friday" }`))
	clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), "irreversible", "0 added, 1 changed, 0 destroyed")
	clitest.WantWords(t, cli.MustRun("destroy", "-auto-approve"), "Terraform only forgets the deletion", "1 destroyed")
	wantQueued(t, service, mockserver.OpDeleteAllData, 2)
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

	cli, service := newCLI(t, "")
	cli.Configure(block(accessName, `output_path = "jane.json"`) + `
data "analytics_pending_requests" "all" {
  depends_on = [analytics_data_access_request.jane]
}

output "pending" {
  value = data.analytics_pending_requests.all.total
}
`)
	cli.Setenv("TF_LOG", "TRACE")
	r := cli.MustRun("apply", "-auto-approve")
	if strings.Contains(r.Output, "Canary") {
		t.Error("the data are in the output or in the log")
	}
	path := filepath.Join(cli.Dir, "jane.json")
	content, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(content), "Jane Canary") {
		t.Fatalf("the file holds %q, %v", content, err)
	}
	if strings.Contains(cli.ReadFile("terraform.tfstate"), "Canary") {
		t.Error("the data are in state")
	}

	cli.Setenv("TF_LOG", "")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	cli.Setenv("ANALYTICS_WIRE_ALL_DATA_MEMBER", "profile") // the service answers with the data at once
	clitest.WantWords(t, cli.MustRun("apply", "-auto-approve"), "requested again", "1 added")
	clitest.WantWords(t, cli.MustRun("destroy", "-auto-approve"), "The file with the data stays")
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
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
