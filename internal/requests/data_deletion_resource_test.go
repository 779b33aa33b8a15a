// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"slices"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// No triggers are the same as null, also where the object sends the deletion in place of another one. Others send another.
func TestDataDeletion_triggers(t *testing.T) {
	t.Parallel()
	deletions.each(t, func(t *testing.T, o *object) {
		o.enqueue()
		o.apply(atOnce)
		o.conclude(mockserver.Outcome{Fate: mockserver.Failed, KeepListed: true})
		o.refresh()
		o.apply(prototest.Attributes{"triggers": prototest.Attributes{}})
		o.queued(2)
		plan, _ := o.MustPlan(o.name, o.state, o.config.Without("triggers"))
		if plan.Attributes["request_id"] == prototest.Unknown {
			t.Errorf("planned is %v", plan.Attributes)
		}

		o.service.FulfilAll()
		putData(o.service)
		o.service.Fulfil = nil
		o.apply(on("friday").With(prototest.Attributes{"wait_for_fulfilment": true}))
		o.says("irreversible", "does not revoke consent")
		o.want(prototest.Attributes{"fulfilled": true, "request_id": o.queued(3)[2].ID})
		if _, ok := o.service.Profile(scope, person); ok {
			t.Error("the last deletion deleted nothing")
		}
		o.wantEmptyPlan()
	}, never)
}

// The service may make identifiers of requests from the person.
func TestDataDeletion_pendingOneIsTakenOverAndOthersAreNamedWithoutThePerson(t *testing.T) {
	t.Parallel()
	deletions.each(t, func(t *testing.T, o *object) {
		const customer = "customer-4711"
		at := time.Now().Add(-2 * time.Hour)
		for id, after := range map[string]time.Duration{"younger": time.Minute, "del-" + customer: 0, customer + "-2": time.Hour} {
			o.service.Enqueue(mockserver.QueuedRequest{ID: id, Scope: scope, Identity: customer, Operation: o.operation, At: at.Add(after)})
		}
		o.service.Enqueue(mockserver.QueuedRequest{ID: "theirs", Scope: scope, Identity: "somebody", Operation: o.operation, At: at.Add(-time.Hour)})

		o.apply(atOnce.With(prototest.Attributes{"identity_id": customer}))
		o.says("taken over", `"del-[redacted]"`, "Another one is pending", `"younger"`, `"[redacted]-2"`)
		o.want(prototest.Attributes{"request_id": "del-" + customer, "fulfilled": false})
		if n := o.service.Count(o.operation); n != 0 {
			t.Errorf("%d deletions were sent", n)
		}

		_, gone := o.Update(o.name, o.state, nil)
		prototest.WantText(t, gone.Warnings(), "cannot be undone", `"del-[redacted]"`)
		wantUnnamed(t, append(o.diags.Warnings(), gone.Warnings()...), customer)
	}, never)
}

// Somebody else's deletion that was taken over and is dropped leaves no object, and nothing is sent in its place.
func TestDataDeletion_droppedOneOfSomebodyElse(t *testing.T) {
	t.Parallel()
	deletions.each(t, func(_ *testing.T, o *object) {
		o.enqueue()
		o.try(nil)
		o.fails("The request of somebody else came to nothing", "In state now: nothing")
		o.queued(1)
	}, outcome(mockserver.Outcome{Fate: mockserver.Vanished, After: 3 * time.Second}))
}

