// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"slices"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// eachDeletion runs a test for an object that is not created yet.
func eachDeletion(t *testing.T, test func(t *testing.T, o *object), configure ...func(*mockserver.Server)) {
	t.Helper()
	eachResource(t, []string{deletionName}, func(t *testing.T, o *object) {
		o.config = config(nil)
		test(t, o)
	}, configure...)
}

// A dropped deletion came to nothing, so an object in its place sends another.
func TestDataDeletion_droppedIsAWarning(t *testing.T) {
	t.Parallel()
	eachDeletion(t, func(t *testing.T, o *object) {
		state, id := o.withFirst()
		state, diags := o.refresh(state)
		prototest.WantText(t, diags.Warnings(), "is gone, and its effect cannot be seen", id)
		wantNoPerson(t, diags)
		o.want(state, prototest.Attributes{"fulfilled": false})
		o.WantEmptyPlan(deletionName, state, o.config)

		_, diags = o.Destroy(deletionName, state)
		o.NoErrors(diags)
		o.MustCreate(deletionName, o.config)
		o.queued(2)
	}, never)
}

func TestDataDeletion_changedTriggersSendAnother(t *testing.T) {
	t.Parallel()
	eachDeletion(t, func(t *testing.T, o *object) {
		state := o.create(on("monday"))
		unknown, diags := o.mustPlan(state, config(prototest.Attributes{"triggers": prototest.Unknown}))
		prototest.WantText(t, diags.Warnings(), "irreversible", "Consent is not revoked")
		same, _ := o.mustPlan(state, config(on("monday")))
		if !unknown.Changes || same.Changes {
			t.Errorf("unknown changes %v, unchanged changes %v", unknown.Changes, same.Changes)
		}

		o.service.PutProfile(scope, person, `{"name":"Jane Canary"}`)
		plan, diags := o.mustPlan(state, config(on("friday")))
		prototest.WantText(t, diags.Warnings(), "irreversible")
		if len(plan.Replace) > 0 || plan.Attributes["request_id"] != prototest.Unknown {
			t.Errorf("planned is %v, replaced for %v", plan.Attributes, plan.Replace)
		}

		state, diags = o.Apply(t.Context(), deletionName, state, plan)
		o.NoErrors(diags)
		o.want(state, prototest.Attributes{"fulfilled": true, "request_id": o.queued(2)[1].ID})
		if o.service.HasData(scope, person) {
			t.Error("the second deletion deleted nothing")
		}
		o.WantEmptyPlan(deletionName, state, config(on("friday")))
	})
}

func TestDataDeletion_unusableInputIsRefused(t *testing.T) {
	t.Parallel()
	eachDeletion(t, func(t *testing.T, o *object) {
		refused := []prototest.Attributes{
			{"identity_id": ""},
			{"identity_id": ".."},
			{"identity_id": "a\nb"},
			{"org_id": "only"},
			{"account_id": "a", "org_id": "o", "project_id": "p"},
			within("0s"),
			within("-5m"),
			within("abc"),
			within("9999h"),
		}
		for _, others := range refused {
			if diags := o.Validate(deletionName, config(others)); len(diags.Errors()) == 0 {
				t.Errorf("%v is accepted", others)
			}
		}

		o.NoErrors(o.Validate(deletionName, prototest.Attributes{"identity_id": prototest.Unknown, "triggers": prototest.Unknown}))
		wantNothingSent(t, o.service)
	})
}

