// SPDX-License-Identifier: MPL-2.0

package profile_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/run"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// The life of an update that profiles share with other requests is tested in package requests.

// wantNotWritten fails the test if an update counts as fulfilled that has written nothing, or the
// plan does not send it again.
func (o *object) wantNotWritten(state *prototest.State, config prototest.Attributes) {
	o.t.Helper()
	if plan, _ := o.MustPlan(name, state, config); state.Attributes["fulfilled"] != false || !plan.Changes {
		o.t.Errorf("the plan changes %v, state %v", plan.Changes, state.Attributes)
	}
}

// The service carries out nothing by itself.
func TestProfile_pendingUpdate(t *testing.T) {
	t.Parallel()
	dropped := func(left string) func(t *testing.T, o *object) {
		return func(_ *testing.T, o *object) {
			state := o.listed(quickGold)
			o.service.Conclude(o.service.Queue()[0].ID, mockserver.Outcome{Fate: mockserver.Vanished})
			o.service.PutProfile(scope, person, left)
			state, _ = o.refreshTwice(state)
			o.wantNotWritten(state, quickGold)
		}
	}
	inBubbles(t, map[string]func(t *testing.T, o *object){
		// A refresh after an update that came to nothing shows what the service holds, which proves
		// nothing of the update.
		"dropped one is never fulfilled by a refresh": func(t *testing.T, o *object) {
			o.service.PutProfile(scope, person, free)
			state := o.listed(quickGold)
			id := o.service.Queue()[0].ID
			o.service.Conclude(id, mockserver.Outcome{Fate: mockserver.Vanished})
			for range 3 {
				var diags prototest.Diagnostics
				state, diags = o.refreshTwice(state)
				prototest.WantText(t, diags.Warnings(), "is gone, and its effect cannot be seen", id)
				wantFulfilled(t, state, false, free)
				o.wantNotWritten(state, quickGold)
			}

			o.service.RenamePending("identityId", "")
			o.service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: "somebody else", Operation: mockserver.OpUpdateProfile})
			state, _ = o.MustRefresh(name, state) // the list cannot be read as a whole
			wantFulfilled(t, state, false, free)
		},

		// The person's own change, right after the update was lost, is drift.
		"dropped one that the person changes is not fulfilled": dropped(`{"plan":"silver"}`),
		// A member without a value may be absent or null: the one is not what the service has made of ours.
		"dropped one that leaves a null is not fulfilled": dropped(`{"plan":null}`),

		// What the profile had before an update that was sent beside another is not known, so that the
		// value of the other is not taken for what the service has made of ours.
		"dropped one beside another is not fulfilled": func(_ *testing.T, o *object) {
			o.enqueue("free")
			state := o.listed(quickGold)
			o.service.Conclude(o.service.Queue()[1].ID, mockserver.Outcome{Fate: mockserver.Vanished})
			o.service.FulfilAll()

			state, _ = o.refreshTwice(state)
			o.wantNotWritten(state, quickGold)
			o.wantHeld("plan", "free")
		},

		"what a profile was before proves nothing": func(t *testing.T, o *object) {
			state, _ := o.MustCreate(name, quickGold)
			o.service.Inject(mockserver.Fault{
				Operation: mockserver.OpGetProfile, Status: 200, Body: []byte(gold), Header: map[string][]string{"Date": {"Fri, 31 Dec 1999 23:00:00 GMT"}}, Times: -1,
			})
			o.service.Conclude(o.service.Queue()[0].ID, mockserver.Outcome{Fate: mockserver.Vanished})
			for range 3 {
				state, _ = o.MustRefresh(name, state)
				wantFulfilled(t, state, false, gold)
			}
		},

		// An empty object would be planned anew forever.
		"profile that is removed meanwhile is created again": func(t *testing.T, o *object) {
			o.service.PutProfile(scope, person, free)
			state := o.listed(quickGold)
			o.service.DeleteProfile(scope, person)
			o.service.Conclude(o.service.Queue()[0].ID, mockserver.Outcome{Fate: mockserver.Vanished})

			state, diags := o.refreshTwice(state)
			o.NoErrors(diags)
			if state != nil {
				t.Fatalf("state %v", state.Attributes)
			}

			o.service.Fulfil = nil
			state, _ = o.MustCreate(name, quickGold)
			o.wantEmptyPlan(state, quickGold)
		},

		"failed one with write-only values is sent again": func(t *testing.T, o *object) {
			o.service.PutProfile(scope, person, free)
			given := writeOnly(gold, 1, notWaiting)
			state, _ := o.MustCreate(name, given)
			o.service.Conclude(o.service.Queue()[0].ID, mockserver.Outcome{Fate: mockserver.Failed})
			state, _ = o.MustRefresh(name, state)

			o.service.Fulfil = nil
			o.wantNotWritten(state, given)
			plan, _ := o.MustPlan(name, state, given.With(prototest.Attributes{"profile_wo": prototest.Unknown}))
			if !plan.Changes || plan.Attributes["fulfilled"] != prototest.Unknown {
				t.Errorf("with values that are not known yet, the plan is %v", plan.Attributes)
			}
			state, _ = o.MustUpdate(name, state, given)
			o.MustRefresh(name, state)
			wantSent(t, o.service, gold, gold)
		},

		// The service has made the value before it of an older one of ours.
		"dropped one of a made value is not fulfilled": func(t *testing.T, o *object) {
			outcome(mockserver.Outcome{After: 2 * time.Second, KeepListed: true})(o.service.Server)
			mockserver.Reshape(o.service.Server, func(profile map[string]any) any {
				profile["v"] = strings.ToLower(fmt.Sprint(profile["v"]))
				return profile
			}, mockserver.OpGetProfile)
			state := o.wantEmptyPlan(o.create(config(`{"v":"OLD"}`, nil)), config(`{"v":"OLD"}`, nil))

			outcome(mockserver.Outcome{Fate: mockserver.Failed, After: 2 * time.Second})(o.service.Server)
			state, diags := o.Update(name, state, config(`{"v":"NEW"}`, nil))
			prototest.WantText(t, diags.Errors(), "then failed it", "as it was before")
			state = o.wantEmptyPlan(state, config(`{"v":"OLD"}`, nil))

			outcome(mockserver.Outcome{Fate: mockserver.Vanished, After: 2 * time.Second})(o.service.Server)
			state, _ = o.MustUpdate(name, state, config(`{"v":"NEW"}`, nil))
			state, _ = o.MustRefresh(name, state)
			o.wantNotWritten(state, config(`{"v":"NEW"}`, nil))
		},

		// A state that was written by hand, or by a version that kept nothing, has no private part.
		"pending one without private state is fulfilled by its effect alone": func(t *testing.T, o *object) {
			o.service.PutProfile(scope, person, free)
			state := o.create(quickGold)
			state.Private = nil
			for range 2 {
				state, _ = o.refreshTwice(state)
				wantFulfilled(t, state, false, gold)
			}

			o.service.FulfilAll()
			for range 2 {
				state, _ = o.refreshTwice(state)
			}
			wantFulfilled(t, state, true, gold)
			wantSent(t, o.service)
			o.WantEmptyPlan(name, state, quickGold)
		},

		// The values of members that it does not set say nothing of it.
		"one of several members is fulfilled by its own": func(t *testing.T, o *object) {
			o.service.Fulfil = nil
			before, after := `{"plan":"free","tier":1}`, `{"plan":"gold","tier":1}`
			state := o.create(config(before, nil))
			never(o.service.Server)
			state, _ = o.MustUpdate(name, state, config(after, notWaiting))
			state, _ = o.MustRefresh(name, state) // the list has shown it
			o.service.FulfilAll()
			o.service.PutProfile(scope, person, `{"plan":"gold","tier":2}`)
			state, _ = o.refreshTwice(state)
			state, _ = o.MustRefresh(name, state)
			wantFulfilled(t, state, true, `{"plan":"gold","tier":2}`)
		},

		// The value of another update is not what the service has made of ours.
		"done one beside another leaves the difference": func(t *testing.T, o *object) {
			o.service.PutProfile(scope, person, free)
			state, _ := o.MustCreate(name, quickGold)
			o.enqueue("silver")
			state, _ = o.MustRefresh(name, state)
			queue := o.service.Queue()
			o.service.Conclude(queue[0].ID, mockserver.Outcome{KeepListed: true})
			o.service.Conclude(queue[1].ID, mockserver.Outcome{})
			state, _ = o.refreshTwice(state)
			state, _ = o.MustRefresh(name, state)
			wantFulfilled(t, state, true, `{"plan":"silver"}`)
		},

		// It may be what the service makes of ours, and is not kept to compare with.
		"write-only one that the service makes something of is not sent again": func(_ *testing.T, o *object) {
			outcome(mockserver.Outcome{After: 2 * time.Second})(o.service.Server)
			o.service.PutProfile(scope, person, free)
			mockserver.Reshape(o.service.Server, func(profile map[string]any) any {
				if profile["plan"] == "gold" {
					profile["plan"] = "1815"
				}
				return profile
			}, mockserver.OpGetProfile)
			state := o.wantEmptyPlan(o.create(writeOnly(gold, 1, nil)), writeOnly(gold, 1, nil))
			wantFulfilled(t, state, true, nil)
		},

		// Those of before may be write-only ones too.
		"write-only values and those of before are in private state in no form": func(t *testing.T, o *object) {
			var remembered []string
			remember := func(state *prototest.State) {
				var private struct{ Request []byte }
				var document run.Document
				if err := json.Unmarshal(state.Private, &private); err != nil {
					t.Fatal(err)
				}
				if err := json.Unmarshal(private.Request, &document); err != nil {
					t.Fatal(err)
				}
				remembered = append(remembered, string(document.Values))
				o.service.FulfilAll()
				o.NewRun()
			}
			for held, sent := range map[string]string{free: `{"plan":"silver"}`, gold: `{"plan":"bronze"}`} {
				o.service.PutProfile(scope, person, held)
				state, _ := o.MustCreate(name, writeOnly(sent, 1, notWaiting))
				remember(state)
				state, _ = o.MustUpdate(name, state, config(`{"plan":"tin"}`, notWaiting))
				remember(state)
			}
			if remembered[0] != remembered[2] || remembered[1] != remembered[3] {
				t.Errorf("private state has %q", remembered)
			}
		},

		// The list does not show the first one yet.
		"first one is known to the run after a refused second": func(t *testing.T, o *object) {
			o.Reconfigure(prototest.Config(o.service).With(prototest.Attributes{"wire": prototest.Attributes{"lag": "10s"}}))
			o.service.SetPendingLag(mockserver.Lag{Time: 10 * time.Second})
			for _, configs := range [][]prototest.Attributes{
				{quickGold, config(`{"tier":1}`, nil)},
				{writeOnly(`{"plan":"silver"}`, 1, notWaiting), writeOnly(`{"tier":1}`, 1, nil)},
			} {
				o.MustCreate(name, configs[0])
				o.service.Inject(mockserver.Fault{Operation: mockserver.OpUpdateProfile, Status: 403, Body: []byte(`{}`)})
				_, diags := o.Create(name, configs[1])
				prototest.WantText(t, diags.Errors(), "Not permitted")
				_, diags = o.Create("analytics_data_deletion", prototest.Attributes{"identity_id": person})
				prototest.WantText(t, diags.Errors(), "Conflicting pending request")
				o.service.FulfilAll()
				o.NewRun()
			}
		},

		// The second one is fulfilled, and the first may still change the profile.
		"first one counts beside the second": func(t *testing.T, o *object) {
			second := config(`{"plan":"silver"}`, notWaiting)
			state, _ := o.MustCreate(name, quickGold)
			state, _ = o.MustUpdate(name, state, second)
			state, _ = o.MustRefresh(name, state) // the list has shown it

			queue := o.service.Queue()
			o.service.Conclude(queue[1].ID, mockserver.Outcome{})
			state = o.wantEmptyPlan(state, second)
			wantFulfilled(t, state, false, second["profile"])

			o.service.Conclude(queue[0].ID, mockserver.Outcome{Fate: mockserver.Failed})
			wantFulfilled(t, o.wantEmptyPlan(state, second), true, second["profile"])
		},

		// Its values are absolute, and a pending update could be somebody else's.
		"one of unknown outcome is sent again": func(t *testing.T, o *object) {
			o.service.Fulfil = nil
			state := o.create(config(free, nil))
			never(o.service.Server)
			o.service.Inject(
				mockserver.Fault{Operation: mockserver.OpUpdateProfile, Cut: mockserver.CutAfterCommit},
				mockserver.Fault{Operation: mockserver.OpListPendingRequests, Skip: 1, Status: 403, Body: []byte("{}")},
			)
			state, diags := o.Update(name, state, quickGold)
			prototest.WantText(t, diags.Errors(), "Outcome unknown", "as it was before")

			o.NewRun()
			o.enqueue("silver")
			state, _ = o.MustUpdate(name, state, quickGold)
			wantSent(t, o.service, gold, gold)
			state, _ = o.MustRefresh(name, state) // the list has shown it
			o.service.FulfilAll()
			state, _ = o.refreshTwice(state)
			wantFulfilled(t, o.wantEmptyPlan(state, quickGold), true, gold)
		},
	}, never)
}

