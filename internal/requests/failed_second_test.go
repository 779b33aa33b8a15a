package requests_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// The error of another request that the service fails says that the object is as it was:
// it stands for the first request, in private state too.
func TestRequests_failedSecondRequestLeavesTheFirst(t *testing.T) {
	t.Parallel()

	for name, end := range map[string]func(*waiter, string){
		deletionName: func(w *waiter, id string) { w.service.Forget(id) },
		accessName:   func(w *waiter, _ string) { w.service.FulfilAll() },
	} {
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
	operation := mockserver.OpDeleteAllData
	if w.name == accessName {
		operation = mockserver.OpGetAllData
	}

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
