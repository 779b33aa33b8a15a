// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
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

	if req.Plan.Raw.IsNull() {
		r.planDestroy(ctx, req, resp)
		return
	}

	r.PlanKeptScope(ctx, req, resp)
	state := readState(ctx, req, &resp.Diagnostics)
	if len(resp.RequiresReplace) > 0 { // Terraform plans the new object in a request of its own
		r.planWithdrawal(ctx, *state, resp)
		return
	}

	var config, plan model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(resp.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}

	p := &planner{batch: batch{resource: r, model: plan, prior: state, diags: &resp.Diagnostics}, config: config}
	if state != nil {
		p.object = plan.objectIn(ctx, resp.Private)
	}
	if !p.propose(ctx) {
		return
	}

	if state != nil && !p.work { // nothing would be written after a withdrawal
		p.overlapBy(r.Written.PlanDone).report(keptByAnother, &p.batch, tfkit.Problem.AddError)
	}

	// The framework marks computed attributes as unknown if any attribute has changed.
	changed := plan.Written.IsUnknown()
	plan.results = p.proposed
	if !p.work && !changed {
		plan.results = state.results
	}

	var settingsOnly []byte
	if !p.work && changed {
		settingsOnly = []byte("true")
	}
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, keySettingsOnly, settingsOnly)...)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// planDestroy warns of what destroying the object does at the service, and refuses to
// withdraw people whom another object of the plan keeps as they are.
func (r *batchResource) planDestroy(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	state := readState(ctx, req, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}

	if state.OnDestroy.ValueString() == withdraw {
		r.RefuseReadOnly(&resp.Diagnostics)
	}
	state.warnDestroyed(&resp.Diagnostics)
	r.planWithdrawal(ctx, *state, resp)
}

// planWithdrawal refuses to withdraw people whom another object of the plan keeps as they
// are. A file that cannot be read is an error of the destroy.
func (r *batchResource) planWithdrawal(ctx context.Context, state model, resp *resource.ModifyPlanResponse) {
	if state.OnDestroy.ValueString() != withdraw {
		return
	}

	var unread diag.Diagnostics
	b := &batch{resource: r, model: state, prior: &state, object: state.objectIn(ctx, resp.Private), diags: &unread}
	if b.readApplied() {
		b.diags = &resp.Diagnostics
		b.overlapBy(r.Written.PlanAgainst).report(keptByAnother, b, tfkit.Problem.AddError)
	}
}

// readState returns the prior state; nil for a create.
func readState(ctx context.Context, req resource.ModifyPlanRequest, diags *diag.Diagnostics) *model {
	if req.State.Raw.IsNull() {
		return nil
	}

	var state model
	diags.Append(req.State.Get(ctx, &state)...)

	return &state
}

// keySettingsOnly is the key in private state that tells an apply that attributes of the object
// have changed and that there is nothing to write. The plan itself cannot tell it, since the
// second plan of an apply may find something.
const keySettingsOnly = "settings_only"

// planner plans a batch that is neither replaced nor destroyed.
type planner struct {
	batch
	config model

	proposed results
	work     bool // whether an apply has, or may have, something to do
}

// propose proposes the results and tells whether there is work.
func (p *planner) propose(ctx context.Context) (ok bool) {
	if !p.checkShardChange() {
		return false
	}

	unknown := types.Int64Unknown()
	p.proposed = results{Digest: types.StringUnknown(), Rows: unknown, Kept: unknown, Written: unknown, Missing: unknown}
	if p.isUnknown() {
		// An unknown content_wo with the same version counts as unchanged.
		p.work = !p.config.ContentWO.IsUnknown() || !p.isComplete() || p.model.comparesAnew(*p.prior)
		return true
	}

	if p.content, ok = p.config.read(p.inState(), p.diags); !ok {
		return false
	}
	p.warnRemoved()
	p.warnShared()
	p.proposeByContent()

	if !p.model.CompareAtPlan.ValueBool() {
		p.proposeUncompared()
		return true
	}
	p.work = p.work || !p.isComplete()

	return p.proposeByService(ctx)
}

// checkShardChange warns of a changed shard. It returns false, with an error, if on_destroy
// is "withdraw": an object that is destroyed because there are fewer shards would withdraw
// rows that belong to other shards by then.
func (p *planner) checkShardChange() (ok bool) {
	if p.prior == nil || !p.model.shardKnown() || p.model.Shard.Equal(p.prior.Shard) {
		return true
	}

	if p.model.OnDestroy.ValueString() == withdraw || p.prior.OnDestroy.ValueString() == withdraw {
		tfkit.Problem{
			Summary: "The shard cannot change with on_destroy = \"withdraw\"",
			Detail:  "Rows move between shards when shard changes. A resource that is destroyed would withdraw the consent of people whose rows belong to another shard by then.",
			InState: p.inState(),
			Do:      "apply on_destroy = \"retain\" in all shards of the file first, without changing them. Then change shard, apply, and set on_destroy back.",
			At:      atShard,
		}.AddError(p.diags)
		return false
	}

	if p.warns() {
		tfkit.Problem{
			Summary: "Rows move between shards",
			Detail:  "shard has changed, so this resource manages other rows of the file. The consent of people whose rows leave it stays as it is. A row that belongs to no resource is no longer managed.",
			Do:      "change count in all resources of the file, so that each number from 0 to count - 1 has a resource.",
			At:      atShard,
		}.AddWarning(p.diags)
	}

	return true
}