// The successor of a renamed key writes all or some of the members while the update that clears
// them is awaited.
func TestProfile_clearingEndsOnceAnotherObjectHasWritten(t *testing.T) {
	t.Parallel()
	for _, profile := range []string{gold, `{"plan":"gold","tier":1}`} {
		bubble(t, func(t *testing.T, o *object) {
			state, began := o.create(config(profile, clearing)), time.Now()
			destroyed := make(chan prototest.Diagnostics)
			go func() {
				_, diags := o.DestroyUnplanned(t.Context(), name, state)
				destroyed <- diags
			}()

			synctest.Wait()
			o.MustCreate(name, config(gold, clearing))
			if diags := <-destroyed; len(diags) > 0 || time.Since(began) > time.Minute {
				t.Errorf("after %s, it says %q %q", time.Since(began), diags.Warnings(), diags.Errors())
			}
			o.wantHeld("plan", "gold")
			o.wantHeld("tier", nil)
		}, func(s *mockserver.Server) { s.FulfilmentDelay = 5 * time.Second })
	}
}

// enqueue puts an update of somebody else into the queue of the service.
func (o *object) enqueue(plan string) {
	o.service.Enqueue(mockserver.QueuedRequest{
		Scope: scope, Identity: person, Operation: mockserver.OpUpdateProfile, Body: map[string]any{"plan": plan}, At: time.Now(),
	})
}

