package consentbatch

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// failedWords are the parts of an error that depend on the operation.
type failedWords struct {
	// done is a format for how many rows succeeded, and how many of these were sent.
	done string
	// inState completes "In state now: …". next is what to do once the cause is gone.
	inState, next string
}

var (
	createFailed = failedWords{
		"%d are in place, %d of them since now", tfkit.NothingSaved + "; the rows that were written stay at the service",
		"apply again: rows that are in place are compared only, and just the missing ones are written.",
	}
	updateFailed = failedWords{
		"%d are in place, %d of them since now", "this object with the present content, and how many rows are missing",
		"apply again: rows that are in place are compared only, and just the missing ones are written.",
	}
	deleteFailed = failedWords{
		"%d are done, %d of them withdrawn now", "this object as it was before; what was withdrawn stays withdrawn",
		"destroy again: rows that are withdrawn are skipped.",
	}
	planFailed = failedWords{
		"%d were compared, %d of them differ", "what was there before; nothing was written",
		"plan again. With compare_at_plan = false a plan asks the service nothing.",
	}
)

// reportFailed adds one error that says which rows an operation has not done, and why.
func (b *batch) reportFailed(t *tally, words failedWords) {
	if len(t.diags) > 0 { // a panic has its own error
		return
	}

	title := fmt.Sprintf("%d of %d rows failed", t.counts[failed], b.content.Len())
	advice := words.next
	if t.counts[failed] > 0 {
		advice = t.failures.Advice() + " Then " + words.next
	}
	if t.interrupted != nil {
		title, advice = "Interrupted before all rows were done", words.next
	}
	if t.timeIsOver() {
		title = "The time was over before all rows were done"
		advice = "raise the time in the block timeouts, or max_concurrency in the provider block. Then " + words.next
	}

	detail := fmt.Sprintf("Of %d rows "+words.done+"; %d failed and %d were not done.",
		b.content.Len(), t.succeeded(), t.counts[written], t.counts[failed], t.rest())
	if t.counts[failed] > 0 {
		detail += "\n\n" + t.failures.Text(b.content.Place)
	}
	if t.rest() > 0 && t.interrupted == nil {
		detail += "\n\n" + b.whyStopped(t)
	}
	if b.report != nil {
		detail += "\n\nThe file of report_path has a line for each of these rows."
	}
	b.diags.AddError(title, detail+"\n\nIn state now: "+words.inState+".\nWhat to do: "+advice)
}

// whyStopped returns why rows were not tried although there was time.
func (b *batch) whyStopped(t *tally) string {
	text := fmt.Sprintf("%d rows were not tried any more", t.rest())
	if !t.outage.certain {
		return text + ", since the same would happen to them."
	}
	if t.outage.hasAnswered {
		return text + fmt.Sprintf(": the service has failed for %d rows in a row, and then also for line %s, for which it had answered before.",
			suspiciousStreak, b.content.Place(t.outage.answered))
	}
	return text + fmt.Sprintf(": the service has failed for all rows that were tried, %d of them from all over the file.", sampleRows)
}

// warnKept names the rows where a later choice of the person stands.
func (b *batch) warnKept(t *tally) {
	lines := t.rowsThatAre(kept)
	if len(lines) == 0 {
		return
	}
	b.diags.AddWarning("Later choices of people stand", fmt.Sprintf(
		"The service holds a later choice of the person than the row's agreement_time in %d of %d rows: %s. They are left alone. For a withdrawal, a record without agreement_time counts as a later choice.\n\n"+
			"What to do: nothing, or bring the rows up to the choices. To overwrite them on legal grounds, set keep_later_choice = false, or a later agreement_time.",
		len(lines), b.content.Len(), nameSome(lines, limitShownLines, b.content.Place)))
}

// warnKeptUnplanned is warnKept where no plan has compared the rows.
func (b *batch) warnKeptUnplanned(t *tally) {
	if !b.model.CompareAtPlan.ValueBool() {
		b.warnKept(t)
	}
}

// warnDestroyed says what destroying the object does at the service.
func (m *model) warnDestroyed(diags *diag.Diagnostics) {
	if m.OnDestroy.ValueString() == withdraw {
		diags.AddWarning("The consent of many people will be withdrawn",
			"on_destroy is \"withdraw\": destroying this object sets all five clauses of every row of its file to false at the service.")
		return
	}
	diags.AddWarning("The consent stays at the service",
		"Destroying this object only makes Terraform forget it: on_destroy is \"retain\". To take the consent of these people back as well, apply on_destroy = \"withdraw\" first and destroy then.")
}