// A dropped deletion came to nothing, so an object in its place sends another.
func TestDataDeletion_replacedIsSentAgainForChangedTriggersOnly(t *testing.T) {
	t.Parallel()
	type row struct {
		fate   mockserver.Fate
		second prototest.Attributes
		queued int
	}
	rows(t, map[string]row{
		"pending":                      {mockserver.Never, nil, 1},
		"done":                         {mockserver.Fulfilled, nil, 1},
		"done, other triggers":         {mockserver.Fulfilled, on("friday"), 2},
		"pending, but other triggers":  {mockserver.Never, on("friday"), 1},
		"done, of another environment": {mockserver.Fulfilled, prototest.Attributes{"org_id": "other", "project_id": "web"}, 2},
		"dropped":                      {mockserver.Vanished, nil, 2},
	}, func(t *testing.T, name string, row row) {
		deletions.each(t, func(_ *testing.T, o *object) {
			o.apply(atOnce)
			o.refresh() // the list has shown it
			o.conclude(mockserver.Outcome{Fate: row.fate})
			o.refresh()
			o.refresh()

			first := o.state.Attributes
			o.NewRun() // plan and apply are two processes
			_, diags := o.Update(o.name, o.state, nil)
			o.NoErrors(diags)
			o.state, o.diags = o.MustUpdate(o.name, nil, o.config.With(row.second))
			o.queued(row.queued)
			if name == "done" {
				o.says("No second deletion was sent")
				for _, name := range []string{"fulfilled", "request_id", "requested_at", "fulfilled_at"} {
					o.want(prototest.Attributes{name: first[name]})
				}
			}
		}, never)
	})
}

// address is one address of a plan: the configuration of the object in state, nil for none, and what Terraform asks the
// provider about it after the refresh. A replacement is asked for twice: as a change, and then as a new object.
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
	type row struct {
		addresses []address
		isRefused bool
	}
	rows(t, map[string]row{
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
		"unknown triggers":          {[]address{{ann, changed(ann)}, {nil, created(ann.With(prototest.Attributes{"triggers": prototest.Unknown}))}}, false},
		"-replace, on purpose":      {[]address{{ann, replaced(annOnFriday)}}, false},
		"two new objects":           {[]address{{nil, created(ann)}, {nil, created(ann)}}, false},
		"two objects of one person": {[]address{{ann, changed(ann)}, {ann, changed(ann)}}, false},
	}, func(t *testing.T, _ string, row row) {
		for _, isFulfilled := range []bool{true, false} {
			deletions.each(t, func(t *testing.T, o *object) {
				var states []*prototest.State
				for _, a := range row.addresses {
					o.state = nil
					if a.before != nil {
						o.state, _ = o.MustUpdate(o.name, nil, a.before)
					}
					states = append(states, o.state)
				}
				if isFulfilled {
					o.service.FulfilAll()
				}

				addresses := slices.Clone(row.addresses)
				for range 2 { // in both orders
					o.NewRun()
					errors := planOf(o, addresses, states)
					if isRefused := len(errors) > 0; isRefused != row.isRefused {
						t.Errorf("refused is %v, want %v: %v", isRefused, row.isRefused, errors)
					}
					for _, text := range errors {
						prototest.WantText(t, []string{text}, "submit a deletion again", "terraform state mv", "change triggers")
					}
					slices.Reverse(addresses)
					slices.Reverse(states)
				}
			}, never)
		}
	})
}

// planOf plans all addresses as Terraform does, each after its refresh, and returns the errors.
func planOf(o *object, addresses []address, states []*prototest.State) (errors []string) {
	for i, a := range addresses {
		var state *prototest.State
		if states[i] != nil {
			read, diags := o.Refresh(o.name, states[i])
			errors, state = append(errors, diags.Errors()...), read
		}
		for _, ask := range a.asks {
			before := state
			if ask.isNew {
				before = nil
			}
			_, diags := o.Plan(o.name, before, ask.config)
			errors = append(errors, diags.Errors()...)
		}
	}

	return errors
}

// A carried out deletion is not looked at, so its plan needs no service. A state that was written
// by hand may lack the scope.
func TestDataDeletion_notSentAgainByAProviderThatIsNotKnownYet(t *testing.T) {
	t.Parallel()
	deletions.each(t, func(t *testing.T, o *object) {
		o.apply(nil)
		o.Reconfigure(prototest.Config(o.service).With(prototest.Attributes{"api_secret_key": prototest.Unknown}))
		for _, attributes := range []prototest.Attributes{o.state.Attributes, o.state.Without("org_id", "project_id")} {
			o.state.Attributes = attributes
			o.refresh()
			_, diags := o.Plan(o.name, nil, o.config)
			prototest.WantText(t, diags.Errors(), "submit a deletion again")
		}
	})
}
