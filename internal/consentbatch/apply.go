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
	if !b.prepare(ctx) {
		return false
	}

	b.keepPeople()
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
		Kept:    types.Int64Value(int64(b.counts[kept])),
		Written: types.Int64Value(int64(b.counts[written])),
		Missing: types.Int64Value(int64(b.missed())),
	}
	b.model.ContentWO = types.StringNull()

	return b.prior != nil || b.missed() == 0
}

// prepare reads the rows, opens the report, and refuses more first records than are allowed, before
// anything is written.
func (b *batch) prepare(ctx context.Context) (ok bool) {
	if !b.readUnchanged() || !b.connect() {
		return false
	}
	if err := b.openReport(); err != nil {
		b.refuse(noReport(err))
		return false
	}

	return b.checkFirstRecords(ctx)
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

	b.compare(ctx, unseen)
	if b.stopped != "" {
		b.refuse(b.failure("compared", advicePlan))
		return false
	}
	if b.counts[absent] > b.limit {
		b.refuse(b.firstRecords())
		return false
	}

	return true
}

// destroy withdraws the consent of every row of the file that was applied.
func (b *batch) destroy(ctx context.Context) {
	defer b.closeReport()
	if !b.readUnchanged() || !b.connect() {
		return
	}
	if err := b.openReport(); err != nil { // no report stands against a destroy
		noReport(err).AddWarning(b.diags)
	}

	b.pass(ctx, b.all, choice.Withdraw)
	b.again(ctx)
	b.writeReport()
	if others := b.claim(b.rowsThatAre(superseded), b.Consents.Keeper); others != "" {
		tfkit.SupersededWithdrawal.With(others).AddWarning(b.diags)
	}
	if b.missed() > 0 {
		b.refuse(b.failure("withdrawn", adviceDestroy))
		return
	}

	b.warnKept()
	if b.counts[missing] > 0 {
		tfkit.MissingConsent.With(fmt.Sprintf(" It concerns %d of %d rows: %s.", b.counts[missing], len(b.rows), b.linesOf(missing))).AddWarning(b.diags)
	}
}

// pass judges rows, and writes or withdraws each as the action says, for as many at once as the client
// sends requests.
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
		c.Last.Sent = choice.PrintOf(wanted.Shown()) // the row is from the file that was applied
	}
	if err := b.Decide(ctx, c); err != nil {
		return failed, err
	}

	if b.action == choice.Plan {
		b.survey.Add(choice.PrintOf(wanted.Shown()), c.Print)
		if c.IsNone {
			return absent, nil
		}
	}

	return c.Act, nil
}

// compare asks the service about rows, and once more about those without a record, if there are more of
// these than new rows.
func (b *batch) compare(ctx context.Context, of []int) {
	b.pass(ctx, of, choice.Plan)
	if b.counts[absent] > b.grown {
		b.again(ctx)
	}
}

// again passes the rows without a record once more, after a pause: a record cannot be removed. Where
// it is interrupted, so are they.
func (b *batch) again(ctx context.Context) {
	absentees := b.rowsThatAre(absent)
	if len(absentees) > 0 {
		b.isSecond = true
		_ = b.Consents.WaitToReread(ctx, b.Client.Lag)
		b.pass(ctx, absentees, b.action)
	}
}

// keepPeople records that this object looks after the people of its rows, and warns of others that do.
func (b *batch) keepPeople() {
	others := b.claim(b.all, b.Consents.Keep)
	if others != "" && b.warns {
		tfkit.SharedConsent.With(others).AddWarning(b.diags)
	}
}
