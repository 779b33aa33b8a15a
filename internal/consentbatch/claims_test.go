// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/prototest"
)

// TestConsentBatch_overlapIsShownInThePlan has two batches and a single object of one run.
func TestConsentBatch_overlapIsShownInThePlan(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	first, second := newFile(t, people(5)), newFile(t, batchHeader+rowOf(9, middle)+rowOf(3, middle)+rowOf(4, middle))
	wantShared := func(state *prototest.State, config prototest.Attributes, words ...string) {
		t.Helper()
		_, diags := p.Plan(batchName, state, config)
		p.NoErrors(diags)
		said := diags.Warnings()
		if words != nil {
			prototest.WantText(t, said, append(words, "Two resources manage the consent of one person")...)
		}
		if text := strings.Join(said, "\n"); strings.Contains(text, "Two resources manage") != (words != nil) || strings.Contains(text, "@example.com") {
			t.Errorf("the plan says %s", text)
		}
	}

	state := createdBatch(t, p, service, first.config(nil))
	wantShared(state, first.config(nil)) // there is no other object yet
	wantShared(nil, second.config(nil), `analytics_consent_batch with source "`+first.path+`" (2): lines 3, 4`)
	wantShared(nil, second.config(uncompared), "(2): lines 3, 4")
	wantShared(nil, first.config(prototest.Attributes{"account_id": "acct-7"})) // others

	p.NewRun()
	one, _ := p.MustCreate(singleName, single(9, nil))
	p.NewRun()
	p.WantEmptyPlan(singleName, one, single(9, nil))
	wantShared(nil, second.config(nil), "\nanalytics_consent (1): line 2")
}

func TestConsentBatch_anotherScopeOfTheProviderReplacesVisibly(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	config := newFile(t, people(2)).config(uncompared.With(withdrawing))
	state := createdBatch(t, p, service, config)

	elsewhere := prototest.Config(service).With(prototest.Attributes{"project_id": "another"})
	for _, isReadOnly := range []bool{true, false} {
		p.Reconfigure(elsewhere.With(prototest.Attributes{"read_only": isReadOnly}))
		state, _ = p.MustRefresh(batchName, state)
		plan, diags := p.Plan(batchName, state, config) // which withdraws, before anything is created
		prototest.WantText(t, diags.Warnings(), "The scope of the provider has changed")
		if refused := len(diags.Errors()) > 0; refused != isReadOnly || refused == (len(plan.Replace) > 0) {
			t.Errorf("it is replaced because of %v: %v", plan.Replace, diags.Errors())
		}
	}
	_, diags := p.Destroy(batchName, state) // in the former project
	p.NoErrors(diags)
	wantRow(t, service, 1, [5]bool{})
}

// TestConsentBatch_isNotWithdrawnWhileAnotherObjectKeepsIt destroys a batch in a plan that
// leaves another object of the same people as it is.
func TestConsentBatch_isNotWithdrawnWhileAnotherObjectKeepsIt(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil)
	f := newFile(t, people(3))
	batch := createdBatch(t, p, service, f.config(withdrawing))
	p.NewRun()
	sibling := createdBatch(t, p, service, f.config(nil))
	one, _ := p.MustCreate(singleName, single(1, withdrawing))
	two, _ := p.MustCreate(singleName, single(1, withdrawing))

	for label, plans := range map[string][2]func() prototest.Diagnostics{
		"a batch of the same file": {planned(p, batchName, batch, nil), planned(p, batchName, sibling, f.config(nil))},
		"an object of one person":  {planned(p, batchName, batch, nil), planned(p, singleName, one, single(1, withdrawing))},
		"two objects of a person":  {planned(p, singleName, one, nil), planned(p, singleName, two, single(1, withdrawing))},
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
