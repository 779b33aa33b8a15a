// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver/mocktest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

const singleName = "analytics_consent"

// single returns the configuration of an analytics_consent for the person of row i.
func single(i int, others prototest.Attributes) prototest.Attributes {
	return prototest.Attributes{
		"identity_id": userName(i), "agreement_time": middle,
		"clause_1_consent": true, "clause_2_consent": true, "clause_3_consent": false, "clause_4_consent": true, "clause_5_consent": true,
	}.With(others)
}

func TestConsentBatch_overlapOfTwoBatches(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	first, second := newFile(t, people(5)), newFile(t, batchHeader+rowOf(9, middle)+rowOf(3, middle)+rowOf(4, middle))

	state := createdBatch(t, p, service, first.config(nil))
	for range 2 { // in one run
		_, diags := p.Plan(batchName, state, first.config(nil))
		p.NoErrors(diags)
		if text := strings.Join(diags.Warnings(), "\n"); strings.Contains(text, "Another resource") {
			t.Errorf("there is no other object yet:\n%s", text)
		}
	}

	for _, compare := range []bool{true, false} {
		_, diags := p.Plan(batchName, nil, second.config(prototest.Attributes{"compare_at_plan": compare}))
		p.NoErrors(diags)
		prototest.WantText(t, diags.Warnings(), "Another resource manages people of these rows", `analytics_consent_batch with source "`+first.path+`" (2): lines 3, 4`)
	}

	_, diags := p.Plan(batchName, nil, first.config(prototest.Attributes{"account_id": "acct-7"}))
	p.NoErrors(diags)
	if text := strings.Join(diags.Warnings(), "\n"); strings.Contains(text, "Another resource") {
		t.Errorf("people of another scope are others:\n%s", text)
	}
}

func TestConsentBatch_overlapOfABatchAndASingleObject(t *testing.T) {
	t.Parallel()
	p, _ := start(t, nil)
	f := newFile(t, people(3))
	state, _ := p.MustCreate(singleName, single(1, nil))
	p.NewRun()
	_, diags := p.Plan(singleName, state, single(1, nil))
	p.NoErrors(diags)

	_, diags = p.Create(batchName, f.config(nil))
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "Another resource manages people of these rows", "\nanalytics_consent (1): line 3")
	if strings.Contains(strings.Join(diags.Warnings(), ""), "@example.com") {
		t.Error("a person is in a warning")
	}
}

// TestConsentBatch_withdrawsNobodyThatAnotherObjectWrites destroys a batch and creates another
// one, of the same file or of fewer people, and a single object, in one run and in both orders,
// as Terraform does for a renamed object. The service may hold no time after a withdrawal.
func TestConsentBatch_withdrawsNobodyThatAnotherObjectWrites(t *testing.T) {
	t.Parallel()
	for _, createFirst := range []bool{true, false} {
		for _, sameFile := range []bool{true, false} {
			t.Run(fmt.Sprintf("create first %t, same file %t", createFirst, sameFile), func(t *testing.T) {
				t.Parallel()
				p, service := start(t, nil, func(s *mockserver.Server) {
					s.ReshapeConsents(func(r map[string]any) any {
						if r["clause_1_consent"] == false {
							r["agreement_time"] = nil
						}
						return r
					})
				})
				former := newFile(t, people(6))
				renamed := former
				if !sameFile {
					renamed = newFile(t, people(4))
				}

				state := createdBatch(t, p, service, former.config(uncompared.With(prototest.Attributes{"on_destroy": "withdraw"})))
				create, diags := p.Plan(batchName, nil, renamed.config(uncompared))
				p.NoErrors(diags)
				p.NewRun()

				var created *prototest.State
				createBoth := func() {
					created, diags = p.Apply(t.Context(), batchName, nil, create)
					p.NoErrors(diags)
					_, diags = p.Create(singleName, single(4, nil))
					p.NoErrors(diags)
				}
				destroyFormer := func() []string {
					after, diags := p.Destroy(batchName, state)
					p.NoErrors(diags)
					if after != nil {
						t.Error("the former object is still there")
					}
					return diags.Warnings()
				}

				if createFirst {
					createBoth()
					prototest.WantText(t, destroyFormer(), "Not withdrawn, another resource writes these rows", `analytics_consent_batch with source "`+renamed.path+`" (`)
				} else {
					destroyFormer()
					createBoth()
				}

				for i := range 5 {
					wantRow(t, service, i, configured)
				}
				if !sameFile {
					wantRow(t, service, 5, [5]bool{})
				}
				p.NewRun()
				wantEmptyBatchPlan(t, p, created, renamed.config(uncompared))
			})
		}
	}
}

