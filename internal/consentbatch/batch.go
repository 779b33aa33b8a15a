// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"context"
	"errors"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
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

// person returns the person of a row.
func (b *batch) person(row rows.Row) client.Person {
	return client.Person{Scope: b.scope, Identity: row.Identity}
}

// run calls do for every row, for as many at once as the client sends requests.
func (b *batch) run(ctx context.Context, do func(ctx context.Context, row rows.Row) (outcome, error)) *tally {
	return run(ctx, len(b.content.rows), b.client.Concurrency(), func(ctx context.Context, i int) (outcome, error) {
		return do(ctx, b.content.rows[i])
	})
}

// compare asks the service about every row.
func (b *batch) compare(ctx context.Context) *tally {
	return b.run(ctx, func(ctx context.Context, row rows.Row) (outcome, error) {
		u := b.model.update(row)
		u.OnlyKnown = true

		result, err := b.client.CompareConsent(ctx, b.person(row), u)
		if transport.IsClass(err, transport.ClassNotFound) {
			return absent, nil
		}
		if err == nil || errors.Is(err, client.ErrUntimed) {
			b.resource.Written.Show(b.person(row))
		}

		return outcomeOf(result, err)
	})
}

// update sends the update of a row, whose outcome the run remembers. prior is what this batch
// has written before; nil if that is not known.
func (b *batch) update(ctx context.Context, p client.Person, u client.ConsentUpdate, prior *client.Choice) (outcome, error) {
	known := &b.resource.Written
	u.LastWritten = func() *client.Choice { return known.Left(p, prior) }
	u.Confirmed = func() { known.Leave(u.Choice(), p) }

	result, err := b.client.UpdateConsent(ctx, p, u)
	return outcomeOf(result.Outcome, err)
}

// write writes every row that differs from what the service holds. A row is not written where
// the service says that it holds no record of the person although it held one, at the last
// apply of the same rows or in this run.
func (b *batch) write(ctx context.Context) *tally {
	shared := b.overlapBy(b.resource.Written.Keep)
	if b.prior == nil { // the plan of an update has warned
		shared.addProblem(sharedPeople, b, tfkit.Problem.AddWarning)
	}

	isRecorded := b.model.bindsToRecords()

	return b.run(ctx, func(ctx context.Context, row rows.Row) (outcome, error) {
		u := b.model.update(row)
		u.OnlyKnown = isRecorded || b.resource.Written.IsShown(b.person(row))
		as, err := b.update(ctx, b.person(row), u, nil)
		if e, ok := errors.AsType[*transport.Error](err); ok && u.OnlyKnown && e.Class == transport.ClassNotFound {
			gone := *e
			gone.Detail = "the service has held a record of this person and cannot remove one; a gateway may have answered in its place, and the person may have made a later choice"
			err = &gone
		}

		return as, err
	})
}

// withdraw withdraws the consent of every row that no other object of this run writes.
func (b *batch) withdraw(ctx context.Context) *tally {
	keeper := func(row rows.Row) (*tfkit.Object, bool) {
		return b.resource.Written.Keeper(b.object, b.person(row))
	}

	t := b.run(ctx, func(ctx context.Context, row rows.Row) (outcome, error) {
		u := b.model.withdrawal(row)
		u.Superseded = func() bool {
			_, isKept := keeper(row)
			return isKept
		}

		// The row is from the file that was applied, so it is what was written last.
		as, err := b.update(ctx, b.person(row), u, &client.Choice{Clauses: row.Clauses, Manual: row.Manual})
		if transport.IsClass(err, transport.ClassNotFound) { // there is nothing to withdraw
			return inPlace, nil
		}

		return as, err
	})

	withheld := overlap{}
	for _, i := range t.rowsThatAre(superseded) {
		other, _ := keeper(b.content.rows[i])
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

	t := b.write(ctx)
	b.writeReport(t)
	if b.report != nil {
		b.report.Keep() // from other objects of this run
	}

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
}
