// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

func TestDataDeletion_pendingOneIsTakenOverAndDuplicatesAreNamed(t *testing.T) {
	t.Parallel()

	p, service := start(t, never)
	at := time.Now().Add(-2 * time.Hour)
	for id, after := range map[string]time.Duration{"younger": time.Minute, "oldest": 0, "youngest": time.Hour} {
		service.Enqueue(mockserver.QueuedRequest{ID: id, Scope: scope, Identity: person, Operation: mockserver.OpDeleteAllData, At: at.Add(after)})
	}

	service.Enqueue(mockserver.QueuedRequest{ID: "theirs", Scope: scope, Identity: "somebody", Operation: mockserver.OpDeleteAllData, At: at.Add(-time.Hour)})
	state, diags := p.MustCreate(deletionName, config(atOnce))
	prototest.WantText(t, diags.Warnings(), "taken over", `"oldest"`, `"younger", "youngest"`)
	wantAttributes(t, state, prototest.Attributes{"request_id": "oldest", "fulfilled": false})
	if n := service.Count(mockserver.OpDeleteAllData); n != 0 {
		t.Errorf("%d deletions were sent", n)
	}
}

// TestDataDeletion_identifiersNameNobody has a service that makes identifiers of requests
// from the person.
func TestDataDeletion_identifiersNameNobody(t *testing.T) {
	t.Parallel()

	const customer = "customer-4711"
	p, service := start(t, never)
	for _, id := range []string{"del-" + customer, "del-" + customer + "-2"} {
		service.Enqueue(mockserver.QueuedRequest{ID: id, Scope: scope, Identity: customer, Operation: mockserver.OpDeleteAllData})
	}

	state, diags := p.MustCreate(deletionName, config(atOnce).With(prototest.Attributes{"identity_id": customer}))
	prototest.WantText(t, diags.Warnings(), "taken over", `"del-[redacted]"`, `"del-[redacted]-2"`)
	_, gone := p.Destroy(deletionName, state)
	prototest.WantText(t, gone.Warnings(), "cannot be undone", `"del-[redacted]"`)

	for _, text := range append(diags.Warnings(), gone.Warnings()...) {
		if strings.Contains(text, customer) {
			t.Errorf("the person is named: %s", text)
		}
	}
}

func TestDataDeletion_lostAnswerIsResolvedByLooking(t *testing.T) {
	t.Parallel()

	for name, fault := range map[string]mockserver.Fault{
		"cut after commit": {Cut: mockserver.CutAfterCommit},
		"500 after commit": {Status: 500, Body: []byte(`{"error":{"code":"oops"}}`), Commit: true},
		"cut in the body":  {Commit: true, Cut: mockserver.CutBody, CutAt: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p, service := start(t, never)
			fault.Operation = mockserver.OpDeleteAllData
			service.Inject(fault)
			state, _ := p.MustCreate(deletionName, config(atOnce))
			queued := wantQueued(t, service, mockserver.OpDeleteAllData, 1)
			wantAttributes(t, state, prototest.Attributes{"request_id": queued[0].ID, "fulfilled": false})
		})
	}
}

func TestDataDeletion_lostAnswerIsTakenOverByTheNextApply(t *testing.T) {
	t.Parallel()

	p, service := start(t, never)
	service.Inject(mockserver.Fault{
		Operation: mockserver.OpDeleteAllData, Cut: mockserver.CutAfterCommit,
		Then: func() {
			service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: 403, Body: []byte(`{"error":{}}`)})
		},
	})
	state, diags := p.Create(deletionName, config(atOnce))
	prototest.WantText(t, diags.Errors(), "Outcome unknown", "look at analytics_pending_requests before you apply again")
	wantNoPerson(t, diags)
	if state != nil {
		t.Error("something is in state")
	}

	p = nextRun(t, service)
	state, diags = p.MustCreate(deletionName, config(atOnce))
	prototest.WantText(t, diags.Warnings(), "taken over")
	wantAttributes(t, state, prototest.Attributes{"request_id": wantQueued(t, service, mockserver.OpDeleteAllData, 1)[0].ID})
}

// interruptedState creates an object and stops the run once its request is sent.
func interruptedState(t *testing.T, p *prototest.Provider, isSent func() bool, name string, config prototest.Attributes) (*prototest.State, prototest.Diagnostics) {
	t.Helper()
	plan, diags := p.Plan(name, nil, config)
	p.NoErrors(diags)
	type result struct {
		state *prototest.State
		diags prototest.Diagnostics
	}

	done := make(chan result, 1)
	go func() {
		state, diags := p.Apply(t.Context(), name, nil, plan)
		done <- result{state, diags}
	}()
	// Stopping before the request is sent would give it up. Stopping before the wait has begun
	// may be lost, so it is repeated.
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()

	for {
		select {
		case r := <-done:
			p.NoErrors(r.diags)
			return r.state, r.diags
		case <-ticker.C:
			if isSent() {
				p.Stop()
			}
		}
	}
}

// hasQueued returns a function that reports whether the service has accepted a request.
func hasQueued(service *mocktest.Instance) func() bool {
	return func() bool { return len(service.Queue()) > 0 }
}

