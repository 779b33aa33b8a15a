// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// A pending update of somebody else carries other values and is not taken over.
func TestProfile_createSendsBesideSomebodyElsesUpdate(t *testing.T) {
	t.Parallel()

	for kind, cfg := range map[string]prototest.Attributes{
		"in state":   config(`{"plan":"gold"}`, prototest.Attributes{"wait_for_fulfilment": false}),
		"write-only": writeOnly(`{"plan":"gold"}`, 1, prototest.Attributes{"wait_for_fulfilment": false}),
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()

			p, service := start(t, func(s *mockserver.Server) { s.FulfilmentDelay = time.Hour })
			service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: person, Operation: mockserver.OpUpdateProfile, Body: map[string]any{"plan": "silver"}})

			state, _ := p.MustCreate(name, cfg)
			wantSent(t, service, `{"plan":"gold"}`)
			state, _ = p.MustRefresh(name, state) // the list has shown it
			service.FulfilAll()
			state = wantEmptyPlan(t, p, state, cfg)
			if state.Attributes["fulfilled"] != true {
				t.Error("not fulfilled")
			}
			if held, _ := service.Profile(scope, person); held["plan"] != "gold" {
				t.Errorf("the service holds %v", held)
			}
		})
	}
}

func TestProfile_oldFailureIsNotItsOwn(t *testing.T) {
	t.Parallel()

	p, service := start(t, outcome(mockserver.Outcome{Fate: mockserver.Never}))
	id := service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: person, Operation: mockserver.OpUpdateProfile, At: time.Now().Add(-time.Hour)})
	service.Conclude(id, mockserver.Outcome{Fate: mockserver.Failed, Code: "E_OLD"})
	quick := config(`{"plan":"gold"}`, prototest.Attributes{"wait_for_fulfilment": false})

	state, _ := p.MustCreate(name, quick)
	state = wantEmptyPlan(t, p, state, quick)
	state, _ = p.MustRefresh(name, state) // the list has shown it
	service.FulfilAll()
	if state = wantEmptyPlan(t, p, state, quick); state.Attributes["fulfilled"] != true {
		t.Error("not fulfilled")
	}

	wantSent(t, service, `{"plan":"gold"}`)
}

func TestProfile_emptyObjectSendsNothing(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	state, _ := p.MustCreate(name, config(`{}`, nil))
	if state.Attributes["fulfilled"] != true {
		t.Errorf("state %v", state.Attributes)
	}

	wantSent(t, service)
	wantEmptyPlan(t, p, state, config(`{}`, nil))
	wantSent(t, service)
}

// A profile that something else removes while its update is pending is removed from state.
// An empty object would be planned anew forever.
func TestProfile_profileRemovedDuringAnUpdateIsCreatedAgain(t *testing.T) {
	t.Parallel()

	p, service := start(t, outcome(mockserver.Outcome{Fate: mockserver.Never}))
	service.PutProfile(scope, person, `{"plan":"free"}`)
	quick := config(`{"plan":"gold"}`, prototest.Attributes{"wait_for_fulfilment": false})
	state, _ := p.MustCreate(name, quick)
	state, _ = p.MustRefresh(name, state) // the list has shown it
	service.DeleteProfile(scope, person)
	service.Forget(service.Queue()[0].ID)

	state, diags := p.Refresh(name, state)
	p.NoErrors(diags)
	if state != nil {
		t.Fatalf("state %v", state.Attributes)
	}

	prototest.WantText(t, diags.Warnings(), "removed while its update was pending")

	service.Fulfil = nil
	state, _ = p.MustCreate(name, quick)
	wantEmptyPlan(t, p, state, quick)
}

