// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"slices"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

func TestDataDeletion_changedTriggersSendAnother(t *testing.T) {
	t.Parallel()
	eachObject(t, []string{deletionName}, func(t *testing.T, o *object) {
		state := o.create(on("monday"))
		_, diags := o.MustPlan(o.name, state, config(prototest.Attributes{"triggers": prototest.Unknown, "identity_id": "ada@example.com"}))
		prototest.WantText(t, diags.Warnings(), "irreversible") // Terraform plans the replacement again, and shows none of its warnings

		o.service.PutProfile(scope, person, `{"name":"Jane Canary"}`)
		plan, diags := o.MustPlan(o.name, state, config(on("friday")))
		prototest.WantText(t, diags.Warnings(), "irreversible", "does not revoke consent")
		if len(plan.Replace) > 0 || plan.Attributes["request_id"] != prototest.Unknown {
			t.Errorf("planned is %v, replaced for %v", plan.Attributes, plan.Replace)
		}

		state, diags = o.Apply(t.Context(), deletionName, state, plan)
		o.NoErrors(diags)
		o.want(state, prototest.Attributes{"fulfilled": true, "request_id": o.queued(2)[1].ID})
		if o.service.HasData(scope, person) {
			t.Error("the second deletion deleted nothing")
		}
		o.NewRun()
		o.WantEmptyPlan(deletionName, state, config(on("friday")))
	})
}

// The service may make identifiers of requests from the person.
func TestDataDeletion_pendingOneIsTakenOverAndOthersAreNamedWithoutThePerson(t *testing.T) {
	t.Parallel()
	eachObject(t, []string{deletionName}, func(t *testing.T, o *object) {
		const customer = "customer-4711"
		at := time.Now().Add(-2 * time.Hour)
		for id, after := range map[string]time.Duration{"younger": time.Minute, "del-" + customer: 0, customer + "-2": time.Hour} {
			o.service.Enqueue(mockserver.QueuedRequest{ID: id, Scope: scope, Identity: customer, Operation: o.operation, At: at.Add(after)})
		}
		o.service.Enqueue(mockserver.QueuedRequest{ID: "theirs", Scope: scope, Identity: "somebody", Operation: o.operation, At: at.Add(-time.Hour)})

		state, diags := o.MustCreate(deletionName, config(atOnce).With(prototest.Attributes{"identity_id": customer}))
		prototest.WantText(t, diags.Warnings(), "taken over", `"del-[redacted]"`)
		prototest.WantText(t, diags.Warnings(), "Another one is pending", `"younger"`, `"[redacted]-2"`)
		o.want(state, prototest.Attributes{"request_id": "del-" + customer, "fulfilled": false})
		if n := o.service.Count(o.operation); n != 0 {
			t.Errorf("%d deletions were sent", n)
		}

		o.NewRun()
		_, gone := o.Destroy(deletionName, state)
		prototest.WantText(t, gone.Warnings(), "cannot be undone", `"del-[redacted]"`)
		wantUnnamed(t, append(diags.Warnings(), gone.Warnings()...), customer)
	}, never)
}

// A dropped deletion came to nothing, so an object in its place sends another.
func TestDataDeletion_replacedIsSentAgainForChangedTriggersOnly(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fate   mockserver.Fate
		second prototest.Attributes
		queued int
	}{
		"pending":                      {mockserver.Never, nil, 1},
		"done":                         {mockserver.Fulfilled, nil, 1},
		"done, other triggers":         {mockserver.Fulfilled, on("friday"), 2},
		"pending, but other triggers":  {mockserver.Never, on("friday"), 1},
		"done, of another environment": {mockserver.Fulfilled, prototest.Attributes{"org_id": "other", "project_id": "web"}, 2},
		"dropped":                      {mockserver.Vanished, nil, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachObject(t, []string{deletionName}, func(t *testing.T, o *object) {
				state := o.create(atOnce)
				state, _ = o.MustRefresh(deletionName, state) // the list has shown it
				o.service.Conclude(o.service.Queue()[0].ID, mockserver.Outcome{Fate: tc.fate})
				for range 2 {
					state, _ = o.refresh(state)
				}

				o.NewRun() // plan and apply are two processes
				_, diags := o.Destroy(deletionName, state)
				o.NoErrors(diags)
				next, diags := o.MustCreate(deletionName, config(atOnce).With(tc.second))
				o.queued(tc.queued)
				if name == "done" {
					prototest.WantText(t, diags.Warnings(), "No second deletion was sent")
					o.want(next, prototest.Attributes{
						"fulfilled": true, "request_id": state.Attributes["request_id"],
						"requested_at": state.Attributes["requested_at"], "fulfilled_at": state.Attributes["fulfilled_at"],
					})
				}
			}, never)
		})
	}
}

