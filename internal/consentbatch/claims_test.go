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
	wantShared := func(state *prototest.State, config prototest.Attributes, with string) {
		t.Helper()
		_, diags := p.Plan(batchName, state, config)
		p.NoErrors(diags)
		text := strings.Join(diags.Warnings(), "\n")
		if isSaid := strings.Contains(text, "Two resources manage"); isSaid != (with != "") || !strings.Contains(text, with) || strings.Contains(text, "@example.com") {
			t.Errorf("the plan says %s, want %q", text, with)
		}
	}

	state := createdBatch(t, p, service, first.config(nil))
	wantShared(state, first.config(nil), "") // there is no other object yet
	wantShared(nil, second.config(nil), `analytics_consent_batch with source "`+first.path+`" (2): lines 3, 4`)
	wantShared(nil, second.config(uncompared), "(2): lines 3, 4")
	wantShared(nil, first.config(prototest.Attributes{"account_id": "acct-7"}), "") // others

	p.NewRun()
	p.MustCreate(singleName, single(9, nil))
	wantShared(nil, second.config(nil), "\nanalytics_consent (1): line 2")
}

// TestConsentBatch_isNotWithdrawnWhileAnotherObjectKeepsIt destroys an object in a plan that
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
	planned := func(name string, state *prototest.State, config prototest.Attributes) func() []string {
		return func() []string {
			_, diags := p.Plan(name, state, config)
			return diags.Errors()
		}
	}

	for label, plans := range map[string][2]func() []string{
		"a batch of the same file": {planned(batchName, batch, nil), planned(batchName, sibling, f.config(nil))},
		"an object of one person":  {planned(batchName, batch, nil), planned(singleName, one, single(1, withdrawing))},
		"two objects of a person":  {planned(singleName, one, nil), planned(singleName, two, single(1, withdrawing))},
		"the batch of a person":    {planned(singleName, one, nil), planned(batchName, batch, f.config(withdrawing))},
	} {
		for first := range plans {
			p.NewRun()
			if errors := plans[first](); len(errors) > 0 {
				t.Errorf("%s, %d first: %q", label, first, errors)
			}
			prototest.WantText(t, plans[1-first](), "Another resource keeps the consent to be withdrawn", `on_destroy = "retain"`)
		}
	}

	// Nothing is refused where the other object writes in the same run.
	p.NewRun()
	errors := append(planned(batchName, batch, nil)(), planned(singleName, one, single(1, prototest.Attributes{"clause_3_consent": true}))()...)
	if len(errors) > 0 {
		t.Errorf("although the other object writes: %q", errors)
	}
}
