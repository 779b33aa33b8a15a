// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// TestConsent_renamedKeyWithdrawsNobody renames a key of for_each: Terraform destroys the object of
// the former key and creates that of the new key, in either order. An update of another object counts
// as well. The plans are those of another process.
func TestConsent_renamedKeyWithdrawsNobody(t *testing.T) {
	t.Parallel()
	for _, order := range []string{"destroyed first", "created first", "updated first"} {
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
			isLast := order != "destroyed first"
			if isLast {
				_, begun = p.Apply(t.Context(), name, prior, begin)
			}
			_, ended = p.Apply(t.Context(), name, former, end)
			if !isLast {
				_, begun = p.Apply(t.Context(), name, prior, begin)
			}

			wantHeld(t, service, configured)
			wantWarning(t, begun, "")
			if isLast {
				prototest.WantText(t, ended.Warnings(), "Not withdrawn, another resource writes it", "(analytics_consent", "moved")
			} else {
				p.NoErrors(ended)
			}
		})
	}
}

// TestConsent_twoObjectsOfOnePersonAreWarnedOf plans and applies one object without a warning,
// and then another one of the same person. A plan that destroys one of them and leaves the other
// one as it is, is refused: consentbatch.TestConsentBatch_isNotWithdrawnWhileAnotherObjectKeepsIt.
func TestConsent_twoObjectsOfOnePersonAreWarnedOf(t *testing.T) {
	t.Parallel()
	const shared = "Two resources manage the consent of one person"
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

	// While a choice stands, an update sends nothing, so it does not write after a withdrawal.
	p.NewRun()
	service.PutConsent(scope, person, choose(late))
	two, _ = p.MustRefresh(name, two)
	p.NoErrors(plan(one, nil))
	errors := plan(two, config(withdrawing).With(version(1))).Errors()
	prototest.WantText(t, errors, "Another resource keeps the consent to be withdrawn", "org-demo")

	// The same person elsewhere is another one.
	service.PutConsent(mockserver.Scope{AccountID: "acct-7"}, person, refusal())
	_, diags = p.Import(name, "acct-7/"+person)
	wantWarning(t, diags, "")
}