// A deletion whose answer is not understood is in state as sent, with a warning, and is
// never sent again.
func TestDataDeletion_answerThatIsNotUnderstoodIsKept(t *testing.T) {
	t.Parallel()
	eachObject(t, []string{deletionName}, func(t *testing.T, o *object) {
		state, diags := o.MustCreate(deletionName, config(atOnce))
		prototest.WantText(t, diags.Warnings(), "Sent, and the answer is not understood", `"simmering"`, "never sent again")
		o.want(state, prototest.Attributes{"fulfilled": false, "request_id": nil})
		o.NewRun()
		state, _ = o.MustUpdate(o.name, state, config(within("5s"))) // which learns the ID
		o.want(state, prototest.Attributes{"fulfilled": false, "request_id": o.queued(1)[0].ID})
		state, _ = o.refresh(state)
		o.WantEmptyPlan(deletionName, state, config(within("5s")))
	}, never, mocktest.AnswerQueueing(200, `{"simmering":"a little"}`))
}

// The text of a failure may name people, so none of it is shown.
func TestDataDeletion_failureNamesNobody(t *testing.T) {
	t.Parallel()
	const text = "held by other@example.com, for " + person
	for name, change := range map[string]func(map[string]any){
		"message": func(r map[string]any) { r["error"] = map[string]any{"message": text} },
		"code":    func(r map[string]any) { r["code"] = text },
		"status":  func(r map[string]any) { r["status"] = text },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachObject(t, []string{deletionName}, func(t *testing.T, o *object) {
				o.service.ReshapePending(func(r map[string]any) map[string]any { change(r); return r })
				_, diags := o.Create(deletionName, config(within("2500ms")))
				wantUnnamed(t, append(diags.Errors(), diags.Warnings()...), "other@")
				o.queued(1)
			}, outcome(mockserver.Outcome{Fate: mockserver.Failed, After: -1}))
		})
	}
}

// address is one address of a plan: the configuration of the object in state, nil for none, and what
// Terraform asks the provider about it after the refresh. A replacement is asked for twice: as a
// change, and then as a new object.
type address struct {
	before prototest.Attributes
	asks   []ask
}

// ask is the plan of a configuration, nil for the end of the object.
type ask struct {
	config prototest.Attributes
	isNew  bool
}

func changed(config prototest.Attributes) []ask  { return []ask{{config, false}} }
func created(config prototest.Attributes) []ask  { return []ask{{config, true}} }
func replaced(config prototest.Attributes) []ask { return []ask{{config, false}, {config, true}} }

