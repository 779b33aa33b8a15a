// SPDX-License-Identifier: MPL-2.0

package consentbatch_test

import (
	"fmt"
	"testing"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/clitest"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/prototest"
)

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
	one, _ := p.MustCreate("analytics_consent", single(1, withdrawing))

	for label, plans := range map[string][2]func() prototest.Diagnostics{
		"a batch of the same file": {planned(p, batchName, batch, nil), planned(p, batchName, sibling, f.config(nil))},
		"an object of one person":  {planned(p, batchName, batch, nil), planned(p, "analytics_consent", one, single(1, withdrawing))},
		"the batch of a person":    {planned(p, "analytics_consent", one, nil), planned(p, batchName, batch, f.config(withdrawing))},
	} {
		for first := range plans {
			p.NewRun()
			p.NoErrors(plans[first]())
			if errors := plans[1-first]().Errors(); len(errors) != 1 {
				t.Errorf("%s, %d first: %d errors", label, first, len(errors))
			} else {
				prototest.WantText(t, errors, "Another object keeps the consent to be withdrawn", `on_destroy = "retain"`)
			}
		}
	}

	// Nothing is refused where the other object writes in the same run.
	p.NewRun()
	p.NoErrors(planned(p, batchName, batch, nil)())
	p.NoErrors(planned(p, "analytics_consent", one, single(1, prototest.Attributes{"clause_3_consent": true}))())
}

func planned(p *prototest.Provider, name string, state *prototest.State, config prototest.Attributes) func() prototest.Diagnostics {
	return func() prototest.Diagnostics {
		_, diags := p.Plan(name, state, config)
		return diags
	}
}

// TestCLIConsentBatch_renamedWithdrawsNobodyOfTheSameFile renames a block. Something that
// depends on the former one lets it be destroyed last.
func TestCLIConsentBatch_renamedWithdrawsNobodyOfTheSameFile(t *testing.T) {
	t.Parallel()
	block := func(name string, dependent bool) string {
		text := fmt.Sprintf("\nresource \"analytics_consent_batch\" %q {\n  source     = \"${path.module}/consents.csv\"\n  on_destroy = \"withdraw\"\n}\n", name)
		if dependent {
			text += fmt.Sprintf("resource \"terraform_data\" %q {\n  input = analytics_consent_batch.%s.rows\n}\n", name, name)
		}
		return text
	}

	for label, dependent := range map[string]bool{"alone": false, "with a dependent": true} {
		cli, service, _ := newBatchCLI(t, block("former", dependent), people(4))
		cli.MustRun("apply", "-auto-approve")
		cli.Configure(block("renamed", false))
		cli.MustRun("apply", "-auto-approve", "-parallelism=1")
		for i := range 4 {
			wantRow(t, service, i, configured)
		}

		clitest.WantWords(t, cli.MustRun("plan", "-detailed-exitcode"), "No changes")
		if t.Failed() {
			t.Fatal(label)
		}
	}
}
