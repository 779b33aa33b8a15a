// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

var (
	gold      = `{"plan":"gold"}`
	quickGold = config(gold, notWaiting)
)

// enqueue puts an update of somebody else into the queue of the service.
func (o *object) enqueue(plan string, age time.Duration) (id string) {
	return o.service.Enqueue(mockserver.QueuedRequest{
		Scope: scope, Identity: person, Operation: mockserver.OpUpdateProfile, Body: map[string]any{"plan": plan}, At: time.Now().Add(-age),
	})
}

// A pending update of somebody else carries other values and is not taken over.
func TestProfile_createSendsBesideSomebodyElsesUpdate(t *testing.T) {
	t.Parallel()
	for kind, cfg := range map[string]prototest.Attributes{"in state": quickGold, "write-only": writeOnly(gold, 1, notWaiting)} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, o *object) {
				o.enqueue("silver", 0)
				state := o.listed(cfg)
				wantSent(t, o.service, gold)
				o.service.FulfilAll()
				wantFulfilled(t, o.wantEmptyPlan(state, cfg), true, cfg["profile"])
				o.wantHeld("plan", "gold")
			}, never)
		})
	}
}

func TestProfile_oldFailureIsNotItsOwn(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		o.service.Conclude(o.enqueue("silver", time.Hour), mockserver.Outcome{Fate: mockserver.Failed, Code: "E_OLD"})
		state := o.wantEmptyPlan(o.listed(quickGold), quickGold)
		o.service.FulfilAll()
		wantFulfilled(t, o.wantEmptyPlan(state, quickGold), true, gold)
		wantSent(t, o.service, gold)
	}, never)
}

func TestProfile_emptyObjectSendsNothing(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		state, _ := o.MustCreate(name, config(`{}`, nil))
		wantFulfilled(t, state, true, `{}`)
		o.wantEmptyPlan(state, config(`{}`, nil))
		wantSent(t, o.service)
	})
}

// A profile that something else removes while its update is pending is removed from state.
// An empty object would be planned anew forever.
func TestProfile_profileRemovedDuringAnUpdateIsCreatedAgain(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		o.service.PutProfile(scope, person, `{"plan":"free"}`)
		state := o.listed(quickGold)
		o.service.DeleteProfile(scope, person)
		o.service.Forget(o.service.Queue()[0].ID)

		state, diags := o.Refresh(name, state)
		o.NoErrors(diags)
		if state != nil {
			t.Fatalf("state %v", state.Attributes)
		}
		prototest.WantText(t, diags.Warnings(), "removed while its update was pending")

		o.service.Fulfil = nil
		state, _ = o.MustCreate(name, quickGold)
		o.wantEmptyPlan(state, quickGold)
	}, never)
}

// The next apply repeats an update whose outcome is unknown: its values are absolute, and
// a pending update could be somebody else's.
func TestProfile_unknownOutcomeOfAnUpdateIsSentAgain(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		state := o.create(config(`{"plan":"free"}`, nil))
		never(o.service.Server)
		o.service.Inject(
			mockserver.Fault{Operation: mockserver.OpUpdateProfile, Cut: mockserver.CutAfterCommit},
			mockserver.Fault{Operation: mockserver.OpListPendingRequests, Skip: 1, Status: 403, Body: []byte("{}")},
		)
		state, diags := o.Update(name, state, quickGold)
		prototest.WantText(t, diags.Errors(), "Outcome unknown", "as it was before")

		o.enqueue("silver", 0)
		state, _ = o.mustUpdate(state, quickGold)
		wantSent(t, o.service, gold, gold)
		state, _ = o.MustRefresh(name, state) // the list has shown it
		o.service.FulfilAll()
		wantFulfilled(t, o.wantEmptyPlan(state, quickGold), true, gold)
	})
}

// The object of a renamed key may be destroyed after its successor has written. It must not
// clear what the successor wrote.
func TestProfile_renamedKeyClearsNothing(t *testing.T) {
	t.Parallel()
	for order, destroyFirst := range map[string]bool{"destroyed first": true, "destroyed last": false} {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, o *object) {
				clearing := config(gold, prototest.Attributes{"on_destroy": "clear"})
				state := o.create(clearing)
				if destroyFirst {
					_, diags := o.DestroyUnplanned(t.Context(), name, state)
					o.NoErrors(diags)
				}

				o.MustCreate(name, clearing)
				if !destroyFirst {
					_, diags := o.DestroyUnplanned(t.Context(), name, state)
					prototest.WantText(t, diags.Warnings(), "not cleared", "moved")
				}
				o.service.FulfilAll()
				o.wantHeld("plan", "gold")
			})
		})
	}
}

