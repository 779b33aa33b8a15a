// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// ModifyPlan checks the rows, compares them with the service, and keeps the plan empty if
// there is nothing to write.
//
// What it finds at the service goes into warnings and not into the plan: Terraform plans once
// more in the apply, in another process that knows nothing of the first plan, and stops if a
// known number has changed.
func (r *batchResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state *model // nil for a create
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	isDestroy := req.Plan.Raw.IsNull()
	if isDestroy {
		state.warnDestroyed(&resp.Diagnostics)
	} else {
		r.PlanKeptScope(ctx, req, resp)
	}
	if isDestroy || len(resp.RequiresReplace) > 0 { // Terraform plans a new object in a request of its own
		r.planWithdrawal(ctx, *state, resp)
		return
	}

	var plan model
	resp.Diagnostics.Append(resp.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, atContentWO, &plan.ContentWO)...)
	if resp.Diagnostics.HasError() {
		return
	}

	b := &batch{resource: r, model: plan, prior: state, diags: &resp.Diagnostics}
	if state != nil {
		b.object = plan.objectIn(ctx, resp.Private)
	}
	changed := plan.Written.IsUnknown() // the framework marks computed attributes as unknown if any attribute has changed
	work, ok := b.propose(ctx)
	if !ok {
		return
	}

	var settingsOnly []byte
	if !work {
		b.addOthers(b.claim(b.allRows(), r.Consents.PlanDone), keptByAnother, tfkit.Problem.AddError)
		if changed {
			settingsOnly = []byte("true")
		} else {
			b.model.results = state.results
		}
	}
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, keySettingsOnly, settingsOnly)...)
	b.model.ContentWO = types.StringNull()
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &b.model)...)
}

// keySettingsOnly is a key in private state. It tells an apply that there is nothing to write
// although attributes have changed: the second plan of an apply may find something.
const keySettingsOnly = "settings_only"

// planWithdrawal refuses a withdrawal by a provider that is read-only, and one of people whom
// another object of the plan keeps as they are. A file that cannot be read is an error of the
// destroy.
func (r *batchResource) planWithdrawal(ctx context.Context, state model, resp *resource.ModifyPlanResponse) {
	if state.OnDestroy.ValueString() != withdraw {
		return
	}

	r.RefuseReadOnly(&resp.Diagnostics)

	var unread diag.Diagnostics
	b := &batch{resource: r, model: state, prior: &state, object: state.objectIn(ctx, resp.Private), diags: &unread}
	if b.readApplied() {
		b.diags = &resp.Diagnostics
		b.addOthers(b.claim(b.allRows(), r.Consents.PlanAgainst), keptByAnother, tfkit.Problem.AddError)
	}
}

// propose plans the results, and returns whether an apply has, or may have, something to do.
func (b *batch) propose(ctx context.Context) (work, ok bool) {
	if !b.checkShardChange() {
		return false, false
	}

	unknown := types.Int64Unknown()
	b.model.results = results{Digest: types.StringUnknown(), Rows: unknown, Kept: unknown, Written: unknown, Missing: unknown}
	incomplete := b.prior == nil || b.prior.Missing.ValueInt64() > 0
	if b.model.isUnknown() {
		// An unknown content_wo with the same version counts as unchanged.
		return !b.model.ContentWO.IsUnknown() || incomplete || b.model.comparesAnew(*b.prior), true
	}

	if !b.read() {
		return false, false
	}
	b.warnRemoved()
	shared := b.claim(b.allRows(), b.resource.Consents.Keep)
	if b.warns() {
		b.addOthers(shared, sharedPeople, tfkit.Problem.AddWarning)
		b.warnSpelling()
	}

	changed := b.proposeContent()

	if b.model.CompareAtPlan.ValueBool() {
		return b.proposeByService(ctx, changed || incomplete)
	}

	// Of a write-only content, only the version counts then.
	otherRows := changed && !b.model.isWriteOnly()
	if otherRows || incomplete || b.model.comparesAnew(*b.prior) {
		return true, true
	}
	b.model.Digest, b.model.Rows = b.prior.Digest, b.prior.Rows

	return false, true
}

// proposeContent plans the results that the content decides, which bind the apply to it. It
// returns whether the content differs from that in state.
func (b *batch) proposeContent() (changed bool) {
	b.model.Rows = types.Int64Value(int64(len(b.rows)))

	if b.prior == nil {
		if b.isScopeKnown { // the salt depends on it
			b.model.Digest = types.StringValue(b.digestLike(""))
		}
		return true
	}

	prior := b.prior.Digest.ValueString()
	digest := b.digestLike(prior)
	b.model.Digest = types.StringValue(digest)

	return digest != prior
}

