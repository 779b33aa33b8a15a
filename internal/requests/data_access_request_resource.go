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
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
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
			request:  access.Name,
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
		Attributes:          tfkit.AddScope(attributes),
	}
}

// access is how messages speak of a data access request for which an object stands.
var access = tfkit.Messages{Name: "data access request", InState: tfkit.NotFulfilled, Advice: adviceAccess}

var adviceAccess = tfkit.RequestAdvice{
	Pending:  tfkit.AdviceLater,
	Unproven: tfkit.AdviceEachRefresh + " If the service answers with the data at once, name a member that the data has at its top in wire.all_data_member.",
	Over:     adviceTriggers,
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

	var state, plan accessModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if req.Plan.Raw.IsNull() {
		state.warnNotUndone(&resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(resp.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if isMoved && !state.Fulfilled.ValueBool() {
		tfkit.RefuseMoved(&resp.Diagnostics, access.Name)
		return
	}
	if len(resp.RequiresReplace) > 0 || !plan.IdentityID.Equal(state.IdentityID) || !plan.OutputPath.Equal(state.OutputPath) {
		return // Terraform plans again, without a state
	}

	s := tfkit.ReadSubmission(ctx, req.Private, tfkit.KeySubmission)
	if plan.submits(state.requestModel, s) {
		r.RefuseReadOnly(&resp.Diagnostics)
		plan.warnUnanswered(ctx, req.Private, access.Name, &resp.Diagnostics)
	}

	plan.SHA256, plan.Bytes = state.SHA256, state.Bytes
	if plan.planComputed(state.requestModel, s) {
		plan.RequestID, plan.RequestedAt = types.StringUnknown(), types.StringUnknown() // even fetching can end in another request
		plan.SHA256, plan.Bytes = types.StringUnknown(), types.Int64Unknown()
	}
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
	run := r.Run(ctx, &resp.State, resp.Private, &resp.Diagnostics)
	run.Limit, _ = plan.Timeouts.Create(ctx, defaultTimeout)
	f, ok := r.fetch(&plan, run)
	if !ok {
		return
	}
	defer f.close()

	f.submit(ctx, &plan)
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

	f, ok := r.fetch(&state, r.Run(ctx, &resp.State, resp.Private, &resp.Diagnostics))
	if !ok || !f.Refresh(ctx) {
		return
	}

	f.Warn()
	state.fromAccepted(f.Submission)
	f.Save(ctx, &state)
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

	run := r.Run(ctx, &resp.State, resp.Private, &resp.Diagnostics)
	run.Limit, _ = plan.Timeouts.Update(ctx, defaultTimeout)
	f, ok := r.fetch(&plan, run)
	if !ok {
		return
	}
	defer f.close()

	f.target.Replace = f.target.Replace || !state.SHA256.IsNull() // the object's own file
	continues := plan.Fulfilled.IsUnknown()
	plan.keepComputed(state.requestModel)
	plan.SHA256, plan.Bytes = state.SHA256, state.Bytes

	if plan.submits(state.requestModel, f.Submission) {
		f.submit(ctx, &plan)
		return
	}

	f.Save(ctx, &plan)
	if continues && !plan.Fulfilled.ValueBool() {
		f.finish(ctx, &plan)
	}
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

// fetch completes the run of an object.
func (r *dataAccessRequestResource) fetch(m *accessModel, run tfkit.Run) (*fetch, bool) {
	c, scope, ok := r.ClientAndScope(m.Scope, run.Diags)
	if !ok {
		return nil, false
	}

	f := &fetch{Run: run, files: &r.Files, target: outfile.Target{Path: m.OutputPath.ValueString(), Replace: m.Overwrite.ValueBool()}}
	f.Messages, f.Waits = access, m.Wait.ValueBool()
	f.about(c, scope, m.IdentityID.ValueString(), m.occasion())

	return f, true
}

// submit submits the request of an object. The data that the service may answer with at once
// prove nothing if they are in the file already: it may go on giving what it prepared for the
// request of before.
func (f *fetch) submit(ctx context.Context, m *accessModel) {
	written, err := f.deliver(ctx)
	if err != nil {
		if f.KeepsUnknown(ctx, err) {
			m.fromAccepted(f.Submission)
			f.Save(ctx, m)
			return
		}
		f.Fail(ctx, f.problemOf(err))
		return
	}
	warnTakenOver(&f.Run)

	if written != nil && written.SHA256 != m.SHA256.ValueString() {
		m.fromFile(f.Submission, written)
		f.Save(ctx, m)
		return
	}
	if written != nil {
		f.Submission.State = deferred.Dropped
		tfkit.Problem{
			Summary: "The service gave the same data as before",
			Detail:  "The triggers have changed, and the service answered at once with exactly the data that was in the file. It may still be handing out what it prepared for the earlier request; only its operator knows for how long. So nothing shows that the new request was carried out.",
			InState: access.InState + " and the same data",
			Do:      adviceTriggers,
		}.AddWarning(f.Diags)
	}

	m.fromAccepted(f.Submission)
	f.Save(ctx, m)
	if written == nil {
		f.finish(ctx, m)
	}
}

// finish waits for the request, fetches the data if it is carried out, and saves the object.
// What prevents that is a warning, because the request is accepted and has to stay in state.
func (f *fetch) finish(ctx context.Context, m *accessModel) {
	if err := f.Await(ctx); err != nil {
		f.Fail(ctx, f.ProblemOf(err))
		return
	}

	m.fromAccepted(f.Submission)
	if f.Submission.State != deferred.Fulfilled {
		f.Warn()
		f.Save(ctx, m)
		return
	}

	written, problem := f.fetchReady(ctx)
	m.fromAccepted(f.Submission)
	if problem != nil {
		problem.InState = f.InState
		problem.AddWarning(f.Diags)
	} else {
		m.fromFile(f.Submission, written)
	}
	f.Save(ctx, m)
}

// warnNotUndone warns that destroying the object leaves the file or the request.
func (m *accessModel) warnNotUndone(diags *diag.Diagnostics) {
	if m.Fulfilled.ValueBool() {
		tfkit.Problem{
			Summary: "The file with the data stays",
			Detail:  "Destroying this resource only removes it from state. The file at output_path holds all data of a person and stays where it is; delete it yourself when it is no longer needed.",
		}.AddWarning(diags)
		return
	}

	m.warnForgotten(access.Name, diags)
}
