// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// requestResource is what the two resources have in common: their objects stand for a request.
type requestResource struct {
	tfkit.Resource

	messages tfkit.Messages
	newModel func() object
}

// object is the model of an object: a *deletionModel or an *accessModel.
type object interface {
	// base returns the part that describes the request.
	base() *requestModel

	// planSubmit is called for a plan that submits the request. state is the object in state;
	// nil if it is to be created.
	planSubmit(r *tfkit.Resource, state object, diags *diag.Diagnostics)
	// keepComputed copies the computed attributes from state, and planComputed plans others:
	// the apply submits the request, or goes on with the accepted one.
	keepComputed(state object)
	planComputed(submits bool)

	// newOperation returns the operation of a run in a scope.
	newOperation(r *tfkit.Resource, run tfkit.Run, c *client.Client, scope client.Scope) operation
	// fromSubmission sets the computed attributes from the submission that the object stands
	// for.
	fromSubmission(s deferred.Submission)
	// isIntact reports whether what a fulfilled request has brought is still there. Otherwise it
	// adds a warning, after which the object leaves the state, or an error.
	isIntact(ctx context.Context, diags *diag.Diagnostics) bool

	// applied is called when a plan about the object is applied.
	applied(r *tfkit.Resource)
	// forget is called when the object, which stands for s, is destroyed, and warnDestroyed warns
	// that this undoes nothing.
	forget(ctx context.Context, r *tfkit.Resource, s deferred.Submission)
	warnDestroyed(diags *diag.Diagnostics)
}

// operation is one Create, Read or Update of an object: a *requestRun, or a *fetch, which embeds one.
type operation interface {
	base() *requestRun
	// submit submits the request, and finish saves the object, waits for the accepted request,
	// and saves the object again. It reports whether the request is carried out.
	submit(ctx context.Context)
	finish(ctx context.Context) (carriedOut bool)
}

