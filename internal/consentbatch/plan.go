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

// ModifyPlan checks the rows, compares them with the service, and keeps the plan empty if
// there is nothing to write.
//
// What it finds at the service goes into warnings and not into the plan: Terraform plans once
// more in the apply, in another process that knows nothing of the first plan, and stops if a
// known number has changed.
func (r *batchResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	state := readState(ctx, req, &resp.Diagnostics)
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

	p := r.planner(config, plan, state, &resp.Diagnostics)
	found, ok := p.find(ctx)
	if !ok {
		return
	}

	// The framework marks computed attributes as unknown if any attribute has changed.
	settings := plan.Written.IsUnknown()
	plan.results = found.results
	if !found.work && !settings {
		plan.results = state.results
	}

	resp.Diagnostics.Append(settingsOnly(!found.work && settings).write(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
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

// finding is what a plan has found out.
type finding struct {
	results results // as planned
	work    bool    // whether an apply has, or may have, something to do
}

// find returns what to plan, and checks that a report can be written.
func (p *planner) find(ctx context.Context) (found finding, ok bool) {
	if p.isUnknown() {
		found = p.judgeUnknown()
	} else if found, ok = p.judge(ctx); !ok {
		return finding{}, false
	}

	if found.work && !p.planReport() {
		return finding{}, false
	}

	return found, true
}

// isUnknown reports whether the rows, or how to compare them, are known only after apply.
func (p *planner) isUnknown() bool {
	rows := p.config.Source.IsUnknown() || p.config.ContentWO.IsUnknown() || p.config.ContentWOVersion.IsUnknown() || p.config.Format.IsUnknown()
	return rows || p.model.KeepLaterChoice.IsUnknown() || p.model.CompareAtPlan.IsUnknown()
}

// judgeUnknown returns the finding for rows that are not known. An unknown content_wo with the
// same version counts as unchanged.
func (p *planner) judgeUnknown() finding {
	unchanged := p.config.ContentWO.IsUnknown() && p.isComplete() && !p.model.comparesAnew(*p.state)
	return finding{unknownResults(), !unchanged}
}

// judge compares the rows with the state and with the service.
func (p *planner) judge(ctx context.Context) (found finding, ok bool) {
	if p.content, ok = p.config.read(p.inState, p.diags); !ok {
		return finding{}, false
	}
	p.warnOfContent()
	p.warnOfSharedPeople()

	found, ok = p.judgeContent()
	if !ok {
		return finding{}, false
	}

	found.work = found.work || !p.isComplete()
	if !p.model.CompareAtPlan.ValueBool() {
		return p.judgeUncompared(found), true
	}
	return p.judgeByService(ctx, found)
}

// isComplete reports whether the last apply has left no row missing.
func (p *planner) isComplete() bool {
	return p.state != nil && p.state.Missing.ValueInt64() == 0
}

// judgeContent compares the content with the one in state. A write-only content may differ
// between any two runs, so nothing of it is planned.
func (p *planner) judgeContent() (found finding, ok bool) {
	found.results = unknownResults()
	if p.model.isWriteOnly() {
		found.work, ok = p.changedContent()
		return found, ok
	}

	found.results.Rows = types.Int64Value(int64(p.content.Len()))
	if p.state == nil {
		found.work = true
		found.results.Digest, ok = p.firstDigest()
		return found, ok
	}

	prior := p.state.Digest.ValueString()
	digest, ok := p.digestLike(prior)
	found.work = !sameDigest(prior, digest)
	found.results.Digest = types.StringValue(digest)

	return found, ok
}

// changedContent reports whether a write-only content differs from the one in state. If the
// plan compares nothing, only its version counts.
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

// judgeUncompared completes the finding of a plan that does not ask the service.
func (p *planner) judgeUncompared(found finding) finding {
	found.work = found.work || p.model.comparesAnew(*p.state)
	if found.work {
		p.warnUncompared()
	}

	return found
}

// judgeByService completes the finding by comparing the rows with the service.
func (p *planner) judgeByService(ctx context.Context, found finding) (finding, bool) {
	if !p.canAsk() {
		found.work = true
		return found, true
	}
	if !p.connect() {
		return finding{}, false
	}

	t := p.compare(ctx)
	if t.failed() && !t.failedInPart() {
		words := planFailed
		words.inState = p.inState
		p.reportFailed(t, words)

		return finding{}, false
	}

	// Rows that cannot be compared are no reason to write none of the others.
	if t.failedInPart() {
		p.warnIncomparable(t)
		found.work = true
	}
	p.warnKept(t)

	found.work = found.work || t.counts[written] > 0
	if found.work {
		p.warnCompared(t)
	}

	return found, true
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

// boundToContent explains the error that Terraform reports at digest if the file has changed
// since the plan. No message of the provider reaches the user then.
const boundToContent = "This plan is for the file as it is now. If the file changes before the apply, Terraform stops with \"Provider produced inconsistent final plan\" at digest and nothing is written: plan again then."

// bound returns text, followed by boundToContent if the plan has a digest.
func (p *planner) bound(text string) string {
	if p.model.isWriteOnly() {
		return text
	}
	return text + "\n\n" + boundToContent
}

// warnCompared tells the result of the comparison with the service.
func (p *planner) warnCompared(t *tally) {
	tfkit.Problem{
		Summary: "What the comparison with the service has found",
		Detail: p.bound(fmt.Sprintf(
			"To write: %d of %d rows, since they differ from what the service holds. Left alone, because of a later choice of the person: %d. In place: %d. An apply compares again before it writes.",
			t.counts[written], p.content.Len(), t.counts[kept], t.counts[inPlace])),
	}.AddWarning(p.diags)
}

// warnUncompared tells that the plan has not asked the service.
func (p *planner) warnUncompared() {
	tfkit.Problem{
		Summary: "Rows that are compared by the apply only",
		Detail: p.bound(fmt.Sprintf(
			"compare_at_plan is false, so this plan has not asked the service about the %d rows. The apply compares each of them and writes those that differ.", p.content.Len())),
	}.AddWarning(p.diags)
}

// warnIncomparable warns of the rows that could not be compared.
func (p *planner) warnIncomparable(t *tally) {
	tfkit.Problem{
		Summary: fmt.Sprintf("%d of %d rows could not be compared", t.counts[failed], p.content.Len()),
		Detail:  t.failures.Text(p.content.Place) + "\n\nAn apply tries them again, and writes all others that differ.",
		Do:      t.failures.Advice(),
	}.AddWarning(p.diags)
}

// warnOfSharedPeople warns of rows that another object of the run manages as well.
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

// warnOfContent warns of rows without agreement_time, and of rows that are gone.
func (p *planner) warnOfContent() {
	if untimed := p.content.Untimed; untimed > 0 && p.model.KeepLaterChoice.ValueBool() {
		tfkit.Problem{
			Summary: "Nothing to compare a later choice with",
			Detail:  fmt.Sprintf("%d of %d rows have no agreement_time, so a choice that these people have made since cannot be recognised.", untimed, p.content.Len()),
			Do:      "give these rows the time at which their consent was given, or set keep_later_choice = false where overwriting is meant.",
			At:      path.Root("keep_later_choice"),
		}.AddWarning(p.diags)
	}

	if p.state == nil {
		return
	}

	if gone := p.state.Rows.ValueInt64() - int64(p.content.Len()); gone > 0 {
		tfkit.Problem{
			Summary: "Rows that are no longer managed",
			Detail:  fmt.Sprintf("There are %d rows less than at the last apply. What the service holds about these people stays as it is.", gone),
			Do:      "nothing, or set the clauses to false in place of removing a row, which withdraws the consent.",
		}.AddWarning(p.diags)
	}
}
