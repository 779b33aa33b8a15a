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
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// panicsOnceSent is the context of an apply. It panics when it is asked for its deadline once the update was sent, which
// is when the wait begins.
type panicsOnceSent func() (sent int)

func (sent panicsOnceSent) Deadline() (at time.Time, ok bool) {
	if sent() > 0 {
		panic("canary")
	}
	return at, false
}

func (panicsOnceSent) Done() <-chan struct{} { return nil }
func (panicsOnceSent) Err() error            { return nil }
func (panicsOnceSent) Value(any) any         { return nil }

// An accepted update is in state, whatever happens while it is waited for.
func TestProfile_oneWhoseWaitPanicsIsInState(t *testing.T) {
	t.Parallel()
	run(t, "create", func(_ *testing.T, o *object) {
		plan, _ := o.MustPlan(name, nil, config(gold, nil))
		sent := func() int { return o.service.Count(mockserver.OpUpdateProfile) }
		o.state, o.diags = o.Apply(panicsOnceSent(sent), name, nil, plan)
		o.fails("Internal error")
		o.want(false, gold)
	}, never)
}

// What is not known in the plan proves to be the same, or to change the wait alone.
func TestProfile_unknownInThePlan(t *testing.T) {
	t.Parallel()
	run(t, "profile", func(t *testing.T, o *object) {
		o.apply(quickGold)
		plan, _ := o.MustPlan(name, o.state, quickGold.With(prototest.Attributes{"profile": prototest.Unknown}))
		o.state, o.diags = o.Apply(t.Context(), name, o.state, plan.Resolve(prototest.Attributes{"profile": gold}))
		o.says()
		o.want(false, gold)
		wantSent(t, o.service, gold)
	}, never)
	run(t, "wait", func(t *testing.T, o *object) {
		o.apply(quickGold)
		for _, waits := range []bool{false, true} {
			given := prototest.Attributes{"wait_for_fulfilment": waits}
			plan, _ := o.MustPlan(name, o.state, config(gold, prototest.Attributes{"wait_for_fulfilment": prototest.Unknown}))
			o.state, o.diags = o.Apply(t.Context(), name, o.state, plan.Resolve(given))
			o.says()
			o.want(waits, gold)
			o.WantEmptyPlan(name, o.state, config(gold, given))
		}
		wantSent(t, o.service, gold)
	})
	run(t, "nothing but a longer wait", func(t *testing.T, o *object) {
		o.apply(quickGold)
		o.try(config(gold, prototest.Attributes{"timeouts": prototest.Attributes{"update": "1m"}}))
		o.says("Accepted and still pending")
		o.service.FulfilAll()
		o.apply(config(gold, prototest.Attributes{"timeouts": prototest.Attributes{"update": "2m"}}))
		o.want(true, gold)
		wantSent(t, o.service, gold)
	}, never)
}