// ModifyPlan keeps the computed attributes of an object in state, unless an apply has
// something to submit, to wait for or to fetch.
func (r *requestResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	isMoved, isNew := r.PlanKeptScope(ctx, req, resp), req.State.Raw.IsNull()
	state, plan := r.newModel(), r.newModel()
	if !isNew {
		resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	}
	if req.Plan.Raw.IsNull() {
		state.warnDestroyed(&resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(resp.Plan.Get(ctx, plan)...)
	before, now := state.base(), plan.base()

	switch {
	case resp.Diagnostics.HasError():
		return
	case isMoved && !before.Fulfilled.ValueBool():
		tfkit.RefuseMoved(&resp.Diagnostics, r.messages.Name)
		return
	case isNew || len(resp.RequiresReplace) > 0 || !now.IdentityID.Equal(before.IdentityID):
		// To replace an object, which it may do only after it creates the new one, Terraform plans
		// again without a state, and shows the warnings of the first plan alone.
		plan.planSubmit(&r.Resource, nil, &resp.Diagnostics)
		return
	}

	s := tfkit.ReadSubmission(ctx, req.Private, tfkit.KeySubmission)
	submits := now.submits(before, s)
	plan.keepComputed(state)
	if submits || now.continues(before, s) {
		plan.planComputed(submits)
	}
	if submits {
		now.warnUnanswered(ctx, req.Private, r.messages.Name, &resp.Diagnostics)
		plan.planSubmit(&r.Resource, state, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

func (r *requestResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	plan := r.newModel()
	resp.Diagnostics.Append(req.Plan.Get(ctx, plan)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ResolveScope(&plan.base().Scope)
	run := r.Run(ctx, &resp.State, resp.Private, &resp.Diagnostics)
	run.Limit, _ = plan.base().Timeouts.Create(ctx, defaultTimeout)
	if c, ok := r.newOperation(run, plan); ok {
		plan.applied(&r.Resource)
		c.submit(ctx)
	}
}

// Read looks at the request until it is known to be carried out, and from then on at what it
// has brought. It submits and fetches nothing.
func (r *requestResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	state := r.newModel()
	resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ReadScope(&state.base().Scope)
	if state.base().Fulfilled.ValueBool() {
		resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
		if !state.isIntact(ctx, &resp.Diagnostics) && !resp.Diagnostics.HasError() {
			resp.State.RemoveResource(ctx)
		}
		return
	}

	run := r.Run(ctx, &resp.State, resp.Private, &resp.Diagnostics)
	if run.Submission.State == deferred.Idle { // the state was written by hand
		run.Submission = state.base().submission()
	}
	if c, ok := r.newOperation(run, state); ok && c.base().Refresh(ctx) {
		c.base().Warn()
		c.base().save(ctx)
	}
}

// Update submits another request if triggers have changed, and otherwise goes on with the
// accepted one. If another request fails, the object stays as it was.
func (r *requestResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	plan, state := r.newModel(), r.newModel()
	resp.Diagnostics.Append(req.Plan.Get(ctx, plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	run := r.Run(ctx, &resp.State, resp.Private, &resp.Diagnostics)
	run.Limit, _ = plan.base().Timeouts.Update(ctx, defaultTimeout)
	c, ok := r.newOperation(run, plan)
	if !ok {
		return
	}

	plan.applied(&r.Resource)
	continues := plan.base().Fulfilled.IsUnknown()
	plan.keepComputed(state)

	switch {
	case plan.base().submits(state.base(), run.Submission):
		c.submit(ctx)
	case continues && !plan.base().Fulfilled.ValueBool():
		c.finish(ctx)
	default:
		c.base().Save(ctx, plan)
	}
}

// Delete forgets the request: nothing calls it back.
func (r *requestResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	state := r.newModel()
	resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	state.applied(&r.Resource)
	state.forget(ctx, &r.Resource, tfkit.ReadSubmission(ctx, req.Private, tfkit.KeySubmission))
	state.warnDestroyed(&resp.Diagnostics)
}

// newOperation returns the operation of a run of an object.
func (r *requestResource) newOperation(run tfkit.Run, m object) (operation, bool) {
	c, scope, ok := r.ClientAndScope(m.base().Scope, run.Diags)
	if !ok {
		return nil, false
	}
	run.Messages, run.Waits = r.messages, m.base().Wait.ValueBool()

	return m.newOperation(&r.Resource, run, c, scope), true
}

// requestRun is one Create, Read or Update of an object: the run of its request, and its model. That
// of an action has no model.
type requestRun struct {
	tfkit.Run

	model object
}

func (l *requestRun) base() *requestRun { return l }

func (l *requestRun) submit(ctx context.Context) {
	if l.accepted(ctx, l.Submit(ctx), l.ProblemOf) {
		l.finish(ctx)
	}
}

// accepted reports whether the service has accepted the request, after err of submitting it.
// Otherwise the operation is over.
func (l *requestRun) accepted(ctx context.Context, err error, problemOf func(error) tfkit.Problem) bool {
	switch {
	case err == nil:
		l.warnTakenOver()
	case l.KeepsUnknown(ctx, err):
		l.save(ctx)
	default:
		l.Fail(ctx, problemOf(err))
	}

	return err == nil
}

// finish saves the object before it waits, so that an accepted request is never forgotten.
func (l *requestRun) finish(ctx context.Context) (carriedOut bool) {
	l.save(ctx)
	if err := l.Await(ctx); err != nil {
		l.Fail(ctx, l.ProblemOf(err))
		return false
	}

	l.Warn()
	l.save(ctx)

	return l.Submission.State == deferred.Fulfilled
}

func (l *requestRun) save(ctx context.Context) {
	l.model.fromSubmission(l.Submission)
	l.Save(ctx, l.model)
}

// adviceTriggers applies to an object whose request came to nothing.
const adviceTriggers = "ask the operator of the service about the request. To send another one, change triggers."

// warnTakenOver warns that nothing was sent because the request was known or pending before.
func (l *requestRun) warnTakenOver() {
	id := tfkit.QuoteID(l.Submission.ID, l.Request.Person.Identity)

	if l.Observed.Known {
		tfkit.Problem{
			Summary: "No second " + l.Name + " was sent",
			Detail: fmt.Sprintf("This run has already submitted a %s of the same person: request %s of %s, for another resource or an action. This resource takes it over, and nothing was sent.",
				l.Name, id, instant(l.Submission.At).ValueString()),
			Do: "nothing. To send another one, change triggers.",
		}.AddWarning(l.Diags)
	}

	if l.Observed.Adopted {
		tfkit.Problem{
			Summary: "A pending " + l.Name + " was taken over",
			Detail: fmt.Sprintf("The service already has a pending %s of this person, request %s. This resource takes it over and stands for that request now. Nothing was sent.",
				l.Name, id),
		}.AddWarning(l.Diags)
		warnOthers(&l.Run)
	}
}

// warnOthers warns of pending requests that are left alone, because another one was taken over.
func warnOthers(run *tfkit.Run) {
	ids := run.Observed.Others
	if len(ids) == 0 {
		return
	}

	const named = 10
	var names []string
	for _, id := range ids[:min(len(ids), named)] {
		names = append(names, tfkit.QuoteID(id, run.Request.Person.Identity))
	}
	if len(ids) > named {
		names = append(names, "…")
	}
	tfkit.Problem{
		Summary: "More requests are pending",
		Detail:  fmt.Sprintf("One pending request was taken over, and %d more of the same type are pending for this person. Terraform leaves them alone: %s.", len(ids), strings.Join(names, ", ")),
	}.AddWarning(run.Diags)
}
