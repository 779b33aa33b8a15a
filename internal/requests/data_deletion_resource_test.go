// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

func TestDataDeletion_sentOnceAndAwaited(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	state, diags := p.MustCreate(deletionName, config(nil))
	queued := wantQueued(t, service, mockserver.OpDeleteAllData, 1)
	wantAttributes(t, state, prototest.Attributes{"fulfilled": true, "request_id": queued[0].ID})
	for _, name := range []string{"requested_at", "fulfilled_at"} {
		if text, _ := state.Attributes[name].(string); text == "" {
			t.Errorf("%s is %v", name, state.Attributes[name])
		} else if _, err := time.Parse(time.RFC3339, text); err != nil {
			t.Error(err)
		}
	}

	prototest.WantText(t, diags.Warnings(), "irreversible", "Consent is not revoked")
	wantNoPerson(t, diags)
	if service.HasData(scope, person) {
		t.Error("the person's data is still there")
	}
	if _, ok := service.Consent(scope, person); !ok {
		t.Error("the consent went with the data")
	}

	service.Reset()
	p = nextRun(t, service)
	state, _ = p.MustRefresh(deletionName, state)
	p.WantEmptyPlan(deletionName, state, config(nil))
	if n := len(service.Requests()); n != 0 {
		t.Errorf("%d requests for a deletion that is done", n)
	}
}

func TestDataDeletion_notAwaitedIsCompletedByARefresh(t *testing.T) {
	t.Parallel()

	p, service := start(t, never)
	state, _ := p.MustCreate(deletionName, config(atOnce))
	id := wantQueued(t, service, mockserver.OpDeleteAllData, 1)[0].ID
	wantAttributes(t, state, prototest.Attributes{"fulfilled": false, "fulfilled_at": nil, "request_id": id})

	p = nextRun(t, service)
	state, _ = p.MustRefresh(deletionName, state)
	wantAttributes(t, state, prototest.Attributes{"fulfilled": false})
	p.WantEmptyPlan(deletionName, state, config(atOnce))

	service.FulfilAll()

	p = nextRun(t, service)
	state, _ = p.MustRefresh(deletionName, state)
	wantAttributes(t, state, prototest.Attributes{"fulfilled": true, "request_id": id})
	p.WantEmptyPlan(deletionName, state, config(atOnce))
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
}

func TestDataDeletion_neverCarriedOutIsAWarning(t *testing.T) {
	t.Parallel()

	p, service := start(t, never)
	limits := config(within("300ms"))
	state, diags := p.MustCreate(deletionName, limits)
	id := wantQueued(t, service, mockserver.OpDeleteAllData, 1)[0].ID
	prototest.WantText(t, diags.Warnings(), "still pending", id, "fulfilled = false")
	wantAttributes(t, state, prototest.Attributes{"fulfilled": false, "request_id": id})
	wantNoPerson(t, diags)

	p = nextRun(t, service)
	state, _ = p.MustRefresh(deletionName, state)
	p.WantEmptyPlan(deletionName, state, limits)

	// A longer limit waits for the same request.
	longer := config(within("1m"))
	plan, diags := p.Plan(deletionName, state, longer)
	p.NoErrors(diags)
	if plan.Attributes["fulfilled"] != prototest.Unknown || plan.Attributes["request_id"] != id {
		t.Errorf("planned is %v", plan.Attributes)
	}

	service.FulfilAll()
	state, diags = p.Apply(t.Context(), deletionName, state, plan)
	p.NoErrors(diags)
	wantAttributes(t, state, prototest.Attributes{"fulfilled": true, "request_id": id})
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
}

func TestDataDeletion_droppedIsAWarning(t *testing.T) {
	t.Parallel()

	p, service := start(t, never)
	state, _ := p.MustCreate(deletionName, config(atOnce))
	id := wantQueued(t, service, mockserver.OpDeleteAllData, 1)[0].ID
	state, _ = p.MustRefresh(deletionName, state) // the list has shown it
	service.Forget(id)

	p = nextRun(t, service)
	state, diags := p.MustRefresh(deletionName, state)
	prototest.WantText(t, diags.Warnings(), "is gone, and its effect cannot be seen", id)
	wantNoPerson(t, diags)
	wantAttributes(t, state, prototest.Attributes{"fulfilled": false})
	p.WantEmptyPlan(deletionName, state, config(atOnce))

	// A dropped deletion came to nothing, so an object in its place sends another.
	if _, diags = p.Destroy(deletionName, state); len(diags.Errors()) > 0 {
		t.Error(diags.Errors())
	}

	p.MustCreate(deletionName, config(atOnce))
	wantQueued(t, service, mockserver.OpDeleteAllData, 2)
}

func TestDataDeletion_failureSeenByARefreshIsAWarning(t *testing.T) {
	t.Parallel()

	p, service := start(t, outcome(mockserver.Outcome{Fate: mockserver.Failed, After: -1, Code: "E_HOLD"}))
	state, _ := p.MustCreate(deletionName, config(atOnce))

	p = nextRun(t, service)
	state, diags := p.MustRefresh(deletionName, state)
	prototest.WantText(t, diags.Warnings(), "failed", "E_HOLD", "change triggers")
	wantAttributes(t, state, prototest.Attributes{"fulfilled": false})
	p.WantEmptyPlan(deletionName, state, config(atOnce))
}