func TestProfile_clearsNothingThatAnotherObjectManages(t *testing.T) {
	t.Parallel()
	renamed := func(destroyFirst bool) func(t *testing.T, o *object) {
		return func(t *testing.T, o *object) {
			state := o.create(config(gold, clearing))
			destroy := func() prototest.Diagnostics {
				_, diags := o.DestroyUnplanned(t.Context(), name, state)
				o.NoErrors(diags)
				return diags
			}
			if destroyFirst {
				destroy()
			}
			o.MustCreate(name, config(gold, clearing))
			if !destroyFirst {
				prototest.WantText(t, destroy().Warnings(), "not cleared", "moved")
			}
			o.service.FulfilAll()
			o.wantHeld("plan", "gold")
		}
	}

	inBubbles(t, map[string]func(t *testing.T, o *object){
		// The object of a renamed key may be destroyed after its successor has written.
		"renamed key that is destroyed first": renamed(true),
		"renamed key that is destroyed last":  renamed(false),

		"members in common": func(t *testing.T, o *object) {
			second := config(gold, nil)
			state := o.create(config(`{"plan":"gold","tier":1}`, clearing))
			other := o.create(second)

			o.MustPlan(name, other, second) // has nothing to send
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
			o.MustPlan(name, other, config(`{"plan":"silver"}`, nil)) // writes the member in any case
			o.MustPlan(name, state, nil)

			o.NewRun()
			o.MustUpdate(name, other, config(`{"plan":"silver"}`, nil))
			_, diags = o.DestroyUnplanned(t.Context(), name, state)
			o.NoErrors(diags)
			prototest.WantText(t, diags.Warnings(), "leaves them as they are: plan.")
			wantSent(t, o.service, `{"plan":"silver"}`) // the other member is clear already
		},
	})
}

