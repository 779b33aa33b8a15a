// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// renamed returns the steps of a run after keys of for_each were renamed: for each person,
// Terraform destroys the object of the former key and creates that of the new key.
func renamed(p *prototest.Provider, people int) (steps []func(ctx context.Context) prototest.Diagnostics) {
	for i := range people {
		numbered := config(withdrawing).With(prototest.Attributes{"identity_id": fmt.Sprint("person-", i)})
		former, _ := p.MustCreate(name, numbered)
		for _, change := range []struct {
			prior  *prototest.State
			config prototest.Attributes
		}{{former, nil}, {nil, numbered}} {
			plan, diags := p.Plan(name, change.prior, change.config)
			p.NoErrors(diags)
			steps = append(steps, func(ctx context.Context) prototest.Diagnostics {
				_, diags := p.Apply(ctx, name, change.prior, plan)
				return diags
			})
		}
	}

	p.NewRun()

	return steps
}

// withdrawnPeople counts the people whose record differs from the configuration.
func withdrawnPeople(service *mocktest.Instance, people int) (withdrawn int) {
	for i := range people {
		if record, _ := service.Consent(scope, fmt.Sprint("person-", i)); record.Clauses != configured {
			withdrawn++
		}
	}

	return withdrawn
}

// TestConsent_renamedKeysWithdrawNobody carries the steps out in random orders, one after
// another and as many at a time as Terraform does.
func TestConsent_renamedKeysWithdrawNobody(t *testing.T) {
	t.Parallel()
	people := soak.Size(soak.Raced(6, 12), 40)

	for label, answer := range map[string]func(map[string]any) any{
		"as written": func(r map[string]any) any { return r },
		"a withdrawal has no time": func(r map[string]any) any {
			if r["clause_1_consent"] == false {
				r["agreement_time"] = nil
			}
			return r
		},
	} {
		for _, parallelism := range []int{1, 10} {
			t.Run(fmt.Sprint(label, ", ", parallelism, " at a time"), func(t *testing.T) {
				t.Parallel()
				p, service := start(t, nil, func(s *mockserver.Server) { s.ReshapeConsents(answer) })
				steps := renamed(p, people)
				order, others := rand.New(rand.NewPCG(soak.Seed(0), 5)), steps[2:]
				order.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
				steps = append(steps[1:], steps[0]) // one person is created first and destroyed last

				done := make([]prototest.Diagnostics, len(steps))
				slots := make(chan struct{}, parallelism)
				var wg sync.WaitGroup
				for i, step := range steps {
					slots <- struct{}{}
					wg.Go(func() {
						defer func() { <-slots }()
						done[i] = step(t.Context())
					})
				}
				wg.Wait()

				diags := slices.Concat(done...)
				p.NoErrors(diags)
				if n := withdrawnPeople(service, people); n != 0 {
					t.Errorf("%d of %d people were withdrawn", n, people)
				}

				prototest.WantText(t, diags.Warnings(), "Not withdrawn, another resource writes it", "moved", "analytics_consent")
				if strings.Contains(strings.Join(diags.Warnings(), "\n"), "person-") {
					t.Error("a warning names a person")
				}
			})
		}
	}
}

// TestConsent_twoObjectsOfOnePersonAreWarnedOf plans and applies one object without a warning,
// and then another one of the same person. A plan that destroys one of them and leaves the other
// one as it is, is refused, in either order.
func TestConsent_twoObjectsOfOnePersonAreWarnedOf(t *testing.T) {
	t.Parallel()
	const shared = "Two resources manage the consent of one person"
	p, service := start(t, nil)
	one, diags := p.MustCreate(name, config(withdrawing))
	wantWarning(t, diags, "")
	p.NewRun()
	one, diags = p.MustRefresh(name, one)
	wantWarning(t, diags, "")
	_, diags = p.Plan(name, one, config(withdrawing))
	wantWarning(t, diags, "")
	two, diags := p.MustCreate(name, config(withdrawing))
	wantWarning(t, diags, shared)

	plan := func(object *prototest.State, config prototest.Attributes) prototest.Diagnostics {
		_, diags := p.Plan(name, object, config)
		return diags
	}
	p.NewRun()
	wantWarning(t, plan(one, config(withdrawing)), "")
	diags = plan(two, config(withdrawing))
	wantWarning(t, diags, shared)
	prototest.WantText(t, diags.Warnings(), `on_destroy = "retain"`, "analytics_consent", "org-demo")

	for _, destroysFirst := range []bool{true, false} {
		p.NewRun()
		destroy := func() prototest.Diagnostics { return plan(one, nil) }
		keep := func() prototest.Diagnostics { return plan(two, config(withdrawing)) }
		first, second := destroy, keep
		if !destroysFirst {
			first, second = keep, destroy
		}
		p.NoErrors(first())
		refused := second()
		prototest.WantText(t, refused.Errors(), "Another resource keeps the consent to be withdrawn", `on_destroy = "retain"`, "org-demo")
	}

	// While a choice stands, an update sends nothing, so it does not write after a withdrawal.
	p.NewRun()
	service.PutConsent(scope, person, choose(late))
	two, _ = p.MustRefresh(name, two)
	p.NoErrors(plan(one, nil))
	refused := plan(two, config(withdrawing).With(version(1)))
	prototest.WantText(t, refused.Errors(), "Another resource keeps the consent to be withdrawn")

	// The same person elsewhere is another one.
	service.PutConsent(mockserver.Scope{AccountID: "acct-7"}, person, refusal(nil))
	_, diags = p.Import(name, "acct-7/"+person)
	wantWarning(t, diags, "")
}
