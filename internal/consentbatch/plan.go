package consentbatch

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
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

	p := r.planner(config, plan, state, &resp.Diagnostics)
	if state != nil {
		p.object = plan.objectIn(ctx, resp.Private)
	}
	proposed, ok := p.propose(ctx)
	if !ok {
		return
	}

	if state != nil && !proposed.work {
		p.planRest()
	}

	// The framework marks computed attributes as unknown if any attribute has changed.
	changed := plan.Written.IsUnknown()
	plan.results = proposed.results
	if !proposed.work && !changed {
		plan.results = state.results
	}

	resp.Diagnostics.Append(settingsOnly(!proposed.work && changed).write(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// planDestroy warns of what destroying the object does at the service, and refuses to
// withdraw people whom another object of the plan keeps as they are.
func (r *batchResource) planDestroy(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	state := readState(ctx, req, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}

	state.warnDestroyed(&resp.Diagnostics)
	r.planWithdrawal(ctx, *state, resp)
}

// planWithdrawal refuses to withdraw people whom another object of the plan keeps as they
// are. A file that cannot be read is an error of the destroy.
func (r *batchResource) planWithdrawal(ctx context.Context, state model, resp *resource.ModifyPlanResponse) {
	scope, known := r.KnownScope(state.Scope)
	if !known || state.OnDestroy.ValueString() != withdraw {
		return
	}

	var unread diag.Diagnostics
	b := &batch{resource: r, model: state, object: state.objectIn(ctx, resp.Private), diags: &unread}
	if !b.readApplied() {
		return
	}

	var resting overlap
	for i := range len(b.content.rows) {
		if other, conflict := r.Written.PlanWithdrawal(b.object, scope, b.content.rows[i].Identity); conflict {
			resting.add(other, i)
		}
	}

	resting.addKeptByAnother(&resp.Diagnostics, b.content.place)
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

// settingsOnly tells an apply, by private state, that attributes of the object have changed and
// that there is nothing to write. The plan itself cannot tell it, since the second plan of an
// apply may find something.
type settingsOnly bool

const settingsOnlyKey = "settings_only"

func readSettingsOnly(ctx context.Context, private tfkit.PrivateReader) settingsOnly {
	value, _ := private.GetKey(ctx, settingsOnlyKey)
	return string(value) == "true"
}

func (s settingsOnly) write(ctx context.Context, private tfkit.PrivateWriter) diag.Diagnostics {
	if s {
		return private.SetKey(ctx, settingsOnlyKey, []byte("true"))
	}
	return private.SetKey(ctx, settingsOnlyKey, nil)
}

// planner plans a batch that is neither replaced nor destroyed.
type planner struct {
	batch
	config model
	state  *model // nil for a create
}

func (r *batchResource) planner(config, plan model, state *model, diags *diag.Diagnostics) *planner {
	inState := tfkit.PriorKept
	if state == nil {
		inState = tfkit.NothingSaved
	}

	return &planner{
		batch:  batch{resource: r, model: plan, inState: inState, diags: diags},
		config: config,
		state:  state,
	}
}

// proposal is what a plan proposes.
type proposal struct {
	results results
	work    bool // whether an apply has, or may have, something to do
}

// propose returns what to plan, and checks that a report can be written.
func (p *planner) propose(ctx context.Context) (proposed proposal, ok bool) {
	if !p.checkShardChange() {
		return proposal{}, false
	}

	if p.isUnknown() {
		proposed = p.proposeUnknown()
	} else if proposed, ok = p.proposeKnown(ctx); !ok {
		return proposal{}, false
	}

	if proposed.work && !p.planReport() {
		return proposal{}, false
	}

	return proposed, true
}

// isUnknown reports whether the rows, or how to compare them, are known only after apply.
func (p *planner) isUnknown() bool {
	rows := p.config.Source.IsUnknown() || p.config.ContentWO.IsUnknown() || p.config.ContentWOVersion.IsUnknown() || p.config.Format.IsUnknown()
	return rows || !p.config.shardKnown() || p.model.KeepLaterChoice.IsUnknown() || p.model.CompareAtPlan.IsUnknown()
}

// proposeUnknown returns the proposal for rows that are not known. An unknown content_wo with the
// same version counts as unchanged.
func (p *planner) proposeUnknown() proposal {
	unchanged := p.config.ContentWO.IsUnknown() && p.isComplete() && !p.model.comparesAnew(*p.state)
	return proposal{unknownResults(), !unchanged}
}

// proposeKnown compares the rows with the state and with the service.
func (p *planner) proposeKnown(ctx context.Context) (proposed proposal, ok bool) {
	if p.content, ok = p.config.read(p.inState, p.diags); !ok {
		return proposal{}, false
	}
	p.warnRemoved()
	p.warnOfSharedPeople()

	proposed, ok = p.proposeByContent()
	if !ok {
		return proposal{}, false
	}

	if !p.model.CompareAtPlan.ValueBool() {
		return p.proposeUncompared(proposed), true
	}
	proposed.work = proposed.work || !p.isComplete()

	return p.proposeByService(ctx, proposed)
}

// isComplete reports whether the last apply has left no row missing.
func (p *planner) isComplete() bool {
	return p.state != nil && p.state.Missing.ValueInt64() == 0
}

// proposeByContent compares the content with the one in state. What it plans binds the apply
// to the content.
func (p *planner) proposeByContent() (proposed proposal, ok bool) {
	proposed.results = unknownResults()
	proposed.results.Rows = types.Int64Value(int64(len(p.content.rows)))
	if p.state == nil {
		proposed.work = true
		proposed.results.Digest, ok = p.firstDigest()
		return proposed, ok
	}

	prior := p.state.Digest.ValueString()
	digest, ok := p.digestLike(prior)
	proposed.work = !sameDigest(prior, digest)
	proposed.results.Digest = types.StringValue(digest)
	if !proposed.work && p.isComplete() {
		proposed.results.Missing = types.Int64Value(0)
	}

	return proposed, ok
}

// firstDigest returns the digest for a create. It is unknown until the scope is known, since
// its salt depends on the scope.
func (p *planner) firstDigest() (digest types.String, ok bool) {
	scope, known := p.resource.KnownScope(p.model.Scope)
	if !known {
		return types.StringUnknown(), true
	}

	text, ok := p.checkDigest(firstDigest(scope, p.model.Source.ValueString(), p.content.sum))
	return types.StringValue(text), ok
}

// proposeUncompared completes the proposal of a plan that does not ask the service. Of a
// write-only content, only the version counts then.
func (p *planner) proposeUncompared(proposed proposal) proposal {
	changed := proposed.work && !p.model.isWriteOnly()
	proposed.work = changed || !p.isComplete() || p.model.comparesAnew(*p.state)
	if proposed.work {
		p.warnUntimed(nil)
		return proposed
	}

	proposed.results.Digest, proposed.results.Rows = p.state.Digest, p.state.Rows

	return proposed
}

// proposeByService completes the proposal by comparing the rows with the service.
func (p *planner) proposeByService(ctx context.Context, proposed proposal) (proposal, bool) {
	if !p.canAsk() {
		proposed.work = true
		return proposed, true
	}
	if !p.connect() {
		return proposal{}, false
	}

	t := p.compare(ctx)
	if t.failed() && !t.failedInPart() {
		words := planFailed
		words.inState = p.inState
		p.reportFailed(t, words)

		return proposal{}, false
	}

	// Rows that cannot be compared are no reason to write none of the others.
	if t.failedInPart() {
		p.warnIncomparable(t)
		proposed.work = true
	}
	tflog.Info(ctx, "Consent batch compared", map[string]any{
		"rows": len(p.content.rows), "to_write": t.toWrite(), "kept": t.counts[kept], "in_place": t.counts[inPlace],
	})

	p.warnUntimed(t)
	proposed.work = proposed.work || t.toWrite() > 0
	if !proposed.work && !p.model.Written.IsUnknown() { // no apply follows, which would warn
		p.warnKept(t)
	}
	if proposed.results.bindsToRecords() && t.counts[absent] > 0 {
		proposed.results.Missing = types.Int64Unknown()
		p.warnGone(t)
	}

	return proposed, true
}

// canAsk reports whether the provider block and the scope are known. If not, the plan can only
// say that there may be something to do. A provider that was not configured counts as known:
// connect reports it.
func (p *planner) canAsk() bool {
	s := p.resource.Service
	if s == nil {
		return true
	}

	_, known := s.KnownScope(p.model.Scope)
	return known && s.Client != nil
}
