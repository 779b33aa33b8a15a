// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"slices"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

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

	friday := prototest.Attributes{"triggers": prototest.Attributes{"on": "friday"}}
	for name, tc := range map[string]struct {
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
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			for _, fulfilled := range []bool{true, false} {
				p, service := start(t, never)
				states := statesOf(p, tc.addresses)
				if fulfilled {
					service.FulfilAll()
				}

				for range 2 { // in both orders
					errors := planOf(t, nextRun(t, service), tc.addresses, states)
					if refused := len(errors) > 0; refused != tc.refused {
						t.Errorf("fulfilled %v: refused is %v, want %v: %v", fulfilled, refused, tc.refused, errors)
					}
					for _, text := range errors {
						prototest.WantText(t, []string{text}, "submit a deletion again", "terraform state mv", "change triggers")
					}

					slices.Reverse(tc.addresses)
					slices.Reverse(states)
				}
			}
		})
	}
}

// statesOf creates the objects that are in state before a plan.
func statesOf(p *prototest.Provider, addresses []address) []*prototest.State {
	states := make([]*prototest.State, len(addresses))
	for i, a := range addresses {
		if a.of != "" {
			states[i], _ = p.MustCreate(deletionName, deletionOf(a.of))
		}
	}
	return states
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

// What no plan can see, because the person is not known before the apply, is not sent again by
// an apply that destroys the old object first.
func TestDataDeletion_applyTakesOverWhatThePlanCouldNotSee(t *testing.T) {
	t.Parallel()

	p, service := start(t, never)
	state, _ := p.MustCreate(deletionName, config(atOnce))
	service.FulfilAll()
	state, _ = nextRun(t, service).MustRefresh(deletionName, state)

	p = nextRun(t, service)
	plan, diags := p.Plan(deletionName, nil, config(atOnce).With(prototest.Attributes{"identity_id": prototest.Unknown}))
	p.NoErrors(diags)
	p = nextRun(t, service)
	_, diags = p.DestroyUnplanned(t.Context(), deletionName, state)
	p.NoErrors(diags)
	_, diags = p.Apply(t.Context(), deletionName, nil, p.Resolve(deletionName, plan, prototest.Attributes{"identity_id": person}))
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "No second deletion was sent")
	wantQueued(t, service, mockserver.OpDeleteAllData, 1)
}

// An action that is triggered beside a resource, or by two of them, is one deletion of its
// person with them, in every order.
func TestDeleteData_sentOnceBesideAResource(t *testing.T) {
	t.Parallel()

	steps := map[string]func(*prototest.Provider){
		"resource": func(p *prototest.Provider) { p.MustCreate(deletionName, config(nil)) },
		"action":   func(p *prototest.Provider) { p.NoErrors(p.Invoke(deleteName, config(nil)).Diagnostics) },
	}
	for _, order := range [][]string{{"resource", "action"}, {"action", "resource"}, {"action", "action"}} {
		t.Run(order[0]+" first", func(t *testing.T) {
			t.Parallel()

			p, service := start(t)
			for _, step := range order {
				steps[step](p)
				service.PutProfile(scope, person, `{"name":"Jane Canary"}`)
			}
			wantQueued(t, service, mockserver.OpDeleteAllData, 1)

			nextRun(t, service).Invoke(deleteName, config(nil)) // another run is another occasion
			wantQueued(t, service, mockserver.OpDeleteAllData, 2)
		})
	}
}