func TestDataDeletion_planSendsNothingTwiceWhereverPersonsMove(t *testing.T) {
	t.Parallel()

	of := func(identity string) prototest.Attributes {
		return atOnce.With(prototest.Attributes{"identity_id": identity})
	}
	ann, bob, eve, annOnFriday := of("ann"), of("bob"), of("eve"), of("ann").With(on("friday"))
	for name, tc := range map[string]struct {
		addresses []address
		refused   bool
	}{
		"renamed key":                      {[]address{{ann, changed(nil)}, {nil, created(ann)}}, true},
		"moved to another block":           {[]address{{ann, replaced(bob)}, {nil, created(ann)}}, true},
		"element of a count list":          {[]address{{ann, replaced(bob)}, {bob, changed(nil)}}, true},
		"second object":                    {[]address{{ann, changed(ann)}, {nil, created(ann)}}, true},
		"removed, and a new block":         {[]address{{ann, nil}, {nil, created(ann)}}, true},
		"tainted":                          {[]address{{ann, created(ann)}}, true},
		"-replace":                         {[]address{{ann, replaced(ann)}}, true},
		"triggers of another one":          {[]address{{ann, changed(annOnFriday)}, {nil, created(ann)}}, true},
		"triggers become those of another": {[]address{{ann, changed(ann)}, {annOnFriday, changed(ann)}}, true},

		"another person":            {[]address{{ann, replaced(bob)}, {nil, created(eve)}}, false},
		"second object, on purpose": {[]address{{ann, changed(ann)}, {nil, created(annOnFriday)}}, false},
		"-replace, on purpose":      {[]address{{ann, replaced(annOnFriday)}}, false},
		"two new objects":           {[]address{{nil, created(ann)}, {nil, created(ann)}}, false},
		"two objects of one person": {[]address{{ann, changed(ann)}, {ann, changed(ann)}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			for _, fulfilled := range []bool{true, false} {
				bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
					states := make([]*prototest.State, len(tc.addresses))
					for i, a := range tc.addresses {
						if a.before != nil {
							states[i], _ = p.MustCreate(deletionName, a.before)
						}
					}
					if fulfilled {
						service.FulfilAll()
					}

					for range 2 { // in both orders
						p.NewRun()
						errors := planOf(p, tc.addresses, states)
						if refused := len(errors) > 0; refused != tc.refused {
							t.Errorf("fulfilled %v: refused is %v, want %v: %v", fulfilled, refused, tc.refused, errors)
						}
						for _, text := range errors {
							prototest.WantText(t, []string{text}, "submit a deletion again", "terraform state mv", "change triggers")
						}

						slices.Reverse(tc.addresses)
						slices.Reverse(states)
					}
				}, never)
			}
		})
	}
}

// A carried out deletion is not looked at, so its plan needs no service. A state that was written
// by hand may lack the scope.
func TestDataDeletion_notSentAgainByAProviderThatIsNotKnownYet(t *testing.T) {
	t.Parallel()
	eachObject(t, []string{deletionName}, func(t *testing.T, o *object) {
		state := o.create(nil)
		o.Reconfigure(prototest.Config(o.service).With(prototest.Attributes{"api_secret_key": prototest.Unknown}))
		for _, attributes := range []prototest.Attributes{state.Attributes, state.Without("org_id", "project_id")} {
			o.NewRun()
			state.Attributes = attributes
			_, _ = o.Plan(deletionName, state, nil)
			_, diags := o.Plan(deletionName, nil, o.config)
			prototest.WantText(t, diags.Errors(), "submit a deletion again")
		}
	})
}

// No triggers are the same as null, also where the object sends the deletion in place of another one.
func TestDataDeletion_sentForTheSameTriggers(t *testing.T) {
	t.Parallel()
	eachObject(t, []string{deletionName}, func(_ *testing.T, o *object) {
		id := o.enqueue()
		state := o.create(atOnce)
		o.service.Conclude(id, mockserver.Outcome{Fate: mockserver.Failed, KeepListed: true})
		state, _ = o.refresh(state)
		_, _ = o.MustUpdate(o.name, state, config(atOnce.With(prototest.Attributes{"triggers": prototest.Attributes{}})))
		o.queued(2)
	}, never)
}

// planOf plans all addresses as Terraform does, each after its refresh, and returns the errors.
func planOf(p *prototest.Provider, addresses []address, states []*prototest.State) (errors []string) {
	for i, a := range addresses {
		var state *prototest.State
		if states[i] != nil {
			read, diags := p.Refresh(deletionName, states[i])
			errors, state = append(errors, diags.Errors()...), read
		}
		for _, ask := range a.asks {
			before := state
			if ask.isNew {
				before = nil
			}
			_, diags := p.Plan(deletionName, before, ask.config)
			errors = append(errors, diags.Errors()...)
		}
	}

	return errors
}
