// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// The problems of a run in which rows failed. Their details are formats with how many rows
// succeeded, and how many of these were sent.
var (
	applyFailed = tfkit.Problem{
		Detail: "%d are in place, %d of them written by this run",
		Do:     "apply again: rows that are in place are compared only, and just the missing ones are written.",
	}
	deleteFailed = tfkit.Problem{
		Detail:  "%d are withdrawn, %d of them by this run",
		InState: "this resource as it was before; what was withdrawn stays withdrawn",
		Do:      "destroy again: rows that are withdrawn are skipped.",
	}
	planFailed = tfkit.Problem{
		Detail: "%d were compared, and %d of them differ",
		Do:     "plan again. With compare_at_plan = false a plan asks the service nothing.",
	}
)

// reportFailed reports in one error how many rows were not done, which failed, and why.
func (b *batch) reportFailed(t *tally, problem tfkit.Problem) {
	if len(t.panics) > 0 { // of a panic, which has its own error
		b.diags.Append(t.panics...)
		return
	}

	rows := len(b.rows)
	problem.Summary = fmt.Sprintf("%d of %d rows failed", t.counts[failed], rows)
	problem.Detail = fmt.Sprintf("Of %d rows, "+problem.Detail+"; %d failed, and %d were not tried.",
		rows, t.succeeded(), t.toWrite(), t.counts[failed], t.counts[notTried])
	if t.interrupted {
		problem.Summary = "Interrupted before all rows were done"
	}

	if n := t.counts[unknown]; n > 0 {
		problem.Detail += fmt.Sprintf(" Requests were on their way when the run ended, so the outcome of %d is unknown.", n)
	}
	if t.counts[failed] > 0 {
		text, advice := t.failures.describe(b.position)
		problem.Detail += "\n\n" + text
		if !t.interrupted {
			problem.Do = advice + " Then " + problem.Do
		}
	}

	if n := t.counts[notTried]; n > 0 && t.down {
		problem.Detail += fmt.Sprintf("\n\n%d rows were not tried, because the service failed for %d rows in a row, from all over the file.", n, outageStreak)
	} else if n > 0 && !t.interrupted {
		problem.Detail += fmt.Sprintf("\n\n%d rows were not tried, because they would have failed in the same way.", n)
	}
	if b.report != nil {
		problem.Detail += "\n\nThe file of report_path has a line for each of these rows."
	}

	problem.AddError(b.diags)
}

// warnKept warns of rows that were left alone because a choice of the person stands.
func (b *batch) warnKept(t *tally) {
	lines := t.rowsThatAre(kept)
	if len(lines) == 0 {
		return
	}

	p := tfkit.Problem{
		Summary: "Later choices of people stand",
		Detail: fmt.Sprintf(
			"The service holds a later choice of the person than the row's agreement_time in %d of %d rows: %s. They are left alone. A record with other clauses counts as a later choice if it has no agreement_time, or the row has none.",
			len(lines), len(b.rows), b.nameRows(lines)),
		Do: "nothing, or bring the rows up to the choices. To overwrite them, give the rows a later agreement_time than that of the record; where the record has none, or on legal grounds, set keep_later_choice = false, here for all rows, or for one person in an analytics_consent in place of the row.",
	}
	if n := t.refusals.Load(); n > 0 {
		p.Detail += fmt.Sprintf(" %d of the records refuse all clauses: each is a refusal of the person, or an earlier withdrawal by a destroy. In a test tenant, where they are the latter, keep_later_choice = false writes these people again.", n)
	}

	p.AddWarning(b.diags)
}

// warnReview warns of what a plan would write.
func (b *batch) warnReview(t *tally) {
	if !b.warns() {
		return
	}

	tfkit.Problem{
		Summary: fmt.Sprintf("%d of %d rows would be written", t.toWrite(), len(b.rows)),
		Detail: fmt.Sprintf("%d of them would be the first record of a person, which nothing can remove; %d other rows are left alone, because a choice of the person stands.",
			t.counts[absent], t.counts[kept]),
	}.AddWarning(b.diags)
}

// warnMissing warns of people who were to be withdrawn and seem to have no record.
func (b *batch) warnMissing(t *tally) {
	lines := t.rowsThatAre(missing)
	if len(lines) == 0 {
		return
	}

	tfkit.Problem{
		Summary: "Consent records are missing",
		Detail: fmt.Sprintf("The service says twice that it has no record for %d of %d rows: %s. Nothing was withdrawn there. Yet these rows were applied, and the service cannot remove a record. Terraform removes the resource from state.",
			len(lines), len(b.rows), b.nameRows(lines)),
		Do: "look at the service for consent that is still there. If readings lag by more than wire.lag, raise it, apply the same file again and destroy it again.",
	}.AddWarning(b.diags)
}

// warnAltered warns of a service that shows all rows of the last apply in another way than they were
// written, and names the settings that tell so.
func (b *batch) warnAltered() {
	if _, isKnown := b.growth(); !isKnown || !b.warns() {
		return
	}

	found, ok := b.survey.Proposal(len(b.rows) - len(b.rows)/10)
	if !ok || reflect.DeepEqual(found, b.client.Keeping) {
		return
	}

	tfkit.Problem{
		Summary: "The service does not show rows as they were written",
		Detail:  "It alters all rows in the same way, so that they seem to differ, or to have been chosen later, in each plan.",
		Do:      "tell the provider so, in the provider block:\n\n" + client.ConsentSettings(found),
	}.AddWarning(b.diags)
}

