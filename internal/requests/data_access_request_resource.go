// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ resource.ResourceWithConfigure  = (*dataAccessRequestResource)(nil)
	_ resource.ResourceWithModifyPlan = (*dataAccessRequestResource)(nil)
)

// NewDataAccessRequestResource returns the resource analytics_data_access_request.
func NewDataAccessRequestResource() resource.Resource { return &dataAccessRequestResource{} }

type dataAccessRequestResource struct{ tfkit.Resource }

func (r *dataAccessRequestResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_data_access_request"
}

func (r *dataAccessRequestResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := requestAttributes(
		descriptions{
			request:  string(access),
			triggers: "Arbitrary values. Changing them requests and writes the data again, in place.",
			wait:     "Whether to wait for the data. If `false`, an apply after the request was carried out writes the file.",
		},
		map[string]schema.Attribute{
			"output_path": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Path of the JSON file for the data, in a directory that exists. Mode 0600. Changing it replaces the resource and leaves the old file.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"overwrite": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether a file at `output_path` that this resource did not write may be replaced. Defaults to `false`.",
			},

			"sha256": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "SHA-256 of the file, in hexadecimal. Null until the file is written.",
			},
			"bytes": schema.Int64Attribute{
				Computed:            true,
				MarkdownDescription: "Size of the file in bytes. Null until the file is written.",
			},
		})

	resp.Schema = schema.Schema{
		MarkdownDescription: "Requests all data that the service holds of one person and writes them to a file, and nowhere else.",
		Blocks:              requestBlocks(),
		Attributes:          tfkit.AddKeptScope(attributes),
	}
}

// ModifyPlan keeps the computed attributes of an object in state, unless an apply has
// something to submit, to wait for or to fetch.
func (r *dataAccessRequestResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	isMoved := r.PlanKeptScope(ctx, req, resp)
	if req.State.Raw.IsNull() {
		r.RefuseReadOnly(&resp.Diagnostics)
		return
	}
	if req.Plan.Raw.IsNull() {
		r.planDestroy(ctx, req, &resp.Diagnostics)
		return
	}

	r.planUpdate(ctx, req, resp, isMoved)
}

func (r *dataAccessRequestResource) planDestroy(ctx context.Context, req resource.ModifyPlanRequest, diags *diag.Diagnostics) {
	var state accessModel
	diags.Append(req.State.Get(ctx, &state)...)
	state.warnNotUndone(diags)
}

func (r *dataAccessRequestResource) planUpdate(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, isMoved bool) {
	var state, plan accessModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if isMoved && !state.Fulfilled.ValueBool() {
		tfkit.RefuseMoved(&resp.Diagnostics, string(access))
		return
	}
	if len(resp.RequiresReplace) > 0 || plan.replaces(state) {
		return // Terraform plans again, without a state
	}

	if !plan.sameOccasion(state.requestModel) {
		r.RefuseReadOnly(&resp.Diagnostics)
	}
	plan.planComputed(state, readSubmission(ctx, req.Private, state.requestModel))
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

func (r *dataAccessRequestResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan accessModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ResolveScope(&plan.Scope)
	f, ok := r.fetch(&plan, tfkit.ResponseToCreate(resp), tfkit.NothingSaved)
	if !ok {
		return
	}
	defer f.close()

	f.limit = tfkit.CreateTimeout(ctx, plan.Timeouts, defaultTimeout)
	if !f.submit(ctx, deferred.Submission{}) || !plan.waits() {
		return
	}

	f.await(ctx)
	if f.Submission.State == deferred.Failed {
		resp.State.RemoveResource(ctx)
		tfkit.AddError(&resp.Diagnostics, f.rejection(), tfkit.NothingSaved)
		return
	}

	f.finish(ctx)
}

// Read checks the file once it is written, and the request before that. It does not
// fetch the data: that could submit another request.
func (r *dataAccessRequestResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state accessModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ReadScope(&state.Scope)
	if state.Fulfilled.ValueBool() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
		if !state.fileIsIntact(ctx, &resp.Diagnostics) && !resp.Diagnostics.HasError() {
			resp.State.RemoveResource(ctx)
		}
		return
	}

	f, ok := r.fetch(&state, tfkit.ResponseToRead(resp), tfkit.PriorKept)
	if !ok {
		return
	}
	s, report, err := r.Deferred.Refresh(ctx, f.request(nil), readSubmission(ctx, req.Private, state.requestModel))
	if err != nil {
		tfkit.WarnUnchecked(&resp.Diagnostics, "the "+string(access), err)
		return
	}

	access.warnRefreshed(&resp.Diagnostics, f.identity, s, report)
	state.fromAccepted(s)
	f.Save(ctx, &state, s)
}

// Update requests the data again if triggers have changed, and otherwise waits for the
// request or fetches its data. If another request fails, the object stays as it was.
func (r *dataAccessRequestResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan, state accessModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	f, ok := r.fetch(&plan, tfkit.ResponseToUpdate(resp), tfkit.PriorKept)
	if !ok {
		return
	}
	defer f.close()

	f.limit = tfkit.UpdateTimeout(ctx, plan.Timeouts, defaultTimeout)
	f.target.Replace = f.target.Replace || !state.SHA256.IsNull() // the object's own file
	f.Submission = readSubmission(ctx, req.Private, state.requestModel)
	continues := plan.Fulfilled.IsUnknown()
	plan.keepComputed(state.requestModel)
	plan.keepFile(state)

	if plan.submits(state.requestModel, f.Submission) {
		f.submitAnother(ctx, req)
		return
	}

	f.Save(ctx, &plan, f.Submission)
	if continues && !plan.Fulfilled.ValueBool() {
		f.await(ctx)
		f.finish(ctx)
	}
}

// submitAnother is Update for changed triggers.
func (f *fetch) submitAnother(ctx context.Context, req resource.UpdateRequest) {
	before, file := f.Submission, f.model.SHA256
	ok := f.submit(ctx, readUnanswered(ctx, req.Private))
	f.writeUnanswered(ctx)
	if ok && f.model.Fulfilled.ValueBool() && f.model.SHA256.Equal(file) {
		warnSameData(f.Diags)
	}
	if !ok || f.model.Fulfilled.ValueBool() {
		return
	}

	f.await(ctx)
	if f.Submission.State == deferred.Failed {
		f.Restore(ctx, req.State, before)
		tfkit.AddError(f.Diags, f.rejection(), tfkit.PriorKept)
		return
	}

	f.finish(ctx)
}

// Delete forgets the request, and leaves the file to another object of the run.
func (r *dataAccessRequestResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state accessModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.Files.Leave(ctx, state.OutputPath.ValueString(), state.SHA256.ValueString())
	state.warnNotUndone(&resp.Diagnostics)
}