func TestConsentBatch_anotherScopeOfTheProviderReplacesVisibly(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(2))
	config := f.config(prototest.Attributes{"on_destroy": "withdraw", "compare_at_plan": false})
	state := createdBatch(t, p, service, config)
	if state.Attributes["org_id"] != mocktest.Org || state.Attributes["project_id"] != mocktest.Project {
		t.Errorf("the scope in state is %v and %v", state.Attributes["org_id"], state.Attributes["project_id"])
	}

	p.Reconfigure(prototest.Config(service).With(prototest.Attributes{"project_id": "another"}))
	state, _ = p.MustRefresh(batchName, state)
	plan, diags := p.Plan(batchName, state, config)
	p.NoErrors(diags)
	prototest.WantText(t, diags.Warnings(), "The scope of the provider has changed")
	if len(plan.Replace) == 0 {
		t.Error("the batch is not replaced")
	}

	state, diags = p.Destroy(batchName, state) // in the former project
	p.NoErrors(diags)
	wantRow(t, service, 1, [5]bool{})
	if state != nil {
		t.Error("the object is still there")
	}
}

// forgets holds services that hold no agreement_time, null or absent.
var forgets = map[string]func(map[string]any) any{
	"null":   func(r map[string]any) any { r["agreement_time"] = nil; return r },
	"absent": func(r map[string]any) any { delete(r, "agreement_time"); return r },
}

func TestConsentBatch_recordWithoutTimeStands(t *testing.T) {
	t.Parallel()
	for name, answer := range forgets {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBatch(t, people(3), nil, func(t *testing.T, b *batchTest) {
				b.service.ReshapeConsents(answer)
				config := uncompared.With(prototest.Attributes{"on_destroy": "withdraw"})
				b.apply(step{
					before: choosing(early, 1), config: config, gets: 3, patches: 2, counts: counts{Rows: 3, Kept: 1, Written: 2},
					warnings: []string{"Later choices of people stand", "in 1 of 3 rows: line 3.", "without agreement_time"},
					held:     map[int][5]bool{1: {}, 2: configured},
				})
				if name == "absent" { // a null is a difference in the other rows
					b.apply(step{config: config.With(prototest.Attributes{"compare_at_plan": true}), gets: 3, counts: counts{Rows: 3, Kept: 1, Written: 2}})
				}

				b.p.NewRun()
				b.service.PutConsent(scope, userName(1), mockserver.ConsentRecord{Clauses: [5]bool{0: true}, AgreementTime: early})
				diags := b.destroy()
				prototest.WantText(t, diags.Warnings(), "Later choices of people stand", "without agreement_time", "line 3")
				wantRow(t, b.service, 1, [5]bool{0: true})
				wantRow(t, b.service, 2, [5]bool{})
			})
		})
	}
}

// TestConsentBatch_isNotWithdrawnWhileAnotherObjectKeepsIt destroys a batch in a plan that
// leaves another object of the same people as it is.
func TestConsentBatch_isNotWithdrawnWhileAnotherObjectKeepsIt(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(3))
	withdrawing := prototest.Attributes{"on_destroy": "withdraw"}
	batch := createdBatch(t, p, service, f.config(withdrawing))
	p.NewRun()
	sibling := createdBatch(t, p, service, f.config(nil))
	one, _ := p.MustCreate(singleName, single(1, withdrawing))

	for label, plans := range map[string][2]func() prototest.Diagnostics{
		"a batch of the same file": {planned(p, batchName, batch, nil), planned(p, batchName, sibling, f.config(nil))},
		"an object of one person":  {planned(p, batchName, batch, nil), planned(p, singleName, one, single(1, withdrawing))},
		"the batch of a person":    {planned(p, singleName, one, nil), planned(p, batchName, batch, f.config(withdrawing))},
	} {
		for first := range plans {
			p.NewRun()
			p.NoErrors(plans[first]())
			if errors := plans[1-first]().Errors(); len(errors) != 1 {
				t.Errorf("%s, %d first: %d errors", label, first, len(errors))
			} else {
				prototest.WantText(t, errors, "Another resource keeps the consent to be withdrawn", `on_destroy = "retain"`)
			}
		}
	}

	// Nothing is refused where the other object writes in the same run.
	p.NewRun()
	p.NoErrors(planned(p, batchName, batch, nil)())
	p.NoErrors(planned(p, singleName, one, single(1, prototest.Attributes{"clause_3_consent": true}))())
}

func planned(p *prototest.Provider, name string, state *prototest.State, config prototest.Attributes) func() prototest.Diagnostics {
	return func() prototest.Diagnostics {
		_, diags := p.Plan(name, state, config)
		return diags
	}
}
