// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// keySettingsOnly is a key in private state. It tells an apply that there is nothing to write
// although attributes have changed: the second plan of an apply may find something.
const keySettingsOnly = "settings_only"

// ModifyPlan checks the rows, compares them with the service, and keeps the plan empty if
// there is nothing to write.
//
// What it finds at the service goes into warnings and not into the plan: Terraform plans once
// more in the apply, in another process that knows nothing of the first plan, and stops if a
// known number has changed.
func (r *batchResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	diags := &resp.Diagnostics
	defer r.RecoverAndReport(ctx, diags)

	var state *model // nil for a create
	diags.Append(req.State.Get(ctx, &state)...)
	if diags.HasError() {
		return
	}

	r.PlanKeptScope(ctx, req, resp)
	if req.Plan.Raw.IsNull() || len(resp.RequiresReplace) > 0 { // Terraform plans a new object in a request of its own
		r.planDestroy(ctx, *state, resp)
		return
	}

	r.planApply(ctx, state, req, resp)
}

// planApply plans a create or an update.
func (r *batchResource) planApply(ctx context.Context, state *model, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	plan, ok := planned(ctx, resp.Plan, req.Config, &resp.Diagnostics)
	if !ok {
		return
	}
	var object *tfkit.Object
	if state != nil {
		object = objectOf(ctx, plan, resp.Private)
	}
	isChanged := plan.Written.IsUnknown() // the framework marks computed attributes as unknown if any attribute has changed

	b := r.newBatch(plan, state, object, &resp.Diagnostics)
	work := b.propose(ctx, req.Config.Raw.IsFullyKnown())
	if resp.Diagnostics.HasError() {
		return
	}

	var settingsOnly []byte
	switch {
	case work:
	case isChanged:
		settingsOnly = []byte("true")
	default:
		b.model.results = state.results
	}
	b.model.ContentWO = types.StringNull()
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, keySettingsOnly, settingsOnly)...)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &b.model)...)
}

// planDestroy warns of what a destroy does at the service. It refuses a withdrawal by a read-only provider, and one of
// people whom another object of the plan keeps as they are. A file that cannot be read is an error of the destroy.
func (r *batchResource) planDestroy(ctx context.Context, state model, resp *resource.ModifyPlanResponse) {
	if state.OnDestroy.ValueString() != withdraw {
		tfkit.RetainedConsent.AddWarning(&resp.Diagnostics)
		return
	}

	tfkit.Problem{
		Summary: "The consent of many people will be withdrawn",
		Detail:  "on_destroy is \"withdraw\": destroying this resource sets all five clauses of every row of its file to false at the service.",
	}.AddWarning(&resp.Diagnostics)
	r.RefuseReadOnly(&resp.Diagnostics)

	var unread diag.Diagnostics
	b := r.newBatch(state, &state, objectOf(ctx, state, resp.Private), &unread)
	if b.readUnchanged() {
		b.diags = &resp.Diagnostics
		b.refuseKept(tfkit.Undoes)
	}
}

// propose plans the results, and returns whether an apply has, or may have, something to do. The rows
// are read only if the configuration and the scope are known.
func (b *batch) propose(ctx context.Context, isKnown bool) (work bool) {
	unknown := types.Int64Unknown()
	b.model.results = results{Digest: types.StringUnknown(), Rows: unknown, Kept: unknown, Written: unknown, Missing: unknown}
	work = !b.model.isDone(b.prior)
	if _, isPlaced := b.KnownScope(b.model.Scope); !isKnown || !isPlaced { // an unknown content_wo with the same version counts as unchanged
		return work
	}

	if !b.checkShard() || !b.read() {
		return false
	}
	b.model.Digest, b.model.Rows = types.StringValue(b.digest()), types.Int64Value(int64(len(b.rows)))
	work = work || !b.model.Digest.Equal(b.prior.Digest) // a new object has work already
	b.warnOthers()

	if b.model.CompareAtPlan.ValueBool() {
		work = b.review(ctx) || work
	}
	if !work { // no apply follows that would warn
		b.warnKept()
		b.refuseKept(tfkit.Done)
	}

	return work
}

// review compares the rows with the service, and reports what an apply would write, and what could not be
// found out. It returns whether an apply has, or may have, something to do.
func (b *batch) review(ctx context.Context) (work bool) {
	if b.Client == nil {
		return true
	}
	b.keeping = b.Client.Keeping
	if !b.compare(ctx, b.all) {
		return true
	}

	if b.toWrite() > 0 {
		b.RefuseReadOnly(b.diags)
	}
	if b.warns {
		b.warnReviewed()
	}

	return b.missed()+b.toWrite() > 0 // the others are written even if some rows cannot be compared
}