// proposeByService completes the proposal by comparing the rows with the service. work is
// whether there is something to do in any case.
func (b *batch) proposeByService(ctx context.Context, work bool) (_, ok bool) {
	if !b.isScopeKnown || b.resource.Client == nil {
		return true, true // there may be something to do
	}
	if !b.connect() {
		return false, false
	}

	t := b.compare(ctx, b.allRows())
	isUseless := t.counts[notTried] > 0 || t.succeeded() == 0
	if t.missed() > 0 && isUseless {
		problem := planFailed
		problem.InState = b.inState()
		b.reportFailed(t, problem)

		return false, false
	}
	// The others are written even if some rows cannot be compared.
	work = work || t.missed() > 0 || t.toWrite() > 0

	tflog.Info(ctx, "Consent batch compared", map[string]any{
		"rows": len(b.rows), "to_write": t.toWrite(), "kept": t.counts[kept], "in_place": t.counts[inPlace],
	})
	if t.toWrite() > 0 {
		b.resource.RefuseReadOnly(b.diags)
		b.warnReview(t)
		if problem := b.firstRecords(t); problem != nil && b.warns() { // an error here would stop a destroy too
			problem.AddWarning(b.diags)
		}
	} else if !work { // no apply follows that would warn
		b.warnKept(t)
	}
	b.warnIncomparable(t)
	b.warnAltered()

	return work, true
}

// growth returns how many rows the content has more than the last apply had, if that has left none
// missing: so many may have no record yet.
func (b *batch) growth() (rows int, isKnown bool) {
	if b.prior == nil || b.prior.Missing.ValueInt64() > 0 || !b.model.Shard.Equal(b.prior.Shard) {
		return 0, false
	}
	return max(0, len(b.rows)-int(b.prior.Rows.ValueInt64())), true
}

// firstRecords returns the problem if more rows would be the first record of a person than are
// allowed.
func (b *batch) firstRecords(t *tally) *tfkit.Problem {
	limit, isBound := b.growth()
	why := fmt.Sprintf("the last apply has left no row missing, and there are %d more rows now", limit)
	if !b.model.MaxNewRecords.IsNull() {
		limit, isBound = int(b.model.MaxNewRecords.ValueInt64()), true
		why = fmt.Sprintf("max_new_records is %d", limit)
	}

	count := t.counts[absent]
	if !isBound || count <= limit {
		return nil
	}

	return &tfkit.Problem{
		Summary: "More first records than expected",
		Detail: fmt.Sprintf("The service says that it has no record for %d of %d rows: %s. Yet %s. Each of these rows would be the first record of a person, which no request removes again. An apply writes nothing.",
			count, len(b.rows), b.nameRows(t.rowsThatAre(absent)), why),
		InState: b.inState(),
		Do:      fmt.Sprintf("check the file, the scope and base_url: a gateway may have answered in place of the service, and the people may have chosen since. If these people are to get a record, set max_new_records = %d.", count),
		At:      path.Root("max_new_records"),
	}
}

// boundsFirstRecords asks, before the first write, about the rows that this run has not seen a record
// of, if their number is bounded. The plan of the apply has usually seen most.
func (b *batch) boundsFirstRecords(ctx context.Context) (ok bool) {
	if _, isKnown := b.growth(); !isKnown && b.model.MaxNewRecords.IsNull() {
		return true
	}

	var unseen []int
	for i := range b.rows {
		if !b.resource.Consents.IsSeen(b.person(i)) {
			unseen = append(unseen, i)
		}
	}

	t := b.compare(ctx, unseen)
	if t.interrupted {
		b.reportFailed(t, planFailed)
		return false
	}

	if problem := b.firstRecords(t); problem != nil {
		problem.AddError(b.diags)
		return false
	}

	return true
}

// checkShardChange warns of a changed shard. It returns false, with an error, if on_destroy
// is "withdraw": an object that is destroyed because there are fewer shards would withdraw
// rows that belong to other shards by then.
func (b *batch) checkShardChange() (ok bool) {
	if b.prior == nil || !b.model.shardKnown() || b.model.Shard.Equal(b.prior.Shard) {
		return true
	}

	if b.model.OnDestroy.ValueString() == withdraw || b.prior.OnDestroy.ValueString() == withdraw {
		tfkit.Problem{
			Summary: "The shard cannot change with on_destroy = \"withdraw\"",
			Detail:  "Rows move between shards when shard changes. A resource that is destroyed would withdraw the consent of people whose rows belong to another shard by then.",
			InState: b.inState(),
			Do:      "apply on_destroy = \"retain\" in all shards of the file first, without changing them. Then change shard, apply, and set on_destroy back.",
			At:      atShard,
		}.AddError(b.diags)
		return false
	}

	if b.warns() {
		tfkit.Problem{
			Summary: "Rows move between shards",
			Detail:  "shard has changed, so this resource manages other rows of the file. The consent of people whose rows leave it stays as it is. A row that belongs to no resource is no longer managed.",
			Do:      "change count in all resources of the file, so that each number from 0 to count - 1 has a resource.",
			At:      atShard,
		}.AddWarning(b.diags)
	}

	return true
}

// warns reports whether the plan is the first one of the object. The plan of an apply does not
// repeat what that one has warned of, as far as it can be told apart.
func (b *batch) warns() bool { return b.prior == nil || b.resource.Plans() }