func TestDataDeletion_conflictsWithOtherPendingRequests(t *testing.T) {
	t.Parallel()

	for _, operation := range []string{mockserver.OpUpdateProfile, mockserver.OpGetAllData} {
		p, service := start(t, never)
		id := service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: person, Operation: operation})
		state, diags := p.Create(deletionName, config(nil))
		if state != nil {
			t.Error("something is in state")
		}

		prototest.WantText(t, diags.Errors(), "onflicting pending request", id)
		wantQueued(t, service, mockserver.OpDeleteAllData, 0)
	}
}

func TestDataDeletion_unknownStatusIsTreatedAsPending(t *testing.T) {
	t.Parallel()

	p, service := start(t, outcome(mockserver.Outcome{Fate: mockserver.Never, Status: "QUEUED_V2"}))
	state, diags := p.MustCreate(deletionName, config(within("2500ms")))
	prototest.WantText(t, diags.Warnings(), "Unknown status", "treated as pending")
	wantAttributes(t, state, prototest.Attributes{"fulfilled": false})

	p = nextRun(t, service)
	state, diags = p.MustRefresh(deletionName, state)
	prototest.WantText(t, diags.Warnings(), "Unknown status", "wire.ended_statuses")
	wantAttributes(t, state, prototest.Attributes{"fulfilled": false})
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
}

func TestDataDeletion_unreadableListWhileWaitingIsAWarning(t *testing.T) {
	t.Parallel()

	p, service := start(t, never)
	service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Skip: 1, Times: -1, Status: 403, Body: []byte(`{"error":{"code":"no"}}`)})
	state, diags := p.MustCreate(deletionName, config(nil))
	prototest.WantText(t, diags.Warnings(), "but waiting for it failed", "Not permitted")
	wantNoPerson(t, diags)
	wantAttributes(t, state, prototest.Attributes{"fulfilled": false})
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)

	p = nextRun(t, service)
	kept, diags := p.MustRefresh(deletionName, state)
	prototest.WantText(t, diags.Warnings(), "could not be checked", "Not permitted", "In state now: the resource with fulfilled = false")
	wantAttributes(t, kept, prototest.Attributes{"request_id": state.Attributes["request_id"]})
}

func TestDataDeletion_changedTriggersSendAnother(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	on := func(day string) prototest.Attributes {
		return config(prototest.Attributes{"triggers": prototest.Attributes{"on": day}})
	}

	state, _ := p.MustCreate(deletionName, on("monday"))
	service.PutProfile(scope, person, `{"name":"Jane Canary"}`)

	p = nextRun(t, service)
	plan, diags := p.Plan(deletionName, state, on("friday"))
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "irreversible")
	if len(plan.Replace) > 0 || plan.Attributes["request_id"] != prototest.Unknown {
		t.Errorf("planned is %v, replaced for %v", plan.Attributes, plan.Replace)
	}

	state, diags = p.Apply(t.Context(), deletionName, state, plan)
	p.NoErrors(diags)
	wantAttributes(t, state, prototest.Attributes{"fulfilled": true, "request_id": wantQueued(t, service, mockserver.OpDeleteAllData, 2)[1].ID})
	if service.HasData(scope, person) {
		t.Error("the second deletion deleted nothing")
	}

	p.WantEmptyPlan(deletionName, state, on("friday"))
}

func TestDataDeletion_unchangedTriggersSendNothing(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	state, _ := p.MustCreate(deletionName, config(prototest.Attributes{"triggers": prototest.Attributes{"on": "monday"}}))
	plan, diags := p.Plan(deletionName, state, config(prototest.Attributes{"triggers": prototest.Unknown}))
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "irreversible")
	known, diags := p.Plan(deletionName, state, config(prototest.Attributes{"triggers": prototest.Attributes{"on": "monday"}}))
	p.NoErrors(diags)
	if !plan.Changes || known.Changes {
		t.Errorf("unknown changes %v, unchanged changes %v", plan.Changes, known.Changes)
	}

	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
}

func TestDataDeletion_destroyForgetsWithAWarning(t *testing.T) {
	t.Parallel()

	p, service := start(t, never)
	state, _ := p.MustCreate(deletionName, config(atOnce))

	service.Reset()
	gone, diags := p.Destroy(deletionName, state)
	p.NoErrors(diags)
	if gone != nil {
		t.Error("it is still there")
	}
	if n := len(diags.Warnings()); n != 2 {
		t.Errorf("%d warnings, want one in the plan and one in the apply", n)
	}

	prototest.WantText(t, diags.Warnings(), "cannot be undone", "stays pending")
	wantNoPerson(t, diags)
	if n := len(service.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}

	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
}

func TestDataDeletion_unusableInputIsRefused(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	refused := []prototest.Attributes{
		{"identity_id": ""},
		{"identity_id": ".."},
		{"identity_id": "a\nb"},
		{"org_id": "only"},
		{"account_id": "a", "org_id": "o", "project_id": "p"},
	}

	for _, limit := range []string{"0s", "-5m", "abc", "9999h"} {
		refused = append(refused, within(limit))
	}

	for _, others := range refused {
		if diags := p.Validate(deletionName, config(others)); len(diags.Errors()) == 0 {
			t.Errorf("%v is accepted", others)
		}
	}

	if diags := p.Validate(deletionName, prototest.Attributes{"identity_id": prototest.Unknown, "triggers": prototest.Unknown}); len(diags.Errors()) > 0 {
		t.Error(diags.Errors())
	}
	if n := len(service.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}
