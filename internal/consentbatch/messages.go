package consentbatch

import (
	"fmt"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// failedWords is what a failed operation says of itself.
type failedWords struct {
	// done is what became of the rows: how many succeeded, and how many of them were
	// sent, or would be.
	done string
	// inState completes "In state now: …"; next is what to do once the cause is gone.
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

// reportFailed says in one error why an operation has not done all rows, by lines and
// without a person.
func (b *batch) reportFailed(t *tally, words failedWords) {
	if len(t.diags) > 0 { // a panic has said all there is to say
		return
	}
	total := b.content.Len()
	title, why := fmt.Sprintf("%d of %d rows failed", t.failures.Count, total), ""
	advice := words.next
	if t.failures.Count > 0 {
		why = "\n\n" + t.failures.Text(b.content.Place)
		advice = t.failures.Advice() + " Then " + words.next
	}
	switch rest := total - t.done; {
	case t.interrupted != nil:
		title = "Interrupted before all rows were done"
		advice = words.next
		if t.timeIsOver() {
			title = "The time was over before all rows were done"
			advice = "raise the time in the block timeouts, or max_concurrency in the provider block. Then " + words.next
		}
	case rest > 0 && t.hopeless():
		why += fmt.Sprintf("\n\n%d rows were not tried any more, after so many failures without a success between.", rest)
	case rest > 0:
		why += fmt.Sprintf("\n\n%d rows were not tried any more, since the same would happen to them.", rest)
	}
	detail := fmt.Sprintf("Of %d rows "+words.done+"; %d failed and %d were not done.", total, t.succeeded(), t.written, t.failures.Count, total-t.done)
	b.diags.AddError(title, detail+why+"\n\nIn state now: "+words.inState+".\nWhat to do: "+advice)
}