// What the service makes of a value, once its update is proven to be fulfilled, does not count as drift.
func TestProfile_valueThatTheServiceMakesOfOursIsNoDrift(t *testing.T) {
	t.Parallel()
	madeOf := map[string]struct {
		ours string // value of the member v
		make func(profile map[string]any)
	}{
		"lower case":               {`"Jane@Example.com"`, func(p map[string]any) { p["v"] = strings.ToLower(fmt.Sprint(p["v"])) }},
		"an empty text is dropped": {`""`, func(p map[string]any) { delete(p, "v") }},
		"another value":            {`"Ada"`, func(p map[string]any) { p["v"] = "1815" }}, // only the list proves that it is ours
	}

	for ending, ends := range map[string]mockserver.Outcome{
		"left the list": {After: 2 * time.Second},
		"stays listed":  {After: 2 * time.Second, KeepListed: true},
	} {
		for how, settings := range map[string]prototest.Attributes{"waits": nil, "does not wait": notWaiting} {
			for what, made := range madeOf {
				if what == "another value" && !ends.KeepListed {
					continue
				}
				t.Run(ending+"/"+how+"/"+what, func(t *testing.T) {
					t.Parallel()

					bubble(t, func(t *testing.T, o *object) {
						wanted := config(`{"v":`+made.ours+`}`, settings)
						o.service.PutProfile(scope, person, `{"v":"before"}`)
						mockserver.Reshape(o.service.Server, func(profile map[string]any) any {
							if profile["v"] != "before" && profile["v"] != "since" {
								made.make(profile)
							}
							return profile
						}, mockserver.OpGetProfile)

						state, _ := o.MustCreate(name, wanted)
						if settings != nil {
							state, _ = o.MustRefresh(name, state) // the list has shown it
							o.service.FulfilAll()
							if ends.KeepListed {
								o.service.Conclude(o.service.Queue()[0].ID, mockserver.Outcome{KeepListed: true})
							}
						}
						for range 3 {
							state = o.wantEmptyPlan(state, wanted)
						}
						wantFulfilled(t, state, true, wanted["profile"])
						wantSent(t, o.service, `{"v":`+made.ours+`}`)

						o.service.PutProfile(scope, person, `{"v":"since"}`)
						wanted = wanted.With(clearing)
						state, _ = o.MustUpdate(name, state, wanted) // of another attribute
						state, _ = o.MustRefresh(name, state)
						if plan, _ := o.MustPlan(name, state, wanted); !plan.Changes {
							t.Error("a later change of the service does not count as drift")
						}
					}, outcome(ends))
				})
			}
		}
	}
}