// The service carries out nothing by itself.
func TestProfile_pendingUpdate(t *testing.T) {
	t.Parallel()
	// A refresh after an update that came to nothing shows what the service holds, which proves nothing of the update.
	run(t, "dropped one is never fulfilled by a refresh", func(_ *testing.T, o *object) {
		o.put(free)
		o.apply(quickGold)
		o.refresh(1)
		o.conclude(0, gone)
		for range 3 {
			o.refresh(2)
			o.says("is gone, and its effect cannot be seen", "request-1")
			o.want(false, free)
			o.wantNotWritten()
		}

		o.service.ReshapePending(func(record map[string]any) { delete(record, "identityId") })
		o.service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: "somebody else", Operation: mockserver.OpUpdateProfile})
		o.refresh(1) // the list cannot be read as a whole
		o.want(false, free)
	}, never)

	// The person's own change, right after the update was lost, is drift. A member without a value may be absent or
	// null: the one is not what the service has made of ours.
	for _, left := range []string{silver, `{"plan":null}`} {
		run(t, "dropped one that leaves "+left+" is not fulfilled", func(_ *testing.T, o *object) {
			o.apply(quickGold)
			o.refresh(1)
			o.conclude(0, gone)
			o.put(left)
			o.refresh(2)
			o.wantNotWritten()
		}, never)
	}

	// What the profile had before an update that was sent beside another is not known, so that the
	// value of the other is not taken for what the service has made of ours.
	run(t, "dropped one beside another is not fulfilled", func(_ *testing.T, o *object) {
		o.enqueue("free")
		o.apply(quickGold)
		o.refresh(1)
		o.conclude(1, gone)
		o.service.FulfilAll()
		o.refresh(2)
		o.wantNotWritten()
		o.wantHeld("plan", "free")
	}, never)

	// What was there before may be what is there now.
	run(t, "dropped write-only one after a profile that could not be read is not fulfilled", func(_ *testing.T, o *object) {
		o.put(free)
		o.answer(mockserver.OpGetProfile, 1, 403, `{"error":{}}`)
		o.apply(writeOnly(gold, 1, prototest.Attributes{"timeouts": prototest.Attributes{"create": "1m"}}))
		o.wantNotWritten()
	}, outcome(mockserver.Outcome{Fate: mockserver.Vanished, After: 3 * time.Second}))

	// The value of another update is not what the service has made of ours.
	run(t, "done one beside another leaves the difference", func(_ *testing.T, o *object) {
		o.put(free)
		o.apply(quickGold)
		o.enqueue("silver")
		o.refresh(1)
		o.conclude(0, mockserver.Outcome{KeepListed: true})
		o.conclude(1, done)
		o.refresh(3)
		o.want(true, silver)
	}, never)

	// An empty object would be planned anew forever.
	run(t, "profile that is removed meanwhile is created again", func(t *testing.T, o *object) {
		o.put(free)
		o.apply(quickGold)
		o.refresh(1)
		o.service.DeleteProfile(scope, person)
		o.conclude(0, gone)
		o.refresh(1)
		if o.state, o.diags = o.Refresh(name, o.state); o.state != nil {
			t.Fatalf("state %v", o.state.Attributes)
		}
		o.service.Fulfil = nil
		o.apply(quickGold)
		o.wantEmptyPlan()
	}, never)

	run(t, "failed one with write-only values is sent again", func(t *testing.T, o *object) {
		o.put(free)
		o.apply(writeOnly(gold, 1, notWaiting))
		o.conclude(0, failed)
		o.refresh(1)
		o.service.Fulfil = nil
		o.wantNotWritten()
		o.apply(o.config)
		wantSent(t, o.service, gold, gold)
	}, never)

	// A state that was written by hand, or by a version that kept nothing, has no private part.
	run(t, "pending one without private state is fulfilled by its effect alone", func(t *testing.T, o *object) {
		o.put(free)
		o.apply(quickGold)
		o.state.Private = nil
		o.refresh(4)
		o.want(false, gold)
		o.service.FulfilAll()
		o.refresh(4)
		o.want(true, gold)
		o.wantEmptyPlan()
		wantSent(t, o.service, gold)
	}, never)

	// The values of members that it does not set say nothing of it.
	run(t, "one of several members is fulfilled by its own", func(_ *testing.T, o *object) {
		o.service.Fulfil = nil
		o.apply(config(`{"plan":"free","tier":1}`, nil))
		never(o.service.Server)
		o.apply(config(`{"plan":"gold","tier":1}`, notWaiting))
		o.refresh(1)
		o.service.FulfilAll()
		o.put(`{"plan":"gold","tier":2}`)
		o.refresh(3)
		o.want(true, `{"plan":"gold","tier":2}`)
	}, never)

	// The list does not show the first one yet.
	run(t, "first one is known to the run after a refused second", func(_ *testing.T, o *object) {
		o.Reconfigure(prototest.Config(o.service).With(prototest.Attributes{"wire": prototest.Attributes{"lag": "10s"}}))
		o.service.SetPendingLag(mockserver.Lag{Time: 10 * time.Second})
		o.MustUpdate(name, nil, writeOnly(silver, 1, notWaiting))
		o.answer(mockserver.OpUpdateProfile, 1, 403, `{}`)
		_, o.diags = o.Update(name, nil, writeOnly(`{"tier":1}`, 1, nil))
		o.fails("Not permitted")
		_, o.diags = o.Update("analytics_data_deletion", nil, prototest.Attributes{"identity_id": person})
		o.fails("Conflicting pending request")
	}, never)

	// Its values are absolute, and a pending update could be somebody else's.
	for how, answer := range map[string]mockserver.Fault{"lost": {Cut: mockserver.CutAfterCommit}, "a redirect": {Status: 303, Commit: true}, "a conflict": {Status: 409, Commit: true}} {
		run(t, "one of unknown outcome is sent again, "+how, func(t *testing.T, o *object) {
			o.service.Fulfil = nil
			o.apply(config(free, nil))
			never(o.service.Server)
			answer.Operation = mockserver.OpUpdateProfile
			o.service.Inject(answer, mockserver.Fault{Operation: mockserver.OpListPendingRequests, Skip: 1, Status: 403, Body: []byte("{}")})
			o.try(quickGold)
			o.fails("Outcome unknown", "as it was before", "run again: the provider reads what the profile has first")
			o.enqueue("silver")
			o.apply(quickGold)
			wantSent(t, o.service, free, gold, gold)
			o.refresh(1)
			o.service.FulfilAll()
			o.refresh(2)
			o.wantEmptyPlan()
			o.want(true, gold)
		}, never)
	}
}

