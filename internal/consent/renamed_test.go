// SPDX-License-Identifier: MPL-2.0

package consent_test

import (
	"context"
	"fmt"
	"math/rand/v2"
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

func TestConsent_renamedKeysWithdrawNobody(t *testing.T) {
	t.Parallel()
	people := soak.Size(12, 40) // both orders of a person's two steps are among them

	for label, answer := range map[string]func(map[string]any) any{
		"as written": func(r map[string]any) any { return r },
		"a withdrawal has no time": func(r map[string]any) any {
			if r["clause_1_consent"] == false {
				r["agreement_time"] = nil
			}
			return r
		},
	} {
		for seed := range soak.Raced(1, 3) {
			t.Run(fmt.Sprint(label, " ", seed), func(t *testing.T) {
				t.Parallel()
				p, service := start(t, nil, func(s *mockserver.Server) { s.ReshapeConsents(answer) })
				steps := renamed(t, p, people, withdrawing)

				order := rand.New(rand.NewPCG(uint64(seed), 5))
				order.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
				var warnings []string
				for _, step := range steps {
					diags := step(t.Context())
					p.NoErrors(diags)
					warnings = append(warnings, diags.Warnings()...)
				}

				if n := withdrawnPeople(service, people); n != 0 {
					t.Errorf("%d of %d people were withdrawn", n, people)
				}

				prototest.WantText(t, warnings, "Not withdrawn, another object writes it", "moved", "analytics_consent")
				if strings.Contains(strings.Join(warnings, "\n"), "person-") {
					t.Error("a warning names a person")
				}
			})
		}
	}
}

func TestConsent_renamedKeysWithdrawNobodyInParallel(t *testing.T) {
	t.Parallel()
	people := soak.Raced(20, 40)
	p, service := start(t, nil)
	steps := renamed(t, p, people, withdrawing)

	var wg sync.WaitGroup
	slots := make(chan struct{}, 10) // as many as Terraform uses
	for _, step := range steps {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			if errors := step(t.Context()).Errors(); len(errors) > 0 {
				t.Error(errors)
			}
		})
	}

	wg.Wait()

	if n := withdrawnPeople(service, people); n != 0 {
		t.Errorf("%d of %d people were withdrawn", n, people)
	}
}

func TestConsent_aRefusalWithoutATimeStandsWhenAKeyIsRenamed(t *testing.T) {
	t.Parallel()
	for label, createFirst := range map[string]bool{"create first": true, "destroy first": false} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			p, service := start(t, nil, withoutTimes)
			steps := renamed(t, p, 1, withdrawing.With(prototest.Attributes{"keep_later_choice": true}))
			service.PutConsent(scope, "person-0", mockserver.ConsentRecord{Manual: &no})
			if createFirst {
				steps[0], steps[1] = steps[1], steps[0]
			}

			for _, step := range steps {
				step(t.Context())
			}

			if record, _ := service.Consent(scope, "person-0"); record.Clauses != [5]bool{} || *record.Manual {
				t.Errorf("the person's refusal is overwritten: %v", record)
			}
		})
	}
}

// withoutTimes lets the service keep no agreement_time.
func withoutTimes(s *mockserver.Server) {
	s.ReshapeConsents(func(r map[string]any) any {
		delete(r, "agreement_time")
		return r
	})
}

func TestConsent_twoObjectsOfOnePersonAreWarnedOf(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	one, _ := p.MustCreate(name, config(agreed))
	two, diags := p.MustCreate(name, config(agreed).With(prototest.Attributes{"clause_1_consent": false}))
	prototest.WantText(t, diags.Warnings(), "Two objects manage the consent of one person", "analytics_consent", "org-demo")

	// In later runs only one of them writes, but both are planned.
	p.NewRun()
	_, first := p.Plan(name, one, config(agreed))
	_, second := p.Plan(name, two, config(agreed))
	if len(first) != 0 {
		t.Errorf("warnings of the first: %v", first.Warnings())
	}

	prototest.WantText(t, second.Warnings(), "Two objects manage the consent of one person", `on_destroy = "retain"`)
	if strings.Contains(strings.Join(second.Warnings(), ""), person) {
		t.Error("the warning names the person")
	}

	// Another person, and the same one elsewhere, are none of it.
	service.PutConsent(mockserver.Scope{AccountID: "acct-7"}, person, refusal(nil))
	for _, id := range []string{"acct-7/" + person} {
		_, diags := p.Import(name, id)
		p.NoErrors(diags)
		if len(diags) != 0 {
			t.Errorf("warnings: %v", diags.Warnings())
		}
	}
}

func TestConsent_aSingleObjectIsNotWarnedOf(t *testing.T) {
	t.Parallel()
	p, _ := start(t, nil)
	state, diags := p.MustCreate(name, config(agreed))

	for range 2 {
		p.NewRun()
		var refreshed prototest.Diagnostics
		state, refreshed = p.MustRefresh(name, state)
		diags = append(diags, refreshed...)
	}

	p.NewRun()
	_, updated := p.Update(name, state, config(agreed).With(prototest.Attributes{"clause_3_consent": true}))
	if diags = append(diags, updated...); len(diags) != 0 {
		t.Errorf("warnings: %v", diags.Warnings())
	}
}
