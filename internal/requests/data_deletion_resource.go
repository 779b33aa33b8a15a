// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ resource.ResourceWithConfigure  = (*dataDeletionResource)(nil)
	_ resource.ResourceWithModifyPlan = (*dataDeletionResource)(nil)
)

// NewDataDeletionResource returns the resource analytics_data_deletion.
func NewDataDeletionResource() resource.Resource { return &dataDeletionResource{} }

type dataDeletionResource struct{ tfkit.Resource }

func (r *dataDeletionResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_data_deletion"
}

func (r *dataDeletionResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := requestAttributes(
		descriptions{
			request:  string(deletion),
			triggers: "Arbitrary values, such as a date. Changing them submits another deletion, for data that has arrived since.",
			wait:     "Whether to wait until the deletion is carried out. If `false`, a later refresh sets `fulfilled`.",
		},
		nil)

	resp.Schema = schema.Schema{
		MarkdownDescription: "Deletes all data of one person, except the consent record, once for each value of `triggers`.",
		Blocks:              requestBlocks(),
		Attributes:          tfkit.AddKeptScope(attributes),
	}
}

// ModifyPlan warns that a deletion is irreversible, and keeps the computed attributes of
// an object in state unless an apply has something to submit or to wait for.
func (r *dataDeletionResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	isMoved := r.PlanKeptScope(ctx, req, resp)
	if req.State.Raw.IsNull() {
		r.planCreate(ctx, resp)
		return
	}
	if req.Plan.Raw.IsNull() {
		r.planDestroy(ctx, req, &resp.Diagnostics)
		return
	}

	r.planUpdate(ctx, req, resp, isMoved)
}

// planCreate refuses an object that would repeat a deletion for which an object in state
// stands, also if that is the object that it replaces: Terraform may create the new one
// first.
func (r *dataDeletionResource) planCreate(ctx context.Context, resp *resource.ModifyPlanResponse) {
	r.RefuseReadOnly(&resp.Diagnostics)
	warnIrreversible(&resp.Diagnostics)

	var plan requestModel
	resp.Diagnostics.Append(resp.Plan.Get(ctx, &plan)...)
	if !resp.Diagnostics.HasError() {
		r.planSubmit(plan, &resp.Diagnostics)
	}
}

func (r *dataDeletionResource) planDestroy(ctx context.Context, req resource.ModifyPlanRequest, diags *diag.Diagnostics) {
	var state requestModel
	diags.Append(req.State.Get(ctx, &state)...)
	if !diags.HasError() {
		warnForgotten(state, diags)
	}
}

func (r *dataDeletionResource) planUpdate(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, isMoved bool) {
	var state, plan requestModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if isMoved && !state.Fulfilled.ValueBool() {
		tfkit.RefuseMoved(&resp.Diagnostics, string(deletion))
		return
	}
	if len(resp.RequiresReplace) > 0 || !plan.IdentityID.Equal(state.IdentityID) {
		return // Terraform plans again, without a state
	}

	if plan.planChange(state, readSubmission(ctx, req.Private, state)) == changeSubmit {
		r.RefuseReadOnly(&resp.Diagnostics)
		warnIrreversible(&resp.Diagnostics)
		if !plan.sameOccasion(state) { // else the object itself stands for it
			r.planSubmit(plan, &resp.Diagnostics)
		}
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

func (r *dataDeletionResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan requestModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ResolveScope(&plan.Scope)
	d, ok := r.apply(&plan, tfkit.ResponseToCreate(resp))
	if !ok {
		return
	}

	if err := d.submit(ctx, deferred.Submission{}); err != nil {
		tfkit.AddError(&resp.Diagnostics, err, tfkit.NothingSaved)
		return
	}
	if err := d.await(ctx, tfkit.CreateTimeout(ctx, plan.Timeouts, defaultTimeout)); err != nil {
		resp.State.RemoveResource(ctx)
		tfkit.AddError(&resp.Diagnostics, err, tfkit.NothingSaved)
	}
}

// Read looks at a deletion until it is known to be carried out. Data that come in
// afterwards are no drift.
func (r *dataDeletionResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state requestModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ReadScope(&state.Scope)
	if state.Fulfilled.ValueBool() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
		return
	}

	request, ok := r.request(state, &resp.Diagnostics)
	if !ok {
		return
	}
	s, report, err := r.Deferred.Refresh(ctx, request, readSubmission(ctx, req.Private, state))
	if err != nil {
		tfkit.WarnUnchecked(&resp.Diagnostics, "the "+string(deletion), err)
		return
	}

	deletion.warnRefreshed(&resp.Diagnostics, request.Identity, s, report)
	state.fromSubmission(s)
	tfkit.ResponseToRead(resp).Save(ctx, &state, s)
}

// Update submits another deletion if triggers have changed, and otherwise waits for the
// accepted one. If another deletion fails, the object stays as it was.
func (r *dataDeletionResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan, state requestModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	d, ok := r.apply(&plan, tfkit.ResponseToUpdate(resp))
	if !ok {
		return
	}
	limit := tfkit.UpdateTimeout(ctx, plan.Timeouts, defaultTimeout)
	before := readSubmission(ctx, req.Private, state)

	if !plan.submits(state, before) {
		d.Submission = before
		d.resume(ctx, limit)
		return
	}

	err := d.submit(ctx, readUnanswered(ctx, req.Private))
	d.writeUnanswered(ctx)
	if err == nil {
		err = d.await(ctx, limit)
	}
	if err != nil {
		d.Restore(ctx, req.State, before)
		tfkit.AddError(&resp.Diagnostics, err, tfkit.PriorKept)
	}
}

// Delete forgets the deletion. An object that takes its place in this run does not send
// it again, unless it came to nothing.
func (r *dataDeletionResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state requestModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	warnForgotten(state, &resp.Diagnostics)
	if request, ok := r.plannedRequest(state); ok {
		r.carriedOut(request)
		r.Deferred.Note(request, readSubmission(ctx, req.Private, state))
	}
}
