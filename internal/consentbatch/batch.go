// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch/rows"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// batch is one plan, apply or destroy of an analytics_consent_batch.
type batch struct {
	resource *batchResource
	config   model         // by which the rows are read; that in state for a destroy
	model    model         // that is planned or applied
	prior    *model        // in state; nil for a create
	object   *tfkit.Object // nil in the plan of a create
	diags    *diag.Diagnostics

	content input
	client  *client.Client
	scope   client.Scope
	report  *outfile.Reservation // nil if none is written

	survey   choice.Survey
	refusals atomic.Int64 // records that stand and refuse all clauses
}

// inState completes "In state now: …" of an error.
func (b *batch) inState() string {
	if b.prior == nil {
		return tfkit.NothingSaved
	}
	return tfkit.PriorKept
}

// objectIn returns the object that private state belongs to. Its label names the file.
func (m *model) objectIn(ctx context.Context, private tfkit.Private) *tfkit.Object {
	label := "analytics_consent_batch"
	if !m.isWriteOnly() {
		label += " with source " + strconv.Quote(m.Source.ValueString())
	}

	return tfkit.ObjectIn(ctx, private, label)
}

// connect sets the client and the scope, or reports what is missing.
func (b *batch) connect() (ok bool) {
	b.client, b.scope, ok = b.resource.ClientAndScope(b.model.Scope, b.diags)
	return ok
}

// open reads the content for an apply and opens the report. It refuses a content other than
// the planned one.
func (b *batch) open() (ok bool) {
	if !b.read() || !b.connect() {
		return false
	}

	planned := b.model.results
	sameCount := planned.Rows.IsUnknown() || planned.Rows.ValueInt64() == int64(len(b.content.rows))
	sameRows := planned.Digest.IsUnknown() || planned.Digest.ValueString() == b.digestLike(planned.Digest.ValueString())
	if !sameCount || !sameRows {
		tfkit.Problem{
			Summary: "The rows are not those that were planned",
			Detail:  "The content has changed since the plan, so what was reviewed is not what would be written. Nothing was sent.",
			InState: b.inState(),
			Do:      "plan again, and apply that plan.",
		}.AddError(b.diags)

		return false
	}

	if err := b.openReport(); err != nil {
		tfkit.Problem{
			Summary: "The report cannot be written",
			Detail:  "The file cannot be used: " + err.Error() + ". Nothing was written.",
			InState: b.inState(),
			Do:      "give report_path a path of its own in a folder that exists, or remove what is there.",
			At:      path.Root("report_path"),
		}.AddError(b.diags)

		return false
	}

	return true
}

// readApplied reads the file that was applied, for a withdrawal. It refuses a file that has
// changed.
func (b *batch) readApplied() (ok bool) {
	if !b.read() {
		return false
	}

	if applied := b.model.Digest.ValueString(); applied != b.digestLike(applied) {
		tfkit.Problem{
			Summary: "The file is not the one that was applied",
			Detail:  "The file has changed since it was applied, so a destroy could withdraw the consent of the wrong people. Nothing was sent.",
			InState: b.inState(),
			Do:      "put the file back that was applied, or apply the present one first. To withdraw nothing, apply on_destroy = \"retain\" and destroy then.",
			At:      path.Root("source"),
		}.AddError(b.diags)

		return false
	}

	return true
}

// caseOf returns the case of a row.
func (b *batch) caseOf(row rows.Row) tfkit.ConsentCase {
	return tfkit.ConsentCase{Service: b.resource.Service, Person: client.Person{Scope: b.scope, Identity: row.Identity}, Object: b.object}
}

// evidence returns what a row is judged by, beside a reading and what the run knows.
func (b *batch) evidence(row rows.Row) choice.Evidence {
	return choice.Evidence{Wanted: row.Update(), Since: row.AgreedAt(), Overrules: !b.model.KeepLaterChoice.ValueBool()}
}

// outcomeOf returns the outcome of a row by its judgement.
func (b *batch) outcomeOf(j tfkit.Judged, err error) (outcome, error) {
	if err != nil {
		return failed, err
	}

	if j.Act == choice.Stand && j.Held.HasClauses([answer.Clauses]bool{}) {
		b.refusals.Add(1)
	}

	return outcomesOf[j.Act], nil
}

// run calls do for rows, for as many at once as the client sends requests.
func (b *batch) run(ctx context.Context, t *tally, of []int, do func(ctx context.Context, row rows.Row) (outcome, error)) {
	t.run(ctx, of, b.client.Concurrency(), func(ctx context.Context, i int) (outcome, error) {
		return do(ctx, b.content.rows[i])
	})
}

