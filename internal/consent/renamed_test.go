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

// numbered returns the configuration of one of many people.
func numbered(i int, others prototest.Attributes) prototest.Attributes {
	return config(others).With(prototest.Attributes{"identity_id": fmt.Sprint("person-", i)})
}

// renamed returns the steps of a run after keys of for_each were renamed: for each person,
// Terraform destroys the object of the former key and creates that of the new key.
func renamed(t *testing.T, p *prototest.Provider, people int, others prototest.Attributes) (steps []func(ctx context.Context) prototest.Diagnostics) {
	t.Helper()
	for i := range people {
		former, _ := p.MustCreate(name, numbered(i, others))

		destroy, diags := p.Plan(name, former, nil)
		p.NoErrors(diags)
		create, diags := p.Plan(name, nil, numbered(i, others))
		p.NoErrors(diags)

		steps = append(steps,
			func(ctx context.Context) prototest.Diagnostics {
				_, diags := p.Apply(ctx, name, former, destroy)
				return diags
			},
			func(ctx context.Context) prototest.Diagnostics {
				_, diags := p.Apply(ctx, name, nil, create)
				return diags
			})
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
				steps := renamed(t, p, people, withdrawing)
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
// and then another one of the same person.
func TestConsent_twoObjectsOfOnePersonAreWarnedOf(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	one, alone := p.MustCreate(name, config(agreed))
	p.NewRun()
	one, refreshed := p.MustRefresh(name, one)
	_, planned := p.Plan(name, one, config(agreed).With(prototest.Attributes{"clause_3_consent": true}))
	if diags := slices.Concat(alone, refreshed, planned); len(diags) != 0 {
		t.Errorf("warnings of a single object: %v", diags.Warnings())
	}

	two, diags := p.MustCreate(name, config(agreed).With(prototest.Attributes{"clause_1_consent": false}))
	prototest.WantText(t, diags.Warnings(), "Two resources manage the consent of one person", "analytics_consent", "org-demo")

	// In later runs only one of them writes, but both are planned.
	p.NewRun()
	_, first := p.Plan(name, one, config(agreed))
	_, second := p.Plan(name, two, config(agreed))
	if len(first) != 0 {
		t.Errorf("warnings of the first: %v", first.Warnings())
	}

	prototest.WantText(t, second.Warnings(), "Two resources manage the consent of one person", `on_destroy = "retain"`)
	if strings.Contains(strings.Join(second.Warnings(), ""), person) {
		t.Error("the warning names the person")
	}

	// The same person elsewhere is another one.
	service.PutConsent(mockserver.Scope{AccountID: "acct-7"}, person, refusal(nil))
	if _, diags := p.Import(name, "acct-7/"+person); len(diags) != 0 {
		t.Errorf("of another scope: %v", diags)
	}
}
