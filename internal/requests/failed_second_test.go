// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// endFirst are ways in which the first request of an object ends.
var endFirst = map[string]func(w *waiter, id string){
	deletionName: func(w *waiter, id string) { w.service.Forget(id) },
	accessName:   func(w *waiter, _ string) { w.service.FulfilAll() },
}

// The error of another request that the service fails says that the object is as it was:
// it stands for the first request, in private state too.
func TestRequests_failedSecondRequestLeavesTheFirst(t *testing.T) {
	t.Parallel()

	for name, end := range endFirst {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			w := startWaiter(t, name, false)
			state := w.create()
			first := w.service.Queue()[0].ID
			end(w, first)
			state, _ = w.MustRefresh(name, state)
			before := w.planned(state, w.config)

			again := w.config.With(w.another).With(prototest.Attributes{"wait_for_fulfilment": true}).With(within("1m"))
			state = w.failSecond(state, again)
			state, diags := w.MustRefresh(name, state)
			wantAttributes(t, state, prototest.Attributes{"request_id": first})
			for _, text := range diags.Warnings() {
				if strings.Contains(text, "E_SECOND") || strings.Contains(text, "request-2") {
					t.Errorf("a refresh speaks of the second request: %s", text)
				}
			}

			if after := w.planned(state, w.config); after != before {
				t.Errorf("with the first triggers the plan has changes: %t, and had: %t", after, before)
			}
			if !w.planned(state, again) {
				t.Error("the second request is not planned again")
			}
		})
	}
}

// A second request whose answer was lost is looked for by the next apply, even if the list
// does not show it at first, and sent no more.
func TestRequests_lostSecondRequestIsLookedFor(t *testing.T) {
	t.Parallel()

	for name, end := range endFirst {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			w := startWaiter(t, name, false)
			state := w.create()
			end(w, w.service.Queue()[0].ID)
			state, _ = w.MustRefresh(name, state)

			friday := w.config.With(w.another)
			state = w.loseSecond(state, friday)
			w.Reconfigure(prototest.Config(w.service).With(prototest.Attributes{"wire": prototest.Attributes{"pending_list_lag": "10s"}}))
			w.service.PendingLag = mockserver.Lag{Looks: 1}
			state, diags := w.Update(name, state, friday)
			w.NoErrors(diags)
			queued := wantQueued(t, w.service, w.operation(), 2)
			wantAttributes(t, state, prototest.Attributes{"request_id": queued[1].ID})
			if n := w.service.Count(w.operation()); n != 2 {
				t.Errorf("%d requests were sent, want 2", n)
			}
		})
	}
}

// A lost answer is forgotten once the request was found: the same triggers are sent again
// after others.
func TestDataDeletion_lostAnswerThatWasFoundIsForgotten(t *testing.T) {
	t.Parallel()

	w := startWaiter(t, deletionName, false)
	monday, friday := w.config, w.config.With(w.another)
	state := w.create()
	endFirst[deletionName](w, w.service.Queue()[0].ID)
	state = w.loseSecond(state, friday)
	for i, config := range []prototest.Attributes{friday, monday, friday} {
		var diags prototest.Diagnostics
		state, diags = w.Update(deletionName, state, config)
		w.NoErrors(diags)
		wantQueued(t, w.service, mockserver.OpDeleteAllData, 2+i)
		w.service.FulfilAll()
		w.NewRun()
		state, _ = w.MustRefresh(deletionName, state)
	}
}

// planned reports whether a plan has changes.
func (w *waiter) planned(state *prototest.State, config prototest.Attributes) bool {
	w.t.Helper()
	plan, diags := w.Plan(w.name, state, config)
	w.NoErrors(diags)
	return plan.Changes
}

// failSecond applies a configuration whose request the service accepts and fails. Data
// that are ready are not handed out.
func (w *waiter) failSecond(state *prototest.State, config prototest.Attributes) *prototest.State {
	w.t.Helper()
	fail := mockserver.Outcome{Fate: mockserver.Failed, Code: "E_SECOND"}
	operation := w.operation()
	w.service.Inject(mockserver.Fault{
		Operation: operation, Status: 202, Body: []byte(`{"requestId":"request-2"}`),
		Then: func() {
			w.service.Conclude(w.service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: person, Operation: operation}), fail)
		},
	})
	state, diags := w.Update(w.name, state, config)
	prototest.WantText(w.t, diags.Errors(), "E_SECOND", "as it was before")
	w.NewRun()

	return state
}

// loseSecond applies a configuration whose request arrives, and neither its answer nor the
// list shows it.
func (w *waiter) loseSecond(state *prototest.State, config prototest.Attributes) *prototest.State {
	w.t.Helper()
	w.service.Inject(mockserver.Fault{
		Operation: w.operation(), Cut: mockserver.CutBeforeCommit,
		Then: func() {
			w.service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: person, Operation: w.operation()})
			w.service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: 403, Body: []byte(`{"error":{}}`)})
		},
	})
	state, diags := w.Update(w.name, state, config)
	prototest.WantText(w.t, diags.Errors(), "Outcome unknown")
	w.NewRun()

	return state
}

// operation returns what the service calls the request of the object.
func (w *waiter) operation() string {
	if w.name == accessName {
		return mockserver.OpGetAllData
	}
	return mockserver.OpDeleteAllData
}

// Once a refresh has found that the request of somebody else has failed, the next apply sends
// the object's own.
func TestRequests_failedAdoptedRequestIsFollowedByOurs(t *testing.T) {
	t.Parallel()

	for _, name := range []string{deletionName, accessName} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			w := startWaiter(t, name, false)
			w.service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: person, Operation: w.operation()})
			state := w.create()
			wantQueued(t, w.service, w.operation(), 1)
			w.service.Conclude(w.service.Queue()[0].ID, mockserver.Outcome{Fate: mockserver.Failed})
			state, _ = w.MustRefresh(name, state)

			state, diags := w.Update(name, state, w.config)
			w.NoErrors(diags)
			queued := wantQueued(t, w.service, w.operation(), 2)
			wantAttributes(t, state, prototest.Attributes{"request_id": queued[1].ID})
			state, _ = w.MustRefresh(name, state)
			w.WantEmptyPlan(name, state, w.config)
		})
	}
}