// compare asks the service about rows. If more of them have no record than there are new rows, it
// asks about these once more, after a pause: a record cannot be removed.
func (b *batch) compare(ctx context.Context, t *tally, of []int) {
	read := func(ctx context.Context, row rows.Row) (outcome, error) {
		j, err := b.caseOf(row).Do(ctx, b.evidence(row), choice.Plan)
		as, err := b.outcomeOf(j, err)
		switch {
		case as == failed:
		case j.IsNone:
			as = absent
		default:
			b.survey.Add(j.Wanted, j.Held)
		}

		return as, err
	}

	b.run(ctx, t, of, read)
	if grown, isKnown := b.growth(); isKnown && t.counts[absent] > grown {
		b.again(ctx, t, read)
	}
}

// again reads the rows without a record once more, after a pause. Where it is interrupted, so are
// they.
func (b *batch) again(ctx context.Context, t *tally, do func(ctx context.Context, row rows.Row) (outcome, error)) {
	rows := t.rowsThatAre(absent)
	if len(rows) > 0 {
		_ = b.resource.Consents.WaitToReread(ctx, b.client.Lag())
		b.run(ctx, t, rows, do)
	}
}

// write writes every row that differs from what the service holds.
func (b *batch) write(ctx context.Context, t *tally) {
	shared := b.overlapBy(b.resource.Consents.Keep)
	if b.prior == nil { // the plan of an update has warned
		shared.addProblem(sharedPeople, b, tfkit.Problem.AddWarning)
	}

	b.run(ctx, t, b.content.all(), func(ctx context.Context, row rows.Row) (outcome, error) {
		return b.outcomeOf(b.caseOf(row).Do(ctx, b.evidence(row), choice.Write))
	})
}

// withdraw withdraws the consent of every row that no other object of this run writes. It asks once
// more, after a pause, about people who seem to have no record.
func (b *batch) withdraw(ctx context.Context) *tally {
	t := newTally(len(b.content.rows))
	isSecond := false
	do := func(ctx context.Context, row rows.Row) (outcome, error) {
		e := b.evidence(row)
		e.Last = choice.Confirmed{Sent: e.Wanted.Print()} // the row is from the file that was applied
		e.Wanted.Clauses, e.Wanted.AgreementTime = [answer.Clauses]bool{}, time.Time{}
		e.Withdraws, e.Known, e.Twice = true, true, isSecond

		return b.outcomeOf(b.caseOf(row).Do(ctx, e, choice.Withdraw))
	}

	b.run(ctx, t, b.content.all(), do)
	isSecond = true
	b.again(ctx, t, do)

	withheld := overlap{}
	for _, i := range t.rowsThatAre(superseded) {
		other := b.resource.Consents.Keeper(b.object, b.caseOf(b.content.rows[i]).Person)
		withheld[other.String()] = append(withheld[other.String()], i)
	}
	withheld.addProblem(notWithdrawn, b, tfkit.Problem.AddWarning)

	return t
}

// apply creates or updates the object. It returns false if there is nothing to save.
func (b *batch) apply(ctx context.Context) (ok bool) {
	defer b.closeReport()
	if !b.open() {
		return false
	}

	if !b.boundsFirstRecords(ctx) {
		return false
	}

	t := newTally(len(b.content.rows))
	b.write(ctx, t)
	b.writeReport(t)

	problem := applyFailed
	problem.InState = tfkit.NothingSaved + "; the rows that were written stay at the service"
	if b.prior != nil {
		problem.InState = "this resource with the present content, and how many rows are missing"
	}
	if t.failed() {
		b.reportFailed(t, problem)
		if b.prior == nil {
			return false
		}
	}
	b.warnKept(t)

	if b.model.Digest.IsUnknown() {
		b.model.Digest = types.StringValue(b.digestLike(""))
	}
	b.model.results = resultsOf(b.model.Digest, t)

	return true
}

// destroy withdraws the consent of every row of the file that was applied.
func (b *batch) destroy(ctx context.Context) {
	if !b.readApplied() || !b.connect() {
		return
	}

	defer b.closeReport()
	if err := b.openReport(); err != nil { // no report stands against a destroy
		b.warnNoReport(err)
	}

	t := b.withdraw(ctx)
	b.writeReport(t)
	if t.failed() {
		b.reportFailed(t, deleteFailed)
		return
	}

	b.warnKept(t)
	b.warnMissing(t)
}