// What another object manages is not cleared, and what it does not manage is.
func TestProfile_clearsOnlyWhatNoOtherObjectManages(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		second := config(gold, nil)
		state := o.create(config(`{"plan":"gold","tier":1}`, prototest.Attributes{"on_destroy": "clear"}))
		other := o.create(second)

		o.mustPlan(other, second) // has nothing to send
		_, diags := o.Destroy(name, state)
		prototest.WantText(t, diags.Errors(), "Another resource manages the members")
		wantSent(t, o.service)

		o.NewRun()
		_, diags = o.Destroy(name, state)
		o.NoErrors(diags)
		_, diags = o.Plan(name, other, second)
		prototest.WantText(t, diags.Errors(), "Another resource manages the members")
		o.service.Reset()

		o.NewRun()
		o.mustUpdate(other, config(`{"plan":"silver"}`, nil))
		_, diags = o.DestroyUnplanned(t.Context(), name, state)
		o.NoErrors(diags)
		prototest.WantText(t, diags.Warnings(), "leaves them as they are: plan.")
		wantSent(t, o.service, `{"plan":"silver"}`, `{"tier":null}`)
	})
}

// An update back to the value that the service still holds, while the update away from it
// is pending, is not fulfilled by that value.
func TestProfile_wayBackIsNotFulfilledByWhatWasThere(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		state := o.create(config(`{"plan":"free"}`, nil))
		never(o.service.Server)
		state, _ = o.mustUpdate(state, quickGold)
		o.service.SetPendingLag(mockserver.Lag{Looks: 20})
		o.Reconfigure(prototest.Config(o.service).With(prototest.Attributes{"wire": prototest.Attributes{"pending_list_lag": "1m"}}))

		back := config(`{"plan":"free"}`, prototest.Attributes{"timeouts": prototest.Attributes{"update": "2500ms"}})
		state, _ = o.mustUpdate(state, back)
		wantFulfilled(t, state, false, `{"plan":"free"}`)
	})
}

// A service that wraps the profile in a member: nothing is taken for the profile, and the
// setting that the message names admits the answer. The update is not sent again.
func TestProfile_wrapperHasAWayOut(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		state, diags := o.MustCreate(name, config(gold, nil))
		const setting = `wire.profile_member = "traits"`
		prototest.WantText(t, diags.Warnings(), setting)
		_, diags = o.Refresh(name, state)
		prototest.WantText(t, append(diags.Warnings(), diags.Errors()...), setting)

		o.Reconfigure(prototest.Config(o.service).With(prototest.Attributes{"wire": prototest.Attributes{"profile_member": "traits"}}))
		state, diags = o.MustRefresh(name, state)
		wantFulfilled(t, state, true, gold)
		if len(diags.Warnings()) > 0 {
			t.Errorf("with the setting it says %q", diags.Warnings())
		}
		o.WantEmptyPlan(name, state, config(gold, nil))
		wantSent(t, o.service, gold)
	}, func(s *mockserver.Server) {
		mockserver.Reshape(s, func(profile map[string]any) any { return map[string]any{"traits": profile} }, mockserver.OpGetProfile)
	})
}

// An imported profile has no update to wait for.
func TestProfile_importedProfileStaysFulfilled(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		o.service.PutProfile(scope, person, gold)
		state, diags := o.Import(name, person)
		o.NoErrors(diags)
		plan, _ := o.mustPlan(state, config("", prototest.Attributes{"profile": prototest.Unknown}))
		plan = o.Resolve(name, plan, prototest.Attributes{"profile": gold})
		state, diags = o.Apply(t.Context(), name, state, plan)
		o.NoErrors(diags)
		wantFulfilled(t, state, true, gold)

		o.service.PutProfile(scope, person, `{"plan":"free"}`)
		state, _ = o.MustRefresh(name, state)
		wantFulfilled(t, state, true, `{"plan":"free"}`)
	})
}