// The next apply repeats an update whose outcome is unknown: its values are absolute, and
// a pending update could be somebody else's.
func TestProfile_unknownOutcomeOfAnUpdateIsSentAgain(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	state := created(t, p, service, config(`{"plan":"free"}`, nil))
	service.FulfilmentDelay = time.Hour
	service.Inject(mockserver.Fault{
		Operation: mockserver.OpUpdateProfile, Cut: mockserver.CutAfterCommit,
		Then: func() {
			service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Status: 403, Body: []byte("{}")})
		},
	})
	quick := config(`{"plan":"gold"}`, prototest.Attributes{"wait_for_fulfilment": false})
	state, diags := p.Update(name, state, quick)
	prototest.WantText(t, diags.Errors(), "Outcome unknown", "as it was before")

	service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: person, Operation: mockserver.OpUpdateProfile, Body: map[string]any{"plan": "silver"}})
	state, diags = p.Update(name, state, quick)
	p.NoErrors(diags)
	wantSent(t, service, `{"plan":"gold"}`, `{"plan":"gold"}`)
	state, _ = p.MustRefresh(name, state) // the list has shown it
	service.FulfilAll()
	if state = wantEmptyPlan(t, p, state, quick); state.Attributes["fulfilled"] != true {
		t.Error("not fulfilled")
	}
}

// The object of a renamed key may be destroyed after its successor has written. It must not
// clear what the successor wrote.
func TestProfile_renamedKeyClearsNothing(t *testing.T) {
	t.Parallel()

	for order, destroyFirst := range map[string]bool{"destroyed first": true, "destroyed last": false} {
		t.Run(order, func(t *testing.T) {
			t.Parallel()

			clearing := config(`{"plan":"gold"}`, prototest.Attributes{"on_destroy": "clear"})
			p, service := start(t)
			state := created(t, p, service, clearing)

			p.NewRun()

			if destroyFirst {
				_, diags := p.DestroyUnplanned(t.Context(), name, state)
				p.NoErrors(diags)
			}

			p.MustCreate(name, clearing)
			if !destroyFirst {
				_, diags := p.DestroyUnplanned(t.Context(), name, state)
				prototest.WantText(t, diags.Warnings(), "not cleared", "moved")
			}

			service.FulfilAll()
			if held, _ := service.Profile(scope, person); held["plan"] != "gold" {
				t.Errorf("the service holds %v", held)
			}
		})
	}
}

// What another object manages is not cleared, and what it does not manage is.
func TestProfile_clearsOnlyWhatNoOtherObjectManages(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	first := config(`{"plan":"gold","tier":1}`, prototest.Attributes{"on_destroy": "clear"})
	second := config(`{"plan":"gold"}`, nil)
	state := created(t, p, service, first)
	other := created(t, p, service, second)
	p.NewRun()

	_, diags := p.Plan(name, other, second) // has nothing to send
	p.NoErrors(diags)
	_, diags = p.Destroy(name, state)
	prototest.WantText(t, diags.Errors(), "Another resource manages the members")
	wantSent(t, service)

	p.NewRun()
	_, diags = p.Destroy(name, state)
	p.NoErrors(diags)
	_, diags = p.Plan(name, other, second)
	prototest.WantText(t, diags.Errors(), "Another resource manages the members")
	service.Reset()

	p.NewRun()
	_, diags = p.Update(name, other, config(`{"plan":"silver"}`, nil))
	p.NoErrors(diags)
	_, diags = p.DestroyUnplanned(t.Context(), name, state)
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "leaves them as they are: plan.")
	wantSent(t, service, `{"plan":"silver"}`, `{"tier":null}`)
}

// A changed scope of the provider must not move an object to another project unnoticed.
func TestProfile_changedProviderScope(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	state := created(t, p, service, config(`{"plan":"gold"}`, nil))
	service.FulfilmentDelay = time.Hour
	pending, _ := p.MustCreate(name, config(`{"plan":"gold"}`, prototest.Attributes{"identity_id": "user-1001", "wait_for_fulfilment": false}))

	p.Reconfigure(prototest.Config(service).With(prototest.Attributes{"project_id": "shop"}))
	state, _ = p.MustRefresh(name, state)
	plan, diags := p.Plan(name, state, config(`{"plan":"gold"}`, nil))
	p.NoErrors(diags)
	if len(plan.Replace) == 0 {
		t.Error("the object is not replaced")
	}

	prototest.WantText(t, diags.Warnings(), "scope of the provider has changed")

	_, diags = p.Plan(name, pending, config(`{"plan":"gold"}`, prototest.Attributes{"identity_id": "user-1001", "wait_for_fulfilment": false}))
	prototest.WantText(t, diags.Errors(), "under way in the former scope", "project_id")
}