// One reading of none, as of a service that restarts, removes nothing from state, and an answer of a
// cache shows nothing.
func TestProfile_oneReadingProvesNothing(t *testing.T) {
	t.Parallel()
	none := mockserver.Fault{Operation: mockserver.OpGetProfile, Status: 404, Body: []byte(`{"error":{"code":"not_found"}}`)}
	inBubbles(t, map[string]func(t *testing.T, o *object){
		"none once": func(_ *testing.T, o *object) {
			state := o.create(config(gold, nil))
			o.service.Inject(none)
			o.wantEmptyPlan(state, config(gold, nil))
		},
		"none once before a member is cleared": func(t *testing.T, o *object) {
			state := o.create(config(`{"plan":"gold","tier":1}`, clearing))
			o.service.Inject(none)
			state, _ = o.MustUpdate(name, state, config(`{"plan":null,"tier":1}`, clearing))
			o.service.FulfilAll()
			o.NewRun()
			o.service.Inject(none)
			_, diags := o.Destroy(name, state)
			o.NoErrors(diags)
			wantSent(t, o.service, `{"plan":null}`, `{"plan":null,"tier":null}`)
		},
		"none twice": func(t *testing.T, o *object) {
			state := o.create(config(gold, nil))
			none := none
			none.Times = -1
			o.service.Inject(none)
			state, diags := o.Refresh(name, state)
			o.NoErrors(diags)
			if state != nil {
				t.Errorf("state %v", state.Attributes)
			}
		},
		"an answer of a cache": func(t *testing.T, o *object) {
			state := o.create(config(gold, nil))
			o.service.Inject(mockserver.Fault{Operation: mockserver.OpGetProfile, Status: 200, Body: []byte(free), Header: map[string][]string{"Age": {"86400"}}})
			state, diags := o.MustRefresh(name, state)
			prototest.WantText(t, diags.Warnings(), "could not be checked", "respect Cache-Control")
			wantFulfilled(t, state, true, gold)
		},
	})
}

