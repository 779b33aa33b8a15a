// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// The life of an update that profiles share with other requests is tested in package requests.

// A refresh after an update that came to nothing shows what the service holds, which proves
// nothing of the update.
func TestProfile_droppedUpdateIsNeverFulfilledByARefresh(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		const free = `{"plan":"free"}`
		o.service.PutProfile(scope, person, free)
		state := o.listed(quickGold)
		id := o.service.Queue()[0].ID
		o.service.Forget(id)
		for range 3 {
			var diags prototest.Diagnostics
			state, diags = o.MustRefresh(name, state)
			prototest.WantText(t, diags.Warnings(), "is gone, and its effect cannot be seen", id)
			wantFulfilled(t, state, false, free)
			if plan, _ := o.mustPlan(state, quickGold); !plan.Changes {
				t.Error("the plan is empty, although nothing was written")
			}
		}

		o.service.RenamePending("identityId", "")
		o.service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: "somebody else", Operation: mockserver.OpUpdateProfile})
		state, _ = o.MustRefresh(name, state) // the list cannot be read as a whole
		wantFulfilled(t, state, false, free)
	}, never)
}

// The update is fulfilled between the reading of the list and that of the profile.
func TestProfile_fulfilledDuringARefreshIsNotGone(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		state, _ := o.MustCreate(name, quickGold)
		o.service.Inject(mockserver.Fault{Operation: mockserver.OpListPendingRequests, Then: o.service.FulfilAll})
		for range 2 {
			var diags prototest.Diagnostics
			if state, diags = o.MustRefresh(name, state); len(diags) != 0 {
				t.Errorf("state %v, warnings %v", state.Attributes, diags.Warnings())
			}
		}
		wantFulfilled(t, o.wantEmptyPlan(state, quickGold), true, gold)
		wantSent(t, o.service, gold)
	}, never)
}

// Write-only values whose update came to nothing are sent again by the next apply.
func TestProfile_failedWriteOnlyUpdateIsSentAgain(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		o.service.PutProfile(scope, person, `{"plan":"free"}`)
		given := writeOnly(gold, 1, notWaiting)
		state, _ := o.MustCreate(name, given)
		o.service.Conclude(o.service.Queue()[0].ID, mockserver.Outcome{Fate: mockserver.Failed})
		state, _ = o.MustRefresh(name, state)

		o.service.Fulfil = nil
		if plan, _ := o.mustPlan(state, given); !plan.Changes {
			t.Fatal("the plan is empty, although nothing was written")
		}
		plan, _ := o.mustPlan(state, given.With(prototest.Attributes{"profile_wo": prototest.Unknown}))
		if !plan.Changes || plan.Attributes["fulfilled"] != prototest.Unknown {
			t.Errorf("with values that are not known yet, the plan is %v", plan.Attributes)
		}
		state, _ = o.mustUpdate(state, given)
		o.MustRefresh(name, state)
		wantSent(t, o.service, gold, gold)
	}, never)
}

// The error of a second update says that the object is as it was: it stands for the first one,
// which is still pending.
func TestProfile_failedSecondUpdateLeavesTheFirst(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		state := o.listed(quickGold)
		outcome(mockserver.Outcome{Fate: mockserver.Failed, After: -1})(o.service.Server)
		state, diags := o.Update(name, state, config(`{"plan":"silver"}`, nil))
		prototest.WantText(t, diags.Errors(), "then failed it")

		o.service.FulfilAll()
		state, diags = o.MustRefresh(name, state)
		wantFulfilled(t, state, true, gold)
		if len(diags) != 0 {
			t.Errorf("it warns: %v", diags.Warnings())
		}
		o.WantEmptyPlan(name, state, quickGold)
	}, never)
}

// The last update is fulfilled, and an earlier one that is pending may still change the
// profile.
func TestProfile_twoPendingUpdatesAreBothAccountedFor(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		second := config(`{"plan":"silver"}`, notWaiting)
		state, _ := o.MustCreate(name, quickGold)
		state, _ = o.mustUpdate(state, second)
		state, _ = o.MustRefresh(name, state) // the list has shown it

		queue := o.service.Queue()
		o.service.Conclude(queue[1].ID, mockserver.Outcome{})
		state = o.wantEmptyPlan(state, second)
		wantFulfilled(t, state, false, second["profile"])

		o.service.Conclude(queue[0].ID, mockserver.Outcome{Fate: mockserver.Failed})
		wantFulfilled(t, o.wantEmptyPlan(state, second), true, second["profile"])
	}, never)
}

