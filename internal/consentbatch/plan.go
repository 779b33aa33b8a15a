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
// more in the apply, by another process that knows nothing of the first plan, and refuses
// to go on where a known number has become another one.
func (r *batchResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

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

	r.PlanKeptScope(ctx, req, resp)
	if len(resp.RequiresReplace) > 0 { // Terraform plans the new object in a request of its own
		return
	}

	var config, plan model
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(resp.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}

	p := &planner{batch: batch{resource: r, model: plan, inState: tfkit.PriorKept, diags: &resp.Diagnostics}, config: config, state: state}
	if state == nil {
		p.inState = tfkit.NothingSaved
	}
	planned, different, ok := p.judge(ctx)
	if !ok || different && !p.planReport() {
		return
	}

	// The framework marks computed attributes as unknown where any attribute has changed.
	settings := plan.Written.IsUnknown()
	if !different && !settings {
		planned = state.results
	}
	plan.results = planned
	resp.Diagnostics.Append(settingsOnly(!different && settings).write(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// settingsOnly is a note in private state from a plan to its apply: attributes of the
// object have changed, and there is nothing to write. The plan itself cannot say so, since
// the second plan of an apply may find something.
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

// planner plans a batch that is neither replaced nor destroyed.
type planner struct {
	batch
	config model
	state  *model // nil for a create
}

// judge returns the planned results, and whether there is anything to do.
func (p *planner) judge(ctx context.Context) (planned results, different, ok bool) {
	if p.config.isUnknown() || p.model.KeepLaterChoice.IsUnknown() || p.model.CompareAtPlan.IsUnknown() {
		sameVersion := p.config.ContentWO.IsUnknown() && p.isSettled() && !p.model.asksAnew(*p.state)
		return unknownResults(), !sameVersion, true
	}

	if p.content, ok = p.config.read(p.inState, p.diags); !ok {
		return planned, false, false
	}
	p.warnOfContent()
	p.warnOfSharedPeople()

	planned, changed, ok := p.ofContent()
	if !ok {
		return planned, false, false
	}
	different, ok = p.differs(ctx, changed)
	return planned, different, ok
}

// isUnknown reports whether the rows are known only after apply.
func (m *model) isUnknown() bool {
	return m.Source.IsUnknown() || m.ContentWO.IsUnknown() || m.ContentWOVersion.IsUnknown() || m.Format.IsUnknown()
}

// isSettled reports whether the last apply has left nothing to do.
func (p *planner) isSettled() bool {
	return p.state != nil && p.state.Missing.ValueInt64() == 0
}

// ofContent returns what the plan says about the content, and whether it is another one
// than in state. A write-only content may differ between any two runs, so the plan says
// nothing about it.
func (p *planner) ofContent() (planned results, changed, ok bool) {
	planned = unknownResults()
	if p.model.isWriteOnly() {
		changed, ok = p.changedContent()
		return planned, changed, ok
	}

	planned.Rows = types.Int64Value(int64(p.content.Len()))
	if p.state == nil {
		planned.Digest, ok = p.firstDigest()
		return planned, true, ok
	}

	prior := p.state.Digest.ValueString()
	digest, ok := p.digestLike(prior)
	planned.Digest = types.StringValue(digest)
	return planned, !sameDigest(prior, digest), ok
}

// changedContent reports whether a write-only content is another one than in state. Where
// the plan compares nothing, only its version counts.
func (p *planner) changedContent() (changed, ok bool) {
	if p.state == nil {
		return true, true
	}
	if !p.model.CompareAtPlan.ValueBool() {
		return false, true
	}
	same, ok := p.hasDigest(p.state.Digest.ValueString())
	return !same, ok
}

// firstDigest returns the digest for a create: unknown until the scope is known, since its
// salt depends on that.
func (p *planner) firstDigest() (digest types.String, ok bool) {
	scope, known := p.resource.KnownScope(p.model.Scope)
	if !known {
		return types.StringUnknown(), true
	}
	text, ok := p.checkDigest(firstDigest(scope, p.model.Source.ValueString(), p.content.sum))
	return types.StringValue(text), ok
}

// differs reports whether there is anything to do. It asks the service where it may.
func (p *planner) differs(ctx context.Context, changed bool) (different, ok bool) {
	different = changed || !p.isSettled()
	if !p.model.CompareAtPlan.ValueBool() {
		different = different || p.model.asksAnew(*p.state)
		if different {
			p.warnUncompared()
		}
		return different, true
	}

	if !p.canAsk() {
		return true, true
	}
	if !p.reach() {
		return false, false
	}

	t := p.compare(ctx)
	someFailed := t.counts[failed] > 0 && t.succeeded() > 0 && t.rest() == 0
	if t.failed() && !someFailed {
		words := planFailed
		words.inState = p.inState
		p.reportFailed(t, words)
		return false, false
	}

	if someFailed { // no reason to write none of the others
		p.warnIncomparable(t)
		different = true
	}
	p.warnKept(t)
	different = different || t.counts[written] > 0
	if different {
		p.warnCompared(t)
	}
	return different, true
}

// canAsk reports whether the provider block and the scope are known. While they are not,
// the plan can only say that there may be something to do. A provider that was not
// configured is left to reach, which reports it.
func (p *planner) canAsk() bool {
	s, m := p.resource.Service, p.model
	if s == nil {
		return true
	}
	if s.Client == nil || m.OrgID.IsUnknown() || m.ProjectID.IsUnknown() || m.AccountID.IsUnknown() {
		return false
	}
	return len(s.UnknownScope) == 0 || !m.OrgID.IsNull() || !m.AccountID.IsNull()
}

// boundToContent explains the error that Terraform reports at digest where the file has
// changed since the plan: no message of the provider reaches the user then.
const boundToContent = "This plan is for the file as it is now. If the file changes before the apply, Terraform stops with \"Provider produced inconsistent final plan\" at digest and nothing is written: plan again then."

// bound returns text, followed by boundToContent where the plan has a digest.
func (p *planner) bound(text string) string {
	if p.model.isWriteOnly() {
		return text
	}
	return text + "\n\n" + boundToContent
}

// warnCompared says what the comparison with the service has found.
func (p *planner) warnCompared(t *tally) {
	p.diags.AddWarning("What the comparison with the service has found", p.bound(fmt.Sprintf(
		"To write: %d of %d rows, since they differ from what the service holds. Left alone, because of a later choice of the person: %d. In place: %d. An apply compares again before it writes.",
		t.counts[written], p.content.Len(), t.counts[kept], t.counts[inPlace])))
}

// warnUncompared says that the plan has asked the service nothing.
func (p *planner) warnUncompared() {
	p.diags.AddWarning("Rows that are compared by the apply only", p.bound(fmt.Sprintf(
		"compare_at_plan is false, so this plan has not asked the service about the %d rows. The apply compares each of them and writes those that differ.", p.content.Len())))
}

// warnIncomparable names the rows that could not be compared.
func (p *planner) warnIncomparable(t *tally) {
	p.diags.AddWarning(fmt.Sprintf("%d of %d rows could not be compared", t.counts[failed], p.content.Len()),
		t.failures.Text(p.content.Place)+"\n\nAn apply tries them again, and writes all others that differ.\n\nWhat to do: "+t.failures.Advice())
}

// warnOfSharedPeople warns about rows that another object of the run manages as well.
func (p *planner) warnOfSharedPeople() {
	scope, known := p.resource.KnownScope(p.model.Scope)
	if !known {
		return
	}

	p.identify()
	var shared overlap
	for i := range p.content.Len() {
		if other, also := p.resource.Written.Manage(p.object, scope, p.content.At(i).Identity); also {
			shared.add(other, i)
		}
	}
	shared.warnShared(p.diags, p.content.Rows)
}

// warnOfContent warns about what the rows alone show.
func (p *planner) warnOfContent() {
	if untimed := p.content.Untimed; untimed > 0 && p.model.KeepLaterChoice.ValueBool() {
		p.diags.AddAttributeWarning(path.Root("keep_later_choice"), "Nothing to compare a later choice with", fmt.Sprintf(
			"%d of %d rows have no agreement_time, so a choice that these people have made since cannot be recognised.\n\n"+
				"What to do: give these rows the time at which their consent was given, or set keep_later_choice = false where overwriting is meant.", untimed, p.content.Len()))
	}

	if p.state == nil {
		return
	}
	if gone := p.state.Rows.ValueInt64() - int64(p.content.Len()); gone > 0 {
		p.diags.AddWarning("Rows that are no longer managed", fmt.Sprintf(
			"There are %d rows less than at the last apply. What the service holds about these people stays as it is.\n\n"+
				"What to do: nothing, or set the clauses to false in place of removing a row, which withdraws the consent.", gone))
	}
}
