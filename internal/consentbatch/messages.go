// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"fmt"
	"maps"
	"slices"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// What to do about rows that were not written, withdrawn or compared.
const (
	adviceApply   = "apply again: rows that are in place are compared only, and just the missing ones are written."
	adviceDestroy = "destroy again: rows that are withdrawn stay so, and are skipped."
	advicePlan    = "plan again. With compare_at_plan = false a plan asks the service nothing."
)

// failure returns the problem of a run in which rows were not done: how many, which failed, and why. done is
// what a run does with a row.
func (b *batch) failure(done, advice string) tfkit.Problem {
	problem := tfkit.Problem{
		Summary: fmt.Sprintf("%d of %d rows were not %s", b.missed(), len(b.rows), done),
		Detail:  fmt.Sprintf("Of %d rows, %d succeeded, and %d of these differed from the service; %d failed.", len(b.rows), len(b.rows)-b.missed(), b.toWrite(), b.counts[failed]),
		Do:      advice,
	}
	if b.counts[failed] > 0 {
		text, first := b.describe()
		problem.Detail += "\n\n" + text
		problem.Do = first + " Then " + advice
	}
	if b.counts[notTried] > 0 {
		problem.Detail += fmt.Sprintf("\n\n%d rows were not tried, because %s.", b.counts[notTried], b.stopped)
	}

	return problem
}

// warnKept warns of rows that were left alone because a choice of the person stands.
func (b *batch) warnKept() {
	if b.counts[kept] == 0 {
		return
	}

	tfkit.Problem{
		Summary: "Later choices of people stand",
		Detail: fmt.Sprintf("%d of %d rows are left alone: %s. The service holds a later choice, or other clauses without two times to compare. Five false clauses are a refusal or an earlier withdrawal.",
			b.counts[kept], len(b.rows), b.linesOf(kept)),
		Do: "nothing, or bring the rows up to the choices. To overwrite them, as in a test tenant, set keep_later_choice = false, or a later agreement_time where the record has one.",
	}.AddWarning(b.diags)
}

// warnAltered warns of a service that shows all rows of the last apply in another way than they were
// written, and names the settings that tell so.
func (b *batch) warnAltered() {
	found, ok := b.survey.Proposal(len(b.rows) - len(b.rows)/10)
	settings := client.ConsentSettings(found)
	if !ok || b.grown == unbounded || settings == client.ConsentSettings(b.Client.Keeping) {
		return
	}

	tfkit.Problem{
		Summary: "The service does not show rows as they were written",
		Detail:  "It alters all rows in the same way, so that they seem to differ, or to have been chosen later, in each plan.",
		Do:      "tell the provider so, in the provider block:\n\n" + settings,
	}.AddWarning(b.diags)
}

// warnSpelling warns of identities that differ by the case of letters only, among the rows or from one of
// another object of the plan.
func (b *batch) warnSpelling() {
	var twice []int
	for _, row := range b.all {
		if b.Consents.IsSpelledTwice(b.person(row)) {
			twice = append(twice, row)
		}
	}
	if len(twice) > 0 && b.warns {
		tfkit.SpelledTwice.With(" It concerns " + b.lines(twice) + ".").AddWarning(b.diags)
	}
}

// claim makes a claim about the people of some rows. It returns the other objects that have the opposite
// one, with the rows of this batch, as text; empty if there are none.
func (b *batch) claim(some []int, claim func(by *tfkit.Object, p client.Person) (other *tfkit.Object)) (others string) {
	rowsOf := map[string][]int{}
	for _, row := range some {
		if other := claim(b.object, b.person(row)); other != nil {
			rowsOf[other.String()] = append(rowsOf[other.String()], row)
		}
	}

	for _, other := range slices.Sorted(maps.Keys(rowsOf)) {
		others += fmt.Sprintf("\n%s (%d): %s", other, len(rowsOf[other]), b.lines(rowsOf[other]))
	}

	return others
}

// refuseKept refuses a plan that withdraws people whom another object keeps, if there are others.
func (b *batch) refuseKept(others string) {
	if others != "" {
		tfkit.KeptConsent.With(others).AddError(b.diags)
	}
}