// made makes the service hold something else of a value than was sent.
func made(of string, as any) func(*mockserver.Server) {
	return func(s *mockserver.Server) {
		mockserver.Reshape(s, func(profile map[string]any) any {
			if profile["v"] == of {
				delete(profile, "v")
			}
			if _, has := profile["v"]; !has && as != nil {
				profile["v"] = as
			}
			return profile
		}, mockserver.OpGetProfile)
	}
}

// The service has made the value before it of an older one of ours. What is in private state must not be a digest of
// write-only values.
func TestProfile_madeValueOfAnOlderUpdate(t *testing.T) {
	t.Parallel()
	run(t, "does not show the next one", func(_ *testing.T, o *object) {
		lower := func(profile map[string]any) any {
			profile["v"] = strings.ToLower(fmt.Sprint(profile["v"]))
			return profile
		}
		mockserver.Reshape(o.service.Server, lower, mockserver.OpGetProfile)
		o.apply(config(`{"v":"OLD"}`, nil))
		o.wantEmptyPlan()

		outcome(mockserver.Outcome{Fate: mockserver.Failed, After: 2 * time.Second})(o.service.Server)
		o.try(config(`{"v":"NEW"}`, nil))
		o.fails("then failed it", "as it was before")
		o.config = config(`{"v":"OLD"}`, nil)
		o.wantEmptyPlan()

		outcome(mockserver.Outcome{Fate: mockserver.Vanished, After: 2 * time.Second})(o.service.Server)
		o.apply(config(`{"v":"NEW"}`, nil))
		o.refresh(1)
		o.wantNotWritten()
	}, outcome(mockserver.Outcome{After: 2 * time.Second, KeepListed: true}))
	run(t, "of write-only members is in no form in private state", func(t *testing.T, o *object) {
		var remembered []string
		for held, sent := range map[string]string{`{"v":"free"}`: `{"v":"Silver"}`, `{"v":"gold"}`: `{"v":"Bronze"}`} {
			o.put(held)
			o.state = nil
			o.apply(writeOnly(sent, 1, nil))
			var private struct{ Request []byte }
			var document struct{ Values json.RawMessage }
			_ = json.Unmarshal(o.state.Private, &private)
			_ = json.Unmarshal(private.Request, &document)
			remembered = append(remembered, string(document.Values))
		}
		if remembered[0] == "" || remembered[0] != remembered[1] {
			t.Errorf("private state has %q", remembered)
		}
	}, outcome(mockserver.Outcome{After: 2 * time.Second, KeepListed: true}), func(s *mockserver.Server) {
		mockserver.Reshape(s, func(profile map[string]any) any {
			return map[string]any{"v": strings.ToUpper(fmt.Sprint(profile["v"]))}
		}, mockserver.OpGetProfile)
	})
}

