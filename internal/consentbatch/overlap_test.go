// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"strings"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
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
			prototest.WantText(t, said, append(words, "Another resource manages people of these rows")...)
		}
		if text := strings.Join(said, "\n"); strings.Contains(text, "Another resource") != (words != nil) || strings.Contains(text, "@example.com") {
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

// TestConsentBatch_createdAfterAWithdrawalIsWritten destroys a batch and creates another one of
// fewer people, and a single object, in one run, as Terraform does for a renamed object. The
// service holds no time after a withdrawal, which is no choice of the person then.
func TestConsentBatch_createdAfterAWithdrawalIsWritten(t *testing.T) {
	t.Parallel()
	p, service := start(t, nil, func(s *mockserver.Server) {
		s.ReshapeConsents(func(r map[string]any) any {
			if r["clause_1_consent"] == false {
				r["agreement_time"] = nil
			}
			return r
		})
	})
	former, renamed := newFile(t, people(6)), newFile(t, people(4))
	state := createdBatch(t, p, service, former.config(uncompared.With(withdrawing)))
	create, diags := p.Plan(batchName, nil, renamed.config(uncompared))
	p.NoErrors(diags)

	p.NewRun()
	_, diags = p.Destroy(batchName, state)
	p.NoErrors(diags)
	created, diags := p.Apply(t.Context(), batchName, nil, create)
	p.NoErrors(diags)
	p.MustCreate(singleName, single(4, nil))

	for i := range 5 {
		wantRow(t, service, i, configured)
	}
	wantRow(t, service, 5, [5]bool{})
	p.NewRun()
	wantEmptyBatchPlan(t, p, created, renamed.config(uncompared))
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
