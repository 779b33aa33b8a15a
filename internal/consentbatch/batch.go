// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"context"
	"crypto/sha256"
	"strconv"

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
	model    model         // that is planned, applied or destroyed, with the content_wo of the configuration
	prior    *model        // in state; nil for a create
	object   *tfkit.Object // nil in the plan of a create
	diags    *diag.Diagnostics

	rows []rows.Row        // of source or content_wo, checked
	sum  [sha256.Size]byte // of them

	client       *client.Client
	scope        client.Scope
	isScopeKnown bool

	report *outfile.Reservation // nil if none is written
	survey choice.Survey
}

// person returns the person of a row.
func (b *batch) person(row int) client.Person {
	return client.Person{Scope: b.scope, Identity: b.rows[row].Identity}
}

// allRows returns the indexes of all rows.
func (b *batch) allRows() []int {
	indexes := make([]int, len(b.rows))
	for i := range indexes {
		indexes[i] = i
	}

	return indexes
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
	sameCount := planned.Rows.IsUnknown() || planned.Rows.ValueInt64() == int64(len(b.rows))
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

// pass judges rows, and writes or withdraws each as the action says, for as many at once as the client
// sends requests.
func (b *batch) pass(ctx context.Context, t *tally, of []int, action choice.Action) {
	t.run(ctx, of, b.client.Concurrency, func(ctx context.Context, i int) (outcome, error) {
		row := b.rows[i]
		e := choice.Evidence{Wanted: row.Record, Since: row.AgreementTime, Overrules: !b.model.KeepLaterChoice.ValueBool()}
		if action == choice.Withdraw {
			e.Wanted, e.Withdraws, e.Known = row.Withdrawal(), true, true
			e.Last.Sent = row.Print() // the row is from the file that was applied
			e.Twice = t.isSecond
		}

		about := tfkit.ConsentCase{Service: b.resource.Service, Person: b.person(i), Object: b.object}
		j, err := about.Do(ctx, e, action)
		if err != nil {
			return failed, err
		}

		if j.Act == choice.Stand && j.Held.HasClauses([answer.Clauses]bool{}) {
			t.refusals.Add(1)
		}
		if action != choice.Plan {
			return outcomesOf[j.Act], nil
		}
		if j.IsNone {
			return absent, nil
		}
		b.survey.Add(row.Record, j.Held)

		return outcomesOf[j.Act], nil
	})
}

// again passes the rows without a record once more, after a pause: a record cannot be removed. Where
// it is interrupted, so are they.
func (b *batch) again(ctx context.Context, t *tally, action choice.Action) {
	absentees := t.rowsThatAre(absent)
	t.isSecond = true
	if len(absentees) > 0 {
		_ = b.resource.Consents.WaitToReread(ctx, b.client.Lag)
		b.pass(ctx, t, absentees, action)
	}
}

// compare asks the service about rows, and once more about those without a record, if there are more of
// these than new rows.
func (b *batch) compare(ctx context.Context, of []int) *tally {
	t := newTally(len(b.rows))
	b.pass(ctx, t, of, choice.Plan)
	if grown, isKnown := b.growth(); isKnown && t.counts[absent] > grown {
		b.again(ctx, t, choice.Plan)
	}

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

	shared := b.claim(b.allRows(), b.resource.Consents.Keep)
	if b.prior == nil { // the plan of an update has warned
		b.addOthers(shared, sharedPeople, tfkit.Problem.AddWarning)
	}
	t := newTally(len(b.rows))
	b.pass(ctx, t, b.allRows(), choice.Write)
	b.writeReport(t)

	problem := applyFailed
	problem.InState = tfkit.NothingSaved + "; the rows that were written stay at the service"
	if b.prior != nil {
		problem.InState = "this resource with the present content, and how many rows are missing"
	}
	if t.missed() > 0 {
		b.reportFailed(t, problem)
		if b.prior == nil {
			return false
		}
	}
	b.warnKept(t)

	if b.model.Digest.IsUnknown() {
		b.model.Digest = types.StringValue(b.digestLike(""))
	}
	b.model.Rows = types.Int64Value(int64(len(b.rows)))
	b.model.Kept = types.Int64Value(int64(t.counts[kept]))
	b.model.Written = types.Int64Value(int64(t.counts[written]))
	b.model.Missing = types.Int64Value(int64(t.missed()))
	b.model.ContentWO = types.StringNull()

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

	t := newTally(len(b.rows))
	b.pass(ctx, t, b.allRows(), choice.Withdraw)
	b.again(ctx, t, choice.Withdraw)
	b.addOthers(b.claim(t.rowsThatAre(superseded), b.resource.Consents.Keeper), notWithdrawn, tfkit.Problem.AddWarning)
	b.writeReport(t)
	if t.missed() > 0 {
		b.reportFailed(t, deleteFailed)
		return
	}

	b.warnKept(t)
	b.warnMissing(t)
}