// warnReviewed warns of what a plan would write, and of what it could not find out.
func (b *batch) warnReviewed() {
	if b.toWrite() > 0 {
		tfkit.Problem{
			Summary: fmt.Sprintf("%d of %d rows would be written", b.toWrite(), len(b.rows)),
			Detail: fmt.Sprintf("%d of them would be the first record of a person, which nothing can remove; %d other rows are left alone, because a choice of the person stands.",
				b.count(absent), b.count(kept)),
		}.AddWarning(b.diags)
	}
	if b.count(absent) > b.limit { // an error here would stop a destroy too
		b.firstRecords().AddWarning(b.diags)
	}
	if b.missed() > 0 {
		b.failure("compared", advicePlan).With("\n\nAn apply tries these rows again, and writes all others that differ.").AddWarning(b.diags)
	}
	b.warnAltered()
}

// firstRecords returns the problem that more rows would be the first record of a person than are allowed.
func (b *batch) firstRecords() tfkit.Problem {
	return tfkit.Problem{
		Summary: "More first records than expected",
		Detail: fmt.Sprintf("The service has no record for %d of %d rows: %s. Each would be the first record of a person, which nothing can remove, and at most %d are expected. An apply writes nothing.",
			b.count(absent), len(b.rows), b.lines(b.rowsThatAre(absent)), b.limit),
		Do: fmt.Sprintf("check the file, the scope and base_url: a gateway may have answered. If these people are to get a record, set max_new_records = %d.", b.count(absent)),
		At: path.Root("max_new_records"),
	}
}

// checkShard refuses another shard with on_destroy = "withdraw": with fewer shards, the destroyed object would withdraw
// rows that belong to other shards by then.
func (b *batch) checkShard() (ok bool) {
	prior := cmp.Or(b.prior, &b.model)
	withdraws := slices.Contains([]string{b.model.OnDestroy.ValueString(), prior.OnDestroy.ValueString()}, withdraw)
	if b.model.Shard.Equal(prior.Shard) || !withdraws {
		return true
	}

	b.refuse(tfkit.Problem{
		Summary: "The shard cannot change with on_destroy = \"withdraw\"",
		Detail:  "Rows move between shards when shard changes. A resource that is destroyed would withdraw the consent of people whose rows belong to another shard by then.",
		Do:      "apply on_destroy = \"retain\" in all shards of the file first, without changing them. Then change shard, apply, and set on_destroy back.",
		At:      path.Root("shard"),
	})

	return false
}

// warnAltered warns if the service shows all rows of the last apply in another way than they were written, and names
// the settings for it.
func (b *batch) warnAltered() {
	settings := client.ConsentSettings(b.keeping).Block()
	isOfAll := b.alike >= len(b.rows)-len(b.rows)/10
	if !isOfAll || b.grown == unbounded || settings == client.ConsentSettings(b.Client.Keeping).Block() {
		return
	}

	tfkit.Problem{
		Summary: "The service does not show rows as they were written",
		Detail:  "It alters all rows in the same way, so that they seem to differ, or to have been chosen later, in each plan.",
		Do:      "tell the provider so, in the provider block:\n\n" + settings,
	}.AddWarning(b.diags)
}

// warnOthers records that this object looks after the people of its rows. It warns if other objects do too, and of
// identities that differ from another one only by the case of letters.
func (b *batch) warnOthers() {
	others := b.claim(b.all, tfkit.Keeps)
	var twice []int
	for _, row := range b.all {
		if b.Consents.IsSpelledTwice(b.person(row)) {
			twice = append(twice, row)
		}
	}

	if !b.warns {
		return
	}
	if others != "" {
		tfkit.SharedConsent.With(others).AddWarning(b.diags)
	}
	if len(twice) > 0 {
		tfkit.SpelledTwice.With(" It concerns " + b.lines(twice) + ".").AddWarning(b.diags)
	}
}

// claim makes a claim about the people of some rows. It returns the other objects that have the opposite
// one, with the rows of this batch, as text; empty if there are none.
func (b *batch) claim(some []int, as tfkit.Claim) (others string) {
	rowsOf := map[string][]int{}
	for _, row := range some {
		if other := b.Consents.Claim(b.object, as, b.person(row)); other != nil {
			rowsOf[other.String()] = append(rowsOf[other.String()], row)
		}
	}

	for _, other := range slices.Sorted(maps.Keys(rowsOf)) {
		others += fmt.Sprintf("\n%s (%d): %s", other, len(rowsOf[other]), b.lines(rowsOf[other]))
	}

	return others
}

// refuseKept refuses a plan that withdraws people whom another object keeps as they are.
func (b *batch) refuseKept(as tfkit.Claim) {
	if others := b.claim(b.all, as); others != "" {
		tfkit.KeptConsent.With(others).AddError(b.diags)
	}
}