// An update back to the value that the service still holds, while the update away from it
// is pending, is not fulfilled by that value.
func TestProfile_wayBackIsNotFulfilledByWhatWasThere(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	quick := prototest.Attributes{"wait_for_fulfilment": false}
	state := created(t, p, service, config(`{"plan":"free"}`, nil))
	service.FulfilmentDelay = time.Hour
	state, diags := p.Update(name, state, config(`{"plan":"gold"}`, quick))
	p.NoErrors(diags)
	service.PendingLag = mockserver.Lag{Looks: 20}
	p = prototest.MustStart(t, prototest.Config(service).With(prototest.Attributes{"wire": prototest.Attributes{"pending_list_lag": "1m"}}))

	state, diags = p.Update(name, state, config(`{"plan":"free"}`, prototest.Attributes{"timeouts": prototest.Attributes{"update": "2500ms"}}))
	p.NoErrors(diags)
	if state.Attributes["fulfilled"] != false {
		t.Errorf("it is said to be fulfilled: %v", state.Attributes)
	}
}

// A service that wraps the profile in a member: nothing is taken for the profile, and the
// setting that the message names admits the answer. The update is not sent again.
func TestProfile_wrapperHasAWayOut(t *testing.T) {
	t.Parallel()

	for _, wrapper := range []string{"user", "traits"} {
		t.Run(wrapper, func(t *testing.T) {
			t.Parallel()

			p, service := start(t, func(s *mockserver.Server) {
				mockserver.Reshape(s, func(profile map[string]any) any { return map[string]any{wrapper: profile} }, mockserver.OpGetProfile)
			})
			state, diags := p.MustCreate(name, config(`{"plan":"gold"}`, nil))
			setting := `wire.profile_member = "` + wrapper + `"`
			prototest.WantText(t, diags.Warnings(), setting)

			_, diags = p.Refresh(name, state)
			prototest.WantText(t, append(diags.Warnings(), diags.Errors()...), setting)

			p.Reconfigure(prototest.Config(service).With(prototest.Attributes{"wire": prototest.Attributes{"profile_member": wrapper}}))
			state, diags = p.MustRefresh(name, state)
			if len(diags.Warnings()) > 0 || state.Attributes["fulfilled"] != true {
				t.Errorf("with the setting it is %v: %q", state.Attributes, diags.Warnings())
			}
			p.WantEmptyPlan(name, state, config(`{"plan":"gold"}`, nil))
			if n := service.Count(mockserver.OpUpdateProfile); n != 1 {
				t.Errorf("the update was sent %d times", n)
			}
		})
	}
}

// An imported profile has no update to wait for.
func TestProfile_importedProfileStaysFulfilled(t *testing.T) {
	t.Parallel()

	p, service := start(t)
	service.PutProfile(scope, person, `{"plan":"gold"}`)
	state, diags := p.Import(name, person)
	p.NoErrors(diags)
	plan, diags := p.Plan(name, state, config("", prototest.Attributes{"profile": prototest.Unknown}))
	p.NoErrors(diags)
	plan = p.Resolve(name, plan, prototest.Attributes{"profile": `{"plan":"gold"}`})
	state, diags = p.Apply(t.Context(), name, state, plan)
	p.NoErrors(diags)
	if state.Attributes["fulfilled"] != true {
		t.Errorf("state %v", state.Attributes)
	}

	service.PutProfile(scope, person, `{"plan":"free"}`)
	state, _ = p.MustRefresh(name, state)
	if state.Attributes["profile"] != `{"plan":"free"}` {
		t.Errorf("drift is not seen: %v", state.Attributes)
	}
}