// A value of which only the spelling changes is sent, although a service may make the one that it has of it.
func TestProfile_changedSpellingIsSent(t *testing.T) {
	t.Parallel()
	for before, given := range map[string]string{`{"v":"ada lovelace"}`: `{"v":"Ada Lovelace"}`, `{"v":"a b"}`: `{"v":"a-b"}`, `{"w":1}`: `{"v":""}`} {
		for made, isMade := range map[string]bool{"shown as sent": false, "shown as before": true} {
			t.Run(made+"/"+given, func(t *testing.T) {
				t.Parallel()
				bubble(t, func(t *testing.T, o *object) {
					o.service.PutProfile(scope, person, before)
					if isMade {
						mockserver.Reshape(o.service.Server, func(map[string]any) any { return json.RawMessage(before) }, mockserver.OpGetProfile)
					}

					state, _ := o.MustCreate(name, config(given, nil))
					state, _ = o.MustRefresh(name, state)
					state, _ = o.MustRefresh(name, o.wantEmptyPlan(state, config(given, nil)))
					wantFulfilled(t, state, true, given)
					wantSent(t, o.service, given)
				})
			})
		}
	}
}

// A profile that moves to a scope whose members match already has nothing to send there: an update
// without an effect could never be proved.
func TestProfile_movedToWhereItMatchesSendsNothing(t *testing.T) {
	t.Parallel()
	elsewhere := mockserver.Scope{OrgID: mocktest.Org, ProjectID: "shop"}
	for label, held := range map[string]string{"match": gold, "differ": free} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, o *object) {
				moved := config(gold, prototest.Attributes{"org_id": elsewhere.OrgID, "project_id": elsewhere.ProjectID})
				state := o.create(config(gold, nil))
				o.service.PutProfile(elsewhere, person, held)

				state, diags := o.Replace(name, state, moved)
				o.NoErrors(diags)
				wantSent(t, o.service, map[string][]string{"match": nil, "differ": {gold}}[label]...)
				wantFulfilled(t, o.wantEmptyPlan(state, moved), true, gold)
			})
		})
	}
}