// What the service makes of a value, once its update is proven to be fulfilled, does not count as drift.
func TestProfile_valueThatTheServiceMakesOfOursIsNoDrift(t *testing.T) {
	t.Parallel()
	left, listed := mockserver.Outcome{After: 2 * time.Second}, mockserver.Outcome{After: 2 * time.Second, KeepListed: true}
	type row struct {
		ours string // value of the member v
		made any    // nil if it is dropped
		ends mockserver.Outcome
	}
	for what, row := range map[string]row{
		"lower case, never listed":        {"Jane@Example.com", "jane@example.com", mockserver.Outcome{After: -1}},
		"lower case, left the list":       {"Jane@Example.com", "jane@example.com", left},
		"lower case, stays listed":        {"Jane@Example.com", "jane@example.com", listed},
		"an empty text, left the list":    {"", nil, left},
		"an empty text, stays listed":     {"", nil, listed},
		"another value that stays listed": {"Ada", "1815", listed}, // only the list proves that it is ours
	} {
		for how, settings := range map[string]prototest.Attributes{"waits": nil, "does not wait": notWaiting} {
			run(t, what+", "+how, func(t *testing.T, o *object) {
				o.put(`{"v":"before"}`)
				wanted := `{"v":"` + row.ours + `"}`
				o.apply(config(wanted, settings))
				if settings == nil {
					o.want(true, wanted)
				} else {
					o.refresh(1) // the list has shown it
					o.conclude(0, mockserver.Outcome{KeepListed: row.ends.KeepListed})
				}
				for range 3 {
					o.wantEmptyPlan()
				}
				o.want(true, wanted)
				wantSent(t, o.service, wanted)

				o.put(`{"v":"since"}`)
				o.apply(o.config.With(clearing)) // of another attribute
				o.refresh(1)
				if plan, _ := o.MustPlan(name, o.state, o.config); !plan.Changes {
					t.Error("a later change of the service does not count as drift")
				}
			}, outcome(row.ends), made(row.ours, row.made))
		}
	}

	// It may be what the service makes of ours, and is not kept to compare with.
	run(t, "write-only", func(_ *testing.T, o *object) {
		o.put(`{"v":"before"}`)
		o.apply(writeOnly(`{"v":"Ada"}`, 1, nil))
		o.wantEmptyPlan()
		o.want(true, nil)
	}, outcome(left), made("Ada", "1815"))
}

// A value of which only the spelling changes is sent, although a service may make the one that it has of it. If that
// comes to nothing, the value is not taken for ours.
func TestProfile_changedSpellingIsSent(t *testing.T) {
	t.Parallel()
	for before, given := range map[string]string{`{"v":"ada lovelace"}`: `{"v":"Ada Lovelace"}`, `{"v":"a b"}`: `{"v":"a-b"}`, `{"w":1}`: `{"v":""}`} {
		for shown, isMade := range map[string]bool{"as sent": false, "as before": true} {
			run(t, given+" shown "+shown, func(t *testing.T, o *object) {
				o.put(before)
				if isMade {
					mockserver.Reshape(o.service.Server, func(map[string]any) any { return json.RawMessage(before) }, mockserver.OpGetProfile)
				}
				o.apply(config(given, nil))
				o.refresh(1)
				o.wantEmptyPlan()
				o.want(true, given)
				wantSent(t, o.service, given)
			})
		}
		run(t, given+" failed", func(_ *testing.T, o *object) {
			o.put(before)
			o.apply(config(given, notWaiting))
			o.conclude(0, failed)
			o.refresh(2)
			o.wantNotWritten()
		}, never)
	}
}

// The successor of a renamed key writes all or some of the members while the update that clears them is awaited.
func TestProfile_clearingEndsOnceAnotherObjectHasWritten(t *testing.T) {
	t.Parallel()
	for _, profile := range []string{gold, `{"plan":"gold","tier":1}`} {
		run(t, profile, func(t *testing.T, o *object) {
			o.apply(config(profile, clearing))
			began, destroyed := time.Now(), make(chan prototest.Diagnostics)
			go func() {
				_, diags := o.DestroyUnplanned(t.Context(), name, o.state)
				destroyed <- diags
			}()
			synctest.Wait()
			o.MustUpdate(name, nil, config(gold, clearing))
			o.diags = <-destroyed
			o.says()
			if took := time.Since(began); took > time.Minute {
				t.Errorf("it took %s", took)
			}
			o.wantHeld("plan", "gold")
			o.wantHeld("tier", nil)
		}, func(s *mockserver.Server) { s.FulfilmentDelay = 5 * time.Second })
	}
}