// The service may make identifiers of requests from the person.
func TestDataDeletion_pendingOneIsTakenOverAndOthersAreNamedWithoutThePerson(t *testing.T) {
	t.Parallel()
	eachDeletion(t, func(t *testing.T, o *object) {
		const customer = "customer-4711"
		at := time.Now().Add(-2 * time.Hour)
		for id, after := range map[string]time.Duration{"younger": time.Minute, "del-" + customer: 0, customer + "-2": time.Hour} {
			o.service.Enqueue(mockserver.QueuedRequest{ID: id, Scope: scope, Identity: customer, Operation: o.operation, At: at.Add(after)})
		}
		o.service.Enqueue(mockserver.QueuedRequest{ID: "theirs", Scope: scope, Identity: "somebody", Operation: o.operation, At: at.Add(-time.Hour)})

		state, diags := o.MustCreate(deletionName, config(atOnce).With(prototest.Attributes{"identity_id": customer}))
		prototest.WantText(t, diags.Warnings(), "taken over", `"del-[redacted]"`)
		prototest.WantText(t, diags.Warnings(), "More requests are pending", `"younger", "[redacted]-2"`)
		o.want(state, prototest.Attributes{"request_id": "del-" + customer, "fulfilled": false})
		if n := o.service.Count(o.operation); n != 0 {
			t.Errorf("%d deletions were sent", n)
		}

		_, gone := o.Destroy(deletionName, state)
		prototest.WantText(t, gone.Warnings(), "cannot be undone", `"del-[redacted]"`)
		wantUnnamed(t, append(diags.Warnings(), gone.Warnings()...), customer)
	}, never)
}