func TestDataDeletion_interruptedWaitIsResumed(t *testing.T) {
	t.Parallel()

	p, service := start(t, never)
	state, diags := interruptedState(t, p, hasQueued(service), deletionName, config(nil))
	id := wantQueued(t, service, mockserver.OpDeleteAllData, 1)[0].ID
	prototest.WantText(t, diags.Warnings(), "Interrupted while waiting", id)
	wantAttributes(t, state, prototest.Attributes{"fulfilled": false, "request_id": id})

	p = nextRun(t, service)
	state, _ = p.MustRefresh(deletionName, state)
	plan, diags := p.Plan(deletionName, state, config(nil))
	p.NoErrors(diags)
	if !plan.Changes || plan.Attributes["fulfilled"] != prototest.Unknown || plan.Attributes["request_id"] != id {
		t.Errorf("planned is %v", plan.Attributes)
	}
	if slices.ContainsFunc(diags.Warnings(), func(text string) bool { return len(text) > 0 }) {
		t.Errorf("a plan that sends nothing warns: %v", diags.Warnings())
	}

	service.FulfilAll() // between plan and apply
	state, diags = p.Apply(t.Context(), deletionName, state, plan)
	p.NoErrors(diags)
	wantAttributes(t, state, prototest.Attributes{"fulfilled": true, "request_id": id})
	p.WantEmptyPlan(deletionName, state, config(nil))
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
}

func TestDataDeletion_replacedIsSentAgainForChangedTriggersOnly(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		fulfilled bool
		second    prototest.Attributes
		queued    int
	}{
		"pending":                      {false, config(atOnce), 1},
		"done":                         {true, config(atOnce), 1},
		"done, other triggers":         {true, config(atOnce).With(prototest.Attributes{"triggers": prototest.Attributes{"on": "friday"}}), 2},
		"done, and no triggers again":  {true, config(atOnce).With(prototest.Attributes{"triggers": prototest.Attributes{}}), 1},
		"pending, but other triggers":  {false, config(atOnce).With(prototest.Attributes{"triggers": prototest.Attributes{"on": "friday"}}), 1},
		"done, of another environment": {true, config(atOnce).With(prototest.Attributes{"org_id": "other", "project_id": "web"}), 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p, service := start(t, never)
			state, _ := p.MustCreate(deletionName, config(atOnce))
			if tc.fulfilled {
				service.FulfilAll()
			}

			p = nextRun(t, service)
			state, _ = p.MustRefresh(deletionName, state)

			p = nextRun(t, service) // plan and apply are two processes
			gone, diags := p.Destroy(deletionName, state)
			p.NoErrors(diags)
			if gone != nil {
				t.Fatal("it is still there")
			}

			next, diags := p.MustCreate(deletionName, tc.second)
			wantQueued(t, service, mockserver.OpDeleteAllData, tc.queued)
			if tc.queued == 1 && tc.fulfilled {
				prototest.WantText(t, diags.Warnings(), "No second deletion was sent")
				wantAttributes(t, next, prototest.Attributes{
					"fulfilled": true, "request_id": state.Attributes["request_id"],
					"requested_at": state.Attributes["requested_at"], "fulfilled_at": state.Attributes["fulfilled_at"],
				})
			}
		})
	}
}

func TestDataDeletion_twoOfOnePersonInOneRunSendOne(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	var group sync.WaitGroup
	for range 5 {
		group.Go(func() {
			state, diags := p.Create(deletionName, config(nil))
			if len(diags.Errors()) > 0 || state == nil || state.Attributes["fulfilled"] != true {
				t.Errorf("created is %v: %v", state, diags.Errors())
			}
		})
	}

	group.Wait()
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
}

func TestDataDeletion_foundInALongListInAnyOrder(t *testing.T) {
	t.Parallel()

	many := soak.Size(1_000, 100_000)
	records := make([]map[string]any, 0, many)
	for i := range many {
		records = append(records, map[string]any{"id": fmt.Sprint("r-", i), "identityId": fmt.Sprint("user-", i), "operation": "deleteAllData", "status": "pending", "createdAt": "2026-01-31T12:00:00Z"})
	}

	ours := many * 2 / 3
	records[ours]["identityId"] = person
	p, service := start(t, func(s *mockserver.Server) {
		mockserver.Reshape(s, func([]map[string]any) any { return records }, mockserver.OpListPendingRequests)
	})
	state, _ := p.MustCreate(deletionName, config(atOnce))
	wantAttributes(t, state, prototest.Attributes{"request_id": fmt.Sprint("r-", ours), "requested_at": "2026-01-31T12:00:00Z"})
	wantQueued(t, service, mockserver.OpDeleteAllData, 0)
}

func TestDataDeletion_failureAfterAnInterruptIsAWarning(t *testing.T) {
	t.Parallel()

	p, service := start(t, never)
	state, _ := interruptedState(t, p, hasQueued(service), deletionName, config(nil))

	p = nextRun(t, service)
	plan, diags := p.Plan(deletionName, state, config(nil))
	p.NoErrors(diags)
	service.Conclude("request-1", mockserver.Outcome{Fate: mockserver.Failed, Code: "E_HOLD"})
	state, diags = p.Apply(t.Context(), deletionName, state, plan)
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "failed", "E_HOLD", "request-1")
	wantAttributes(t, state, prototest.Attributes{"fulfilled": false, "request_id": "request-1"})
	p.WantEmptyPlan(deletionName, state, config(nil))
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
}