// warns reports whether the plan is the first one of the object. The plan of an apply does not
// repeat what that one has warned of, as far as it can be told apart.
func (p *planner) warns() bool { return p.prior == nil || p.resource.Plans() }

// isUnknown reports whether the rows, or how to compare them, are known only after apply.
func (p *planner) isUnknown() bool {
	c := p.config
	rows := c.Source.IsUnknown() || c.ContentWO.IsUnknown() || c.ContentWOVersion.IsUnknown() || c.Format.IsUnknown()
	return rows || !c.shardKnown() || p.model.KeepLaterChoice.IsUnknown() || p.model.CompareAtPlan.IsUnknown()
}

// isComplete reports whether the last apply has left no row missing.
func (p *planner) isComplete() bool {
	return p.prior != nil && p.prior.Missing.ValueInt64() == 0
}

// proposeByContent compares the content with the one in state. What it plans binds the apply
// to the content.
func (p *planner) proposeByContent() {
	p.proposed.Rows = types.Int64Value(int64(len(p.content.rows)))
	if p.prior == nil {
		p.work = true
		if _, known := p.resource.KnownScope(p.model.Scope); known { // the salt depends on it
			p.proposed.Digest = types.StringValue(p.digestLike(""))
		}
		return
	}

	prior := p.prior.Digest.ValueString()
	digest := p.digestLike(prior)
	p.work = digest != prior
	p.proposed.Digest = types.StringValue(digest)
	if !p.work && p.isComplete() {
		p.proposed.Missing = types.Int64Value(0)
	}
}

// proposeUncompared completes the proposal of a plan that does not ask the service. Of a
// write-only content, only the version counts then.
func (p *planner) proposeUncompared() {
	changed := p.work && !p.model.isWriteOnly()
	p.work = changed || !p.isComplete() || p.model.comparesAnew(*p.prior)
	if p.work {
		p.warnUntimed(nil)
		return
	}

	p.proposed.Digest, p.proposed.Rows = p.prior.Digest, p.prior.Rows
}

// proposeByService completes the proposal by comparing the rows with the service.
func (p *planner) proposeByService(ctx context.Context) (ok bool) {
	if _, known := p.resource.KnownScope(p.model.Scope); !known || p.resource.Client == nil {
		p.work = true // there may be something to do
		return true
	}
	if !p.connect() {
		return false
	}

	t := p.compare(ctx)
	if t.failed() && !t.failedInPart() {
		words := planFailed
		words.inState = p.inState()
		p.reportFailed(t, words)

		return false
	}

	// Rows that cannot be compared are no reason to write none of the others.
	p.work = p.work || t.failedInPart() || t.toWrite() > 0

	tflog.Info(ctx, "Consent batch compared", map[string]any{
		"rows": len(p.content.rows), "to_write": t.toWrite(), "kept": t.counts[kept], "in_place": t.counts[inPlace],
	})
	p.warnIncomparable(t)
	if t.toWrite() > 0 {
		p.resource.RefuseReadOnly(p.diags)
	}
	p.warnUntimed(t)
	if !p.work && !p.model.Written.IsUnknown() { // no apply follows, which would warn
		p.warnKept(t)
	}

	p.bindToRecords(t)

	return true
}

// bindToRecords binds the apply to the records that are there, unless some are gone although the
// last apply has left one of each row.
func (p *planner) bindToRecords(t *tally) {
	if !p.proposed.bindsToRecords() || t.counts[absent] == 0 {
		return
	}

	p.proposed.Missing = types.Int64Unknown()
	tfkit.Problem{
		Summary: "The service reports records as missing",
		Detail: fmt.Sprintf("After the last apply, each row had a record, and the service cannot remove records. Yet the service, or a gateway in front of it, answers that there is none for %d of %d rows: %s. An apply writes them again.",
			t.counts[absent], len(p.content.rows), nameSome(t.rowsThatAre(absent), limitShownLines, p.content.place)),
		Do: "make sure that the service has lost these records before you apply. If the answer is wrong, an apply overwrites what these people have chosen since.",
	}.AddWarning(p.diags)
}

// warnShared warns of rows that another object of the run manages as well.
func (p *planner) warnShared() {
	look := p.resource.Written.Keep
	if p.prior == nil { // the object has no number yet
		look = p.resource.Written.Keeper
	}

	shared := p.overlapBy(look)
	if p.warns() {
		shared.report(sharedPeople, &p.batch, tfkit.Problem.AddWarning)
	}
}

// overlapBy returns the rows for whose person look returns another object; none while the scope
// is not known.
func (b *batch) overlapBy(look func(by tfkit.Object, scope client.Scope, identity string) (tfkit.Object, bool)) *overlap {
	var found overlap
	scope, known := b.resource.KnownScope(b.model.Scope)
	if !known {
		return &found
	}

	for i, row := range b.content.rows {
		if other, is := look(b.object, scope, row.Identity); is {
			found.add(other, i)
		}
	}

	return &found
}
