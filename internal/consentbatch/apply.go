// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// apply creates or updates the object. It returns false if there is nothing to save.
func (b *batch) apply(ctx context.Context) (ok bool) {
	defer b.closeReport()
	if !b.readUnchanged() || !b.connect() || !b.openReport() || !b.checkFirstRecords(ctx) {
		return false
	}

	b.claim(b.all, tfkit.Keeps) // the plan has warned of others
	b.pass(ctx, b.all, choice.Write)
	b.writeReport()
	if b.prior != nil {
		b.inState = "this resource with the present content, and how many rows are missing"
	}
	if b.missed() > 0 {
		b.refuse(b.failure("written", adviceApply))
	}
	b.warnKept()

	b.model.results = results{
		Digest:  types.StringValue(b.digest()),
		Rows:    types.Int64Value(int64(len(b.rows))),
		Kept:    types.Int64Value(int64(b.count(kept))),
		Written: types.Int64Value(int64(b.count(written))),
		Missing: types.Int64Value(int64(b.missed())),
	}
	b.model.ContentWO = types.StringNull() // the framework clears it only where there is no error

	return b.prior != nil || b.missed() == 0
}

// readUnchanged reads the rows, and refuses others than those of the digest in state or in the plan.
func (b *batch) readUnchanged() (ok bool) {
	if !b.read() {
		return false
	}
	if b.model.Digest.IsUnknown() || b.model.Digest.ValueString() == b.digest() {
		return true
	}

	b.refuse(tfkit.Problem{
		Summary: "The rows have changed",
		Detail:  "The rows are not those that were planned or applied, so the consent of the wrong people could be written or withdrawn. Nothing was sent.",
		Do:      "put the file back that was planned or applied, or plan and apply the present one, also before a destroy. To withdraw nothing, apply on_destroy = \"retain\" and destroy then.",
	})

	return false
}

// checkFirstRecords compares, before the first write, the rows that this run has not seen a record of, and
// refuses more first records than are allowed. A row that cannot be compared has failed then, and is not
// written: it may be a first record too.
func (b *batch) checkFirstRecords(ctx context.Context) (ok bool) {
	if b.limit >= len(b.rows) {
		return true
	}

	var unseen []int
	for _, row := range b.all {
		if !b.Consents.IsSeen(b.person(row)) {
			unseen = append(unseen, row)
		}
	}

	if !b.compare(ctx, unseen) {
		return false
	}
	if b.count(absent) > b.limit {
		b.refuse(b.firstRecords())
		return false
	}

	return true
}

// destroy withdraws the consent of every row of the file that was applied.
func (b *batch) destroy(ctx context.Context) {
	b.action = choice.Withdraw
	defer b.closeReport()
	if !b.readUnchanged() || !b.connect() || !b.openReport() {
		return
	}

	b.pass(ctx, b.all, choice.Withdraw)
	b.again(ctx)
	b.writeReport()
	if others := b.claim(b.rowsThatAre(superseded), tfkit.Asks); others != "" {
		tfkit.SupersededWithdrawal.With(others).AddWarning(b.diags)
	}
	if b.missed() > 0 {
		b.refuse(b.failure("withdrawn", adviceDestroy))
		return
	}

	b.warnKept()
	if gone := b.rowsThatAre(missing); len(gone) > 0 {
		tfkit.MissingConsent.With(fmt.Sprintf(" It concerns %d of %d rows: %s.", len(gone), len(b.rows), b.lines(gone))).AddWarning(b.diags)
	}
}

// pass judges rows, and writes or withdraws each as the action says.
func (b *batch) pass(ctx context.Context, of []int, action choice.Action) {
	b.action = action
	b.diags.Append(b.run(ctx, of, b.Client.Concurrency, b.judge)...)
}

// judge judges one row, and does what follows from that.
func (b *batch) judge(ctx context.Context, row int) (choice.Act, error) {
	wanted := b.rows[row].Record
	c := &tfkit.ConsentCase{Person: b.person(row), Object: b.object, Evidence: choice.Evidence{
		Action: b.action, Wanted: wanted, Since: wanted.AgreementTime, Overrules: !b.model.KeepLaterChoice.ValueBool(),
	}}
	if b.action == choice.Withdraw {
		c.Wanted, c.Known, c.Twice = wanted.Withdrawal(), true, b.isSecond
		c.Last.Sent = wanted.Print() // the row is from the file that was applied
	}
	if err := b.JudgeConsent(ctx, c); err != nil {
		return failed, err
	}

	if b.action == choice.Plan {
		b.mu.Lock()
		if b.keeping.Learn(wanted.Print(), c.Print) {
			b.alike++
		}
		b.mu.Unlock()

		if c.IsNone {
			return absent, nil
		}
	}

	return c.Act, nil
}

// compare asks the service about rows, and once more about those without a record, if there are more of
// these than new rows. It reports an error if it has ended early, or if no row can be compared.
func (b *batch) compare(ctx context.Context, of []int) (ok bool) {
	if !b.connect() {
		return false
	}
	b.pass(ctx, of, choice.Plan)
	if b.count(absent) > b.grown {
		b.again(ctx)
	}
	if b.stopped == "" && b.count(failed) < max(1, len(b.rows)) { // a shard may have no rows
		return true
	}

	b.refuse(b.failure("compared", advicePlan))

	return false
}

// again passes the rows without a record once more, after a pause: a record cannot be removed.
func (b *batch) again(ctx context.Context) {
	absentees := b.rowsThatAre(absent)
	if len(absentees) > 0 {
		b.isSecond = true
		_ = b.Consents.WaitToReread(ctx, b.Client.Lag)
		b.pass(ctx, absentees, b.action)
	}
}

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
		Do:      advice,
	}
	if b.count(failed) > 0 {
		problem.Detail, problem.Do = b.describe()
		problem.Do += " Then " + advice
	}
	if untried := b.count(notTried); untried > 0 {
		problem.Detail += fmt.Sprintf("\n\n%d rows were not tried, because %s.", untried, b.stopped)
	}

	return problem
}

// warnKept warns of rows that were left alone because a choice of the person stands.
func (b *batch) warnKept() {
	stand := b.rowsThatAre(kept)
	if len(stand) == 0 {
		return
	}

	tfkit.Problem{
		Summary: "Later choices of people stand",
		Detail: fmt.Sprintf("%d of %d rows are left alone: %s. The service holds a later choice, or other clauses without two times to compare. Five false clauses may be an earlier withdrawal.",
			len(stand), len(b.rows), b.lines(stand)),
		Do: "nothing, or bring the rows up to the choices. To overwrite them, as in a test tenant, set keep_later_choice = false, or an agreement_time after the record's.",
	}.AddWarning(b.diags)
}
