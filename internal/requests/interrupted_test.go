// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// hanging makes the service never answer the first request of an operation. sent is closed
// once it has arrived.
func hanging(operation string, isCommitted bool) (configure func(*mockserver.Server), sent chan struct{}) {
	var arrived atomic.Bool
	sent = make(chan struct{})

	return func(s *mockserver.Server) {
		s.FaultFor = func(r mockserver.Request) *mockserver.Fault {
			if r.Operation != operation || arrived.Swap(true) {
				return nil
			}
			close(sent)
			return &mockserver.Fault{Hang: true, Commit: isCommitted}
		}
	}, sent
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// A run that is interrupted while the service is slow to answer leaves an object: with the id
// of its request, or without it. A later run looks for the request, and it is sent twice only
// where it never arrived.
func TestRequests_interruptedWhileSending(t *testing.T) {
	t.Parallel()

	for name, operation := range map[string]string{deletionName: mockserver.OpDeleteAllData, accessName: mockserver.OpGetAllData} {
		for what, c := range map[string]struct{ arrives, isListed bool }{
			"listed at once":  {true, true},
			"not listed yet":  {true, false},
			"has not arrived": {false, false},
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				t.Parallel()

				hangs, sent := hanging(operation, c.arrives)
				p, service := start(t, never, hangs)
				if !c.isListed {
					service.SetPendingLag(mockserver.Lag{Looks: 4})
				}
				cfg := config(atOnce)
				if name == accessName {
					cfg["output_path"] = output(t)
				}
				state, diags := interruptedState(t, p, func() bool { return isClosed(sent) }, name, cfg)
				wantAttributes(t, state, prototest.Attributes{"fulfilled": false})
				if c.isListed {
					wantAttributes(t, state, prototest.Attributes{"request_id": service.Queue()[0].ID})
					return
				}
				wantAttributes(t, state, prototest.Attributes{"request_id": nil})
				prototest.WantText(t, diags.Warnings(), "Interrupted, and the outcome is not known", "plan again")

				_, diags = nextRun(t, service).Destroy(name, state)
				prototest.WantText(t, diags.Warnings(), "not known whether the service has accepted it")

				service.SetPendingLag(mockserver.Lag{})
				p = nextRun(t, service)
				state, _ = p.MustRefresh(name, state)
				plan, diags := p.Plan(name, state, cfg)
				p.NoErrors(diags)
				if plan.Changes == c.arrives {
					t.Errorf("the request has arrived: %t, and the plan has changes: %t", c.arrives, plan.Changes)
				}
				if !c.arrives {
					prototest.WantText(t, diags.Warnings(), "The service may have this request already")
					state, diags = p.Apply(t.Context(), name, state, plan)
					p.NoErrors(diags)
				}

				wantAttributes(t, state, prototest.Attributes{"request_id": wantQueued(t, service, operation, 1)[0].ID})
				p.WantEmptyPlan(name, state, cfg)
			})
		}
	}
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