func TestDataDeletion_replacedIsSentAgainForChangedTriggersOnly(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fulfilled bool
		second    prototest.Attributes
		queued    int
	}{
		"pending":                      {false, nil, 1},
		"done":                         {true, nil, 1},
		"done, other triggers":         {true, on("friday"), 2},
		"pending, but other triggers":  {false, on("friday"), 1},
		"done, of another environment": {true, prototest.Attributes{"org_id": "other", "project_id": "web"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachDeletion(t, func(t *testing.T, o *object) {
				state := o.create(atOnce)
				if tc.fulfilled {
					o.service.FulfilAll()
				}
				state, _ = o.refresh(state)

				o.NewRun() // plan and apply are two processes
				_, diags := o.Destroy(deletionName, state)
				o.NoErrors(diags)
				next, diags := o.MustCreate(deletionName, config(atOnce).With(tc.second))
				o.queued(tc.queued)
				if tc.queued == 1 && tc.fulfilled {
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

// A request with a final status that the provider does not know prevents a deletion until
// wire.ended_statuses names the status, which no message shows.
func TestDataDeletion_unknownFinalStatusHasAWayOut(t *testing.T) {
	t.Parallel()
	eachDeletion(t, func(t *testing.T, o *object) {
		const status = "delivered"
		id := o.service.Enqueue(mockserver.QueuedRequest{Scope: scope, Identity: person, Operation: mockserver.OpGetAllData, At: time.Now().Add(-48 * time.Hour)})
		o.service.Conclude(id, mockserver.Outcome{KeepListed: true, FinalStatus: status})
		state, diags := o.Create(deletionName, config(atOnce))
		if state != nil {
			t.Error("something is in state")
		}
		prototest.WantText(t, diags.Errors(), "onflicting pending request", "wire.ended_statuses")
		wantUnnamed(t, diags.Errors(), status)

		withWire(o.Provider, o.service, prototest.Attributes{"ended_statuses": []any{status}})
		state, _ = o.MustCreate(deletionName, config(atOnce))
		o.want(state, prototest.Attributes{"fulfilled": false})
		o.queued(1)
	}, never)
}

func TestDataDeletion_listThatIsNotUnderstoodHasAWayOut(t *testing.T) {
	t.Parallel()
	eachDeletion(t, func(t *testing.T, o *object) {
		o.enqueue()
		state, diags := o.Create(deletionName, config(atOnce))
		if state != nil {
			t.Error("something is in state")
		}
		prototest.WantText(t, diags.Errors(), "cannot be read as a whole", "wire.pending_list", "wire.pending_identity_field")
		wantNoPerson(t, diags)
		o.queued(1)

		for _, way := range []string{"partial", "ignored"} {
			withWire(o.Provider, o.service, prototest.Attributes{"pending_list": way})
			o.MustCreate(deletionName, prototest.Attributes{"identity_id": "user-" + way, "wait_for_fulfilment": false})
		}
	}, never, func(s *mockserver.Server) { s.RenamePending("identityId", "") })
}

// A deletion whose answer is not understood is in state as sent, with a warning, and is
// never sent again.
func TestDataDeletion_answerThatIsNotUnderstoodIsKept(t *testing.T) {
	t.Parallel()
	eachDeletion(t, func(t *testing.T, o *object) {
		state, diags := o.MustCreate(deletionName, config(atOnce))
		prototest.WantText(t, diags.Warnings(), "Sent, and the answer is not understood", "$.simmering (a string)", "never sent again")
		o.want(state, prototest.Attributes{"fulfilled": false, "request_id": nil})

		state, _ = o.refresh(state)
		o.WantEmptyPlan(deletionName, state, config(atOnce))
		o.queued(1)

		o.service.FulfilAll()
		state, _ = o.MustRefresh(deletionName, state)
		o.want(state, prototest.Attributes{"fulfilled": true})
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
			eachDeletion(t, func(t *testing.T, o *object) {
				o.service.ReshapePending(func(r map[string]any) map[string]any { change(r); return r })
				_, diags := o.Create(deletionName, config(within("2500ms")))
				wantUnnamed(t, append(diags.Errors(), diags.Warnings()...), "other@")
				o.queued(1)
			}, outcome(mockserver.Outcome{Fate: mockserver.Failed, After: -1}))
		})
	}
}

// planned is what Terraform asks the provider about one address in a plan, without the
// refresh before it. It returns the errors.
type planned func(t *testing.T, p *prototest.Provider, state *prototest.State) []string

// asked plans a change of an object, or its end with a nil configuration.
func asked(config prototest.Attributes) planned {
	return func(t *testing.T, p *prototest.Provider, state *prototest.State) []string {
		t.Helper()
		_, diags := p.Plan(deletionName, state, config)
		return diags.Errors()
	}
}

// askedTwice plans a replacement: Terraform asks for a change first, and then for a new object.
func askedTwice(before, after prototest.Attributes) planned {
	return func(t *testing.T, p *prototest.Provider, state *prototest.State) []string {
		t.Helper()
		return slices.Concat(asked(before)(t, p, state), asked(after)(t, p, nil))
	}
}

func created(config prototest.Attributes) planned {
	return func(t *testing.T, p *prototest.Provider, _ *prototest.State) []string {
		t.Helper()
		return asked(config)(t, p, nil)
	}
}

func left(*testing.T, *prototest.Provider, *prototest.State) []string { return nil }

// address is one address of a plan. of is the person whose deletion the object in state
// stands for; empty for none.
type address struct {
	of   string
	plan planned
}

func deletionOf(identity string) prototest.Attributes {
	return atOnce.With(prototest.Attributes{"identity_id": identity})
}

func TestDataDeletion_planSendsNothingTwiceWhereverPersonsMove(t *testing.T) {
	t.Parallel()

	friday := on("friday")
	for name, tc := range soak.SomeOf(7, map[string]struct {
		addresses []address
		refused   bool
	}{
		"renamed key":              {[]address{{"ann", asked(nil)}, {"", created(deletionOf("ann"))}}, true},
		"moved to another block":   {[]address{{"ann", askedTwice(deletionOf("bob"), deletionOf("bob"))}, {"", created(deletionOf("ann"))}}, true},
		"element of a count list":  {[]address{{"ann", askedTwice(deletionOf("bob"), deletionOf("bob"))}, {"bob", asked(nil)}}, true},
		"second object":            {[]address{{"ann", asked(deletionOf("ann"))}, {"", created(deletionOf("ann"))}}, true},
		"removed, and a new block": {[]address{{"ann", left}, {"", created(deletionOf("ann"))}}, true},
		"tainted":                  {[]address{{"ann", created(deletionOf("ann"))}}, true},
		"-replace":                 {[]address{{"ann", askedTwice(deletionOf("ann"), deletionOf("ann"))}}, true},
		"triggers of another one":  {[]address{{"ann", asked(deletionOf("ann").With(friday))}, {"", created(deletionOf("ann"))}}, true},

		"another person":            {[]address{{"ann", askedTwice(deletionOf("bob"), deletionOf("bob"))}, {"", created(deletionOf("eve"))}}, false},
		"second object, on purpose": {[]address{{"ann", asked(deletionOf("ann"))}, {"", created(deletionOf("ann").With(friday))}}, false},
		"-replace, on purpose":      {[]address{{"ann", askedTwice(deletionOf("ann").With(friday), deletionOf("ann").With(friday))}}, false},
		"two new objects":           {[]address{{"", created(deletionOf("ann"))}, {"", created(deletionOf("ann"))}}, false},
		"two objects of one person": {[]address{{"ann", asked(deletionOf("ann"))}, {"ann", asked(deletionOf("ann"))}}, false},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			for _, fulfilled := range []bool{true, false} {
				bubble(t, func(t *testing.T, p *prototest.Provider, service *mocktest.Instance) {
					states := make([]*prototest.State, len(tc.addresses))
					for i, a := range tc.addresses {
						if a.of != "" {
							states[i], _ = p.MustCreate(deletionName, deletionOf(a.of))
						}
					}
					if fulfilled {
						service.FulfilAll()
					}

					for range 2 { // in both orders
						p.NewRun()
						errors := planOf(t, p, tc.addresses, states)
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

// planOf plans all addresses as Terraform does, each after its refresh, and returns the
// errors.
func planOf(t *testing.T, p *prototest.Provider, addresses []address, states []*prototest.State) []string {
	t.Helper()
	var errors []string
	for i, a := range addresses {
		state := states[i]
		if state != nil {
			read, diags := p.Refresh(deletionName, state)
			errors = append(errors, diags.Errors()...)
			state = read
		}
		errors = append(errors, a.plan(t, p, state)...)
	}

	return errors
}

// An object whose triggers become those of another one would submit the other's deletion again.
func TestDataDeletion_changedToTheTriggersOfAnotherIsRefused(t *testing.T) {
	t.Parallel()
	eachDeletion(t, func(t *testing.T, o *object) {
		var states []*prototest.State
		for _, triggers := range []prototest.Attributes{nil, on("friday")} {
			state, _ := o.MustCreate(deletionName, o.config.With(atOnce).With(triggers))
			states = append(states, state)
		}
		o.service.FulfilAll()

		o.NewRun()
		for i, state := range states {
			states[i], _ = o.MustRefresh(deletionName, state)
		}
		_, diags := o.Plan(deletionName, states[1], o.config.With(atOnce))
		prototest.WantText(t, diags.Errors(), "submit a deletion again")
	})
}

// What no plan can see, because the person is not known before the apply, is not sent again by
// an apply that destroys the old object first.
func TestDataDeletion_applyTakesOverWhatThePlanCouldNotSee(t *testing.T) {
	t.Parallel()

	eachDeletion(t, func(t *testing.T, o *object) {
		state := o.create(atOnce)
		o.service.FulfilAll()
		state, _ = o.MustRefresh(deletionName, state)

		o.NewRun()
		plan, _ := o.mustPlan(nil, config(atOnce).With(prototest.Attributes{"identity_id": prototest.Unknown}))
		o.NewRun()
		_, diags := o.DestroyUnplanned(t.Context(), deletionName, state)
		o.NoErrors(diags)
		_, diags = o.Apply(t.Context(), deletionName, nil, o.Resolve(deletionName, plan, prototest.Attributes{"identity_id": person}))
		o.NoErrors(diags)
		prototest.WantText(t, diags.Warnings(), "No second deletion was sent")
		o.queued(1)
	}, never)
}