func TestProfile_clearsNothingThatAnotherObjectManages(t *testing.T) {
	t.Parallel()
	// The object of a renamed key may be destroyed before or after its successor has written.
	for when, isFirst := range map[string]bool{"destroyed first": true, "destroyed last": false} {
		run(t, "renamed key that is "+when, func(t *testing.T, o *object) {
			o.apply(config(gold, clearing))
			if isFirst {
				_, o.diags = o.DestroyUnplanned(t.Context(), name, o.state)
			}
			o.MustUpdate(name, nil, o.config)
			if !isFirst {
				_, o.diags = o.DestroyUnplanned(t.Context(), name, o.state)
				o.says("not cleared", "moved")
			}
			o.NoErrors(o.diags)
			o.service.FulfilAll()
			o.wantHeld("plan", "gold")
		})
	}

	run(t, "members in common", func(t *testing.T, o *object) {
		o.apply(config(`{"plan":"gold","tier":1}`, clearing))
		other, _ := o.MustUpdate(name, nil, config(gold, nil))
		o.service.Reset()
		// plans plans both, and returns the diagnostics of the second one.
		plans := func(first, second *prototest.State, a, b prototest.Attributes) prototest.Diagnostics {
			o.NewRun()
			o.MustPlan(name, first, a)
			_, diags := o.Plan(name, second, b)
			return diags
		}
		const managed = "Another resource manages the members"
		prototest.WantText(t, plans(other, o.state, config(gold, nil), nil).Errors(), managed) // the first has nothing to send
		prototest.WantText(t, plans(o.state, other, nil, config(gold, nil)).Errors(), managed)
		o.NoErrors(plans(other, o.state, config(silver, nil), nil)) // the first writes the member in any case
		wantSent(t, o.service)

		o.NewRun()
		o.MustUpdate(name, other, config(silver, nil))
		_, o.diags = o.DestroyUnplanned(t.Context(), name, o.state)
		o.NoErrors(o.diags)
		o.says("leaves them as they are: plan.")
		wantSent(t, o.service, silver, `{"tier":null}`)
	})
}

// One reading of none, as of a service that restarts, removes nothing from state, and an answer of a
// cache shows nothing.
func TestProfile_oneReadingProvesNothing(t *testing.T) {
	t.Parallel()
	const none = `{"error":{"code":"not_found"}}`
	run(t, "none once", func(_ *testing.T, o *object) {
		o.apply(config(gold, nil))
		o.answer(mockserver.OpGetProfile, 1, 404, none)
		o.wantEmptyPlan()
	})
	run(t, "none twice", func(t *testing.T, o *object) {
		o.apply(config(gold, nil))
		o.answer(mockserver.OpGetProfile, -1, 404, none)
		if o.state, o.diags = o.Refresh(name, o.state); o.state != nil {
			t.Errorf("state %v", o.state)
		}
		o.NoErrors(o.diags)
	})
	run(t, "none once before a member is cleared", func(t *testing.T, o *object) {
		o.apply(config(`{"plan":"gold","tier":1}`, clearing))
		o.service.Reset()
		for _, config := range []prototest.Attributes{config(`{"plan":null,"tier":1}`, clearing), nil} {
			o.answer(mockserver.OpGetProfile, 1, 404, none)
			o.service.Inject(mockserver.Fault{Operation: mockserver.OpGetProfile, Status: 404, Body: []byte(none), Header: map[string][]string{"Age": {"30"}}})
			o.apply(config)
			o.service.FulfilAll()
		}
		wantSent(t, o.service, `{"plan":null}`, `{"plan":null,"tier":null}`)
	})
	run(t, "an answer of a cache", func(_ *testing.T, o *object) {
		o.apply(config(gold, nil))
		o.service.Inject(mockserver.Fault{Operation: mockserver.OpGetProfile, Status: 200, Body: []byte(free), Header: map[string][]string{"Age": {"86400"}}})
		o.refresh(1)
		o.says("could not be checked", "respect Cache-Control")
		o.want(true, gold)
	})
}

// A profile that moves to a scope whose members match already has nothing to send there: an update
// without an effect could never be proved.
func TestProfile_movedToWhereItMatchesSendsNothing(t *testing.T) {
	t.Parallel()
	elsewhere := mockserver.Scope{OrgID: mocktest.Org, ProjectID: "shop"}
	for held, sent := range map[string][]string{gold: nil, free: {gold}} {
		run(t, held, func(t *testing.T, o *object) {
			o.apply(config(gold, nil))
			o.service.Reset()
			o.service.PutProfile(elsewhere, person, held)
			o.config = config(gold, prototest.Attributes{"org_id": elsewhere.OrgID, "project_id": elsewhere.ProjectID})
			o.state, o.diags = o.Replace(name, o.state, o.config)
			o.NoErrors(o.diags)
			wantSent(t, o.service, sent...)
			o.wantEmptyPlan()
			o.want(true, gold)
		})
	}
}