// The update that clears a destroyed profile is one like any other.
func TestProfile_clearingIsAwaited(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ends  mockserver.Outcome
		waits bool
		says  string
		stays bool
	}{
		"fulfilled":    {mockserver.Outcome{After: 2 * time.Second}, true, "", false},
		"never":        {mockserver.Outcome{Fate: mockserver.Never}, true, "within the time that timeouts allows", false},
		"not awaited":  {mockserver.Outcome{Fate: mockserver.Never}, false, "still pending", false},
		"failed":       {mockserver.Outcome{Fate: mockserver.Failed, After: time.Second, Code: "E42"}, true, "E42", true},
		"without time": {mockserver.Outcome{After: -1}, true, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, o *object) {
				limit := prototest.Attributes{"on_destroy": "clear", "wait_for_fulfilment": c.waits, "timeouts": prototest.Attributes{"update": "4s"}}
				state := o.create(config(gold, limit))
				o.service.FulfilAll()
				outcome(c.ends)(o.service.Server)

				state, diags := o.Destroy("analytics_profile", state)
				prototest.WantText(t, append(diags.Errors(), append(diags.Warnings(), "")...), c.says)
				if len(diags) > 0 && c.says == "" || (state != nil) != c.stays || (len(diags.Errors()) > 0) != c.stays {
					t.Errorf("%v %v, state %v", diags.Errors(), diags.Warnings(), state)
				}
				var want any = "gold"
				if c.says == "" {
					want = nil
				}
				o.wantHeld("plan", want)
				wantSent(t, o.service, `{"plan":null}`)
			})
		})
	}
}

// Write-only members that another version does not have stay, and the plan says so.
func TestProfile_droppedWriteOnlyMemberIsSaidToStay(t *testing.T) {
	t.Parallel()
	clearing := prototest.Attributes{"on_destroy": "clear"}
	for to, c := range map[string]struct {
		config prototest.Attributes
		says   bool
	}{
		"another version":  {writeOnly(gold, 2, clearing), true},
		"the same version": {writeOnly(gold, 1, nil), false},
		"values in state":  {config(gold, clearing), true},
		"all of them":      {config(`{"plan":"gold","tier":null}`, nil), false},
	} {
		t.Run(to, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, o *object) {
				state := o.create(writeOnly(`{"plan":"gold","tier":1}`, 1, nil))
				_, diags := o.mustPlan(state, c.config)
				if says := len(diags.Warnings()) > 0; says != c.says {
					t.Fatalf("it says %v", diags.Warnings())
				}
				if !c.says {
					return
				}

				prototest.WantText(t, diags.Warnings(), "no longer managed", "tier")
				state, _ = o.mustUpdate(state, c.config)
				if diags := o.WantEmptyPlan(name, state, c.config); len(diags) > 0 {
					t.Errorf("afterwards it says %v", diags.Warnings())
				}

				_, diags = o.Destroy(name, state) // which stays as well
				o.NoErrors(diags)
				wantSent(t, o.service, gold, `{"plan":null}`)
			})
		})
	}
}

// A refresh of an update that nothing can show says so.
func TestProfile_unprovenUpdateIsSaidToBe(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		state := o.listed(writeOnly(gold, 1, notWaiting))
		state, diags := o.MustRefresh(name, state)
		wantFulfilled(t, state, false, nil)
		prototest.WantText(t, diags.Warnings(), "nothing shows that it was carried out", o.service.Queue()[0].ID)
	}, outcome(mockserver.Outcome{After: -1}))
}

// What a profile was before an update shows nothing of the update.
func TestProfile_olderProfileProvesNothing(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, o *object) {
		state, _ := o.MustCreate(name, quickGold)
		o.service.Inject(mockserver.Fault{
			Operation: mockserver.OpGetProfile, Status: 200, Body: []byte(gold), Header: map[string][]string{"Date": {"Fri, 31 Dec 1999 23:00:00 GMT"}}, Times: -1,
		})
		o.service.Forget(o.service.Queue()[0].ID)
		for range 3 {
			state, _ = o.MustRefresh(name, state)
			wantFulfilled(t, state, false, gold)
		}
	}, never)
}
