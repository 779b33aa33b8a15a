// SPDX-License-Identifier: MPL-2.0

package requests_test

import (
	"slices"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
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
