package consentbatch

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// ModifyPlan checks the rows, compares them with the service, and keeps the plan empty
// where there is nothing to write.
//
// What it finds at the service is in warnings and not in the plan: Terraform plans once
// more in the apply, by another process that knows nothing of the first plan, and
// refuses to go on where a number that was known is another one then.
func (r *batchResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	var config, plan model
	var state *model
	if !req.State.Raw.IsNull() {
		state = &model{}
		resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	}
	if req.Plan.Raw.IsNull() {
		if !resp.Diagnostics.HasError() {
			state.warnDestroyed(&resp.Diagnostics)
		}
		return
	}
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if state != nil {
		r.PlanScope(plan.Scope, state.Scope, resp)
		if len(resp.RequiresReplace) > 0 { // Terraform plans the new object by itself
			return
		}
	}
	p := &planner{batch: batch{resource: r, model: plan, inState: tfkit.PriorKept, diags: &resp.Diagnostics}, config: config, state: state}
	if state == nil {
		p.inState = tfkit.NothingSaved
	}
	results, different, ok := p.judge(ctx)
	if !ok {
		return
	}
	settings := plan.Written.IsUnknown() // so the framework marks that any attribute has changed
	if !different && !settings {
		results = state.results
	}
	plan.results = results
	resp.Diagnostics.Append(settingsOnly(!different && settings).write(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// settingsOnly is a note in private state from a plan to its apply: attributes of the
// object have changed, and there is nothing to write. The plan itself cannot say so,
// since the second plan of an apply may find something.
type settingsOnly bool

const settingsOnlyKey = "settings_only"

func settingsOnlyOf(ctx context.Context, private tfkit.PrivateReader) settingsOnly {
	value, _ := private.GetKey(ctx, settingsOnlyKey)
	return string(value) == "true"
}

func (s settingsOnly) write(ctx context.Context, private tfkit.PrivateWriter) diag.Diagnostics {
	if s {
		return private.SetKey(ctx, settingsOnlyKey, []byte("true"))
	}
	return private.SetKey(ctx, settingsOnlyKey, nil)
}

// planner is the plan of a batch that is not replaced or destroyed.
type planner struct {
	batch
	config model
	state  *model // nil where there is none yet
}

// judge reports whether there is anything to do, and what the plan says of it.
func (p *planner) judge(ctx context.Context) (results results, different, ok bool) {
	if p.config.isUnknown() || p.model.KeepLaterChoice.IsUnknown() || p.model.CompareAtPlan.IsUnknown() {
		sameVersion := p.config.ContentWO.IsUnknown() && p.isSettled() && !p.model.asksAnew(*p.state)
		return unknownResults(), !sameVersion, true
	}
	if p.content, ok = p.config.read(p.inState, p.diags); !ok {
		return results, false, false
	}
	p.warnOfContent()
	results, changed, ok := p.ofContent()
	if !ok {
		return results, false, false
	}
	different, ok = p.differs(ctx, changed)
	return results, different, ok
}

// isUnknown reports whether the rows are known only after apply.
func (m *model) isUnknown() bool {
	return m.Source.IsUnknown() || m.ContentWO.IsUnknown() || m.ContentWOVersion.IsUnknown() || m.Format.IsUnknown()
}

// isSettled reports whether the last apply has left nothing to do.
func (p *planner) isSettled() bool {
	return p.state != nil && p.state.Missing.ValueInt64() == 0
}

// ofContent is what the content alone says: what the plan of writing it is, and whether
// it is another one than in state. Nothing is promised of a write-only content, which
// may be another one in every run.
func (p *planner) ofContent() (results results, changed, ok bool) {
	results = unknownResults()
	writeOnly := p.model.isWriteOnly()
	if !writeOnly {
		results.Rows = types.Int64Value(int64(p.content.Len()))
	}
	switch {
	case p.state == nil:
		return results, true, true
	case writeOnly && !p.model.CompareAtPlan.ValueBool(): // its version alone counts
		return results, false, true
	}
	prior := p.state.Digest.ValueString()
	digest, ok := p.digestLike(prior)
	if !writeOnly {
		results.Digest = types.StringValue(digest)
	}
	return results, !sameDigest(prior, digest), ok
}

// differs reports whether there is anything to do, for which it asks the service where
// it may.
func (p *planner) differs(ctx context.Context, changed bool) (different, ok bool) {
	different = changed || !p.isSettled()
	if !p.model.CompareAtPlan.ValueBool() {
		return different || p.model.asksAnew(*p.state), true
	}
	if !p.canAsk() {
		return true, true
	}
	if !p.reach() {
		return false, false
	}
	t := p.compare(ctx)
	switch {
	case t.failures.Count > 0 && t.succeeded() > 0 && t.rest() == 0:
		p.warnUncompared(t)
		different = true // the apply tries them again, beside the others
	case t.failed():
		words := planFailed
		words.inState = p.inState
		p.reportFailed(t, words)
		return false, false
	}
	p.warnKept(t)
	if different = different || t.counts[written] > 0; different {
		p.diags.AddWarning("What the comparison with the service has found", fmt.Sprintf(
			"To write: %d of %d rows, since they differ from what the service holds. Left alone, because of a later choice of the person: %d. In place: %d. An apply compares again before it writes.",
			t.counts[written], p.content.Len(), t.counts[kept], t.counts[inPlace]))
	}
	return different, true
}

// warnUncompared names the rows that could not be compared. They are no reason to
// write none of the others.
func (p *planner) warnUncompared(t *tally) {
	p.diags.AddWarning(fmt.Sprintf("%d of %d rows could not be compared", t.failures.Count, p.content.Len()),
		t.failures.Text(p.content.Place)+"\n\nAn apply tries them again, and writes all others that differ.\n\nWhat to do: "+t.failures.Advice())
}

// canAsk reports whether the provider block and the scope are known: where they are
// not, the plan can only say that there may be something to do.
func (p *planner) canAsk() bool {
	s, m := p.resource.Service, p.model
	if s == nil || m.OrgID.IsUnknown() || m.ProjectID.IsUnknown() || m.AccountID.IsUnknown() {
		return s == nil // which is an error that asking reports
	}
	return s.Client != nil && (len(s.UnknownScope) == 0 || !m.OrgID.IsNull() || !m.AccountID.IsNull())
}

// warnOfContent says what the rows alone show.
func (p *planner) warnOfContent() {
	if untimed := p.content.Untimed; untimed > 0 && p.model.KeepLaterChoice.ValueBool() {
		p.diags.AddAttributeWarning(path.Root("keep_later_choice"), "Nothing to compare a later choice with",
			fmt.Sprintf("%d of %d rows have no agreement_time, so a choice that these people have made since cannot be recognised and would be overwritten. "+
				"Give these rows the time at which their consent was given, or say with keep_later_choice = false that overwriting is meant.", untimed, p.content.Len()))
	}
	if p.state == nil {
		return
	}
	if gone := p.state.Rows.ValueInt64() - int64(p.content.Len()); gone > 0 {
		warnGone(p.diags, gone)
	}
}

func warnGone(diags *diag.Diagnostics, gone int64) {
	diags.AddWarning("Rows that are no longer managed",
		fmt.Sprintf("There are %d rows less than at the last apply. What the service holds of people whose rows are gone stays there as it is; to withdraw their consent, set their clauses to false instead.", gone))
}