// warnDestroyed warns of what destroying the object does at the service.
func (m *model) warnDestroyed(diags *diag.Diagnostics) {
	if m.OnDestroy.ValueString() == withdraw {
		tfkit.Problem{
			Summary: "The consent of many people will be withdrawn",
			Detail:  "on_destroy is \"withdraw\": destroying this resource sets all five clauses of every row of its file to false at the service.",
		}.AddWarning(diags)

		return
	}

	tfkit.Problem{
		Summary: "The consent stays at the service",
		Detail:  "Destroying this resource only removes it from state: on_destroy is \"retain\". To take the consent of these people back as well, apply on_destroy = \"withdraw\" first and destroy then.",
	}.AddWarning(diags)
}

// warnIncomparable warns of the rows that could not be compared.
func (b *batch) warnIncomparable(t *tally) {
	if t.missed() == 0 || !b.warns() {
		return
	}

	text, advice := t.failures.describe(b.position)
	tfkit.Problem{
		Summary: fmt.Sprintf("%d of %d rows could not be compared", t.counts[failed], len(b.rows)),
		Detail:  text + "\n\nAn apply tries them again, and writes all others that differ.",
		Do:      advice,
	}.AddWarning(b.diags)
}

// warnRemoved warns of rows that are gone.
func (b *batch) warnRemoved() {
	if b.prior == nil || !b.warns() || !b.model.Shard.Equal(b.prior.Shard) {
		return
	}

	if gone := b.prior.Rows.ValueInt64() - int64(len(b.rows)); gone > 0 {
		tfkit.Problem{
			Summary: "Rows that are no longer managed",
			Detail:  fmt.Sprintf("There are %d fewer rows than at the last apply. What the service holds about these people stays as it is.", gone),
			Do:      "nothing. To withdraw the consent of these people, set the clauses to false instead of removing the rows.",
		}.AddWarning(b.diags)
	}
}

// The problems of rows whose people another object has as well. Their details end with the other
// objects and the rows of each.
var (
	sharedPeople = tfkit.Problem{
		Summary: "Another resource manages people of these rows",
		Detail:  "The consent of one person is managed by this batch and by another resource. Where they differ, each apply undoes the other one, and the plan never stays empty.",
		Do:      "remove these rows, or take the other resource out of the configuration with on_destroy = \"retain\".",
	}
	notWithdrawn = tfkit.Problem{
		Summary: "Not withdrawn, another resource writes these rows",
		Detail:  "on_destroy is \"withdraw\", and in the same run another resource writes the consent of these people, so theirs was not withdrawn.",
		Do:      "nothing, if the batch was renamed or its people are managed by the other resource now. To withdraw their consent, set the clauses to false there.",
	}
	keptByAnother = tfkit.Problem{
		Summary: "Another resource keeps the consent to be withdrawn",
		Detail:  "This batch and another resource have people in common. The plan destroys one of the two with on_destroy = \"withdraw\" and keeps the other one: it would withdraw the consent of these people, and the next plan would give it again.",
		Do:      "keep the first resource in the configuration, apply on_destroy = \"retain\", and remove it then. To withdraw the consent, set the clauses of the other resource to false, or remove both.",
	}
)

// claim makes a claim about the person of each of the rows. It returns the rows for which other objects
// have the opposite one, by object. Nothing is claimed while the scope is not known.
func (b *batch) claim(of []int, claim func(by *tfkit.Object, p client.Person) (other *tfkit.Object)) map[string][]int {
	rowsOf := map[string][]int{}
	if !b.isScopeKnown {
		return rowsOf
	}

	for _, i := range of {
		if other := claim(b.object, b.person(i)); other != nil {
			rowsOf[other.String()] = append(rowsOf[other.String()], i)
		}
	}

	return rowsOf
}

// addOthers adds a problem of rows that other objects have as well, if there are any.
func (b *batch) addOthers(rowsOf map[string][]int, problem tfkit.Problem, add func(tfkit.Problem, *diag.Diagnostics)) {
	if len(rowsOf) == 0 {
		return
	}

	problem.Detail += " The other resources, and the rows of this batch:"
	for _, other := range slices.Sorted(maps.Keys(rowsOf)) {
		problem.Detail += fmt.Sprintf("\n%s (%d): %s", other, len(rowsOf[other]), b.nameRows(rowsOf[other]))
	}
	add(problem, b.diags)
}

// warnSpelling warns of identities that differ by the case of letters only, among the rows or in
// another object of the plan. The first pass records those with capital letters.
func (b *batch) warnSpelling() {
	if !b.isScopeKnown {
		return
	}

	var twice []int
	for range 2 {
		twice = twice[:0]
		for i := range b.rows {
			if b.resource.Consents.IsSpelledTwice(b.person(i), false) {
				twice = append(twice, i)
			}
		}
	}
	if len(twice) == 0 {
		return
	}

	tfkit.Problem{
		Summary: "Identities differ by case only",
		Detail:  fmt.Sprintf("Rows have an identity that differs from another one by the case of letters only: %s. For the provider, these are two people. If the service takes them for one, the rows overwrite each other.", b.nameRows(twice)),
		Do:      "nothing, if they are different people. Otherwise remove these rows, or the others.",
	}.AddWarning(b.diags)
}
