// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

// TestConsent_renamedKeyWithdrawsNobody renames a key of for_each: Terraform destroys the object of
// the former key and creates that of the new key, in either order or at once. An update of another
// object counts as well. The plans are those of another process.
func TestConsent_renamedKeyWithdrawsNobody(t *testing.T) {
	t.Parallel()
	for _, order := range []string{"destroyed first", "created first", "updated first", "at once"} {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil, func(s *mockserver.Server) {
				s.ReshapeConsents(func(record map[string]any) any { // a withdrawal has no time
					if record["clause_1_consent"] == false {
						record["agreement_time"] = nil
					}
					return record
				})
			})
			former := created(t, p, service, withdrawing)
			end, diags := p.Plan(name, former, nil)
			p.NoErrors(diags)
			var prior *prototest.State
			if order == "updated first" { // another object of the person
				prior = created(t, p, service, withdrawing.With(withoutAddress))
			}
			begin, diags := p.Plan(name, prior, config(withdrawing))
			p.NoErrors(diags)
			p.NewRun()

			var ended, begun prototest.Diagnostics
			var wg sync.WaitGroup
			steps := []func(){
				func() { _, ended = p.Apply(t.Context(), name, former, end) },
				func() { _, begun = p.Apply(t.Context(), name, prior, begin) },
			}
			isLast := order == "created first" || order == "updated first"
			if isLast {
				slices.Reverse(steps)
			}
			for _, step := range steps {
				wg.Go(step)
				if order != "at once" {
					wg.Wait()
				}
			}
			wg.Wait()

			wantHeld(t, service, configured)
			wantWarning(t, begun, "")
			if isLast {
				wantWarning(t, ended, "Not withdrawn, another resource writes it")
				prototest.WantText(t, ended.Warnings(), "(analytics_consent", "moved")
			} else {
				p.NoErrors(ended)
			}
		})
	}
}

// TestConsent_twoObjectsOfOnePersonAreWarnedOf plans and applies one object without a warning,
// and then another one of the same person. A plan that destroys one of them and leaves the other
// one as it is, is refused, in either order.
func TestConsent_twoObjectsOfOnePersonAreWarnedOf(t *testing.T) {
	t.Parallel()
	const shared, refused = "Two resources manage the consent of one person", "Another resource keeps the consent to be withdrawn"
	p, service := start(t, nil)
	one, diags := p.MustCreate(name, config(withdrawing))
	wantWarning(t, diags, "")
	two, diags := p.MustCreate(name, config(withdrawing))
	wantWarning(t, diags, shared)
	plan := func(object *prototest.State, config prototest.Attributes) prototest.Diagnostics {
		_, diags := p.Plan(name, object, config)
		return diags
	}

	p.NewRun()
	one, _ = p.MustRefresh(name, one)
	wantWarning(t, plan(one, config(withdrawing)), "")
	diags = plan(two, config(withdrawing))
	wantWarning(t, diags, shared)
	prototest.WantText(t, diags.Warnings(), `on_destroy = "retain"`, "analytics_consent", "org-demo")

	destroy := func() prototest.Diagnostics { return plan(one, nil) }
	keep := func() prototest.Diagnostics { return plan(two, config(withdrawing)) }
	for _, steps := range [][]func() prototest.Diagnostics{{destroy, keep}, {keep, destroy}} {
		p.NewRun()
		p.NoErrors(steps[0]())
		prototest.WantText(t, steps[1]().Errors(), refused, `on_destroy = "retain"`, "org-demo")
	}

	// While a choice stands, an update sends nothing, so it does not write after a withdrawal.
	p.NewRun()
	service.PutConsent(scope, person, choose(late))
	two, _ = p.MustRefresh(name, two)
	p.NoErrors(destroy())
	prototest.WantText(t, plan(two, config(withdrawing).With(version(1))).Errors(), refused)

	// The same person elsewhere is another one.
	service.PutConsent(mockserver.Scope{AccountID: "acct-7"}, person, refusal())
	_, diags = p.Import(name, "acct-7/"+person)
	wantWarning(t, diags, "")
}
