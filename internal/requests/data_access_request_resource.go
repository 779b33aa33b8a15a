package requests

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
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
	attributes := requestAttributes("data access request",
		"Any values; when they change, the data are requested and written again, in place.",
		"Whether to wait until the data are there, and to write them in the same run. With `false`, the apply after the refresh that finds the request carried out writes them.",
		map[string]schema.Attribute{
			"output_path": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Path of the file that the data are written to, as JSON; a relative one begins where Terraform runs. The folder has to exist. " +
					"The file gets mode 0600 and appears as a whole or not at all; a file that is there already and that this object did not write is refused before anything is asked for, unless `overwrite` is set; so are folders, symbolic links and devices, and a path that another object of the run has. A change replaces the object and leaves the old file.",
				Validators:    []validator.String{stringvalidator.LengthAtLeast(1)},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"overwrite": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether a file at `output_path` that this object did not write, or that was altered since, may be replaced. It does not allow two objects with one path. Defaults to `false`.",
			},
			"sha256": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "SHA-256 of the file, in hexadecimal. Null while nothing is written.",
			},
			"bytes": schema.Int64Attribute{
				Computed:            true,
				MarkdownDescription: "Size of the file in bytes. Null while nothing is written.",
			},
		})

	resp.Schema = schema.Schema{
		MarkdownDescription: "Asks for all data that the service holds of one person, and writes them to a file: for a person's right of access. The data are in that file only, never in plan, state, logs or messages.\n\n" +
			"The service accepts the request and carries it out later. A request of the person that is pending already is taken over instead of sending another, with a warning. " +
			"That the same call gives the data once the request is carried out is an assumption: the service documents no other way. An answer that only acknowledges the request, or that comes while a request of the person is pending, is never taken for the data. Where the service accepts another request instead, that one is waited for in a later run.\n\n" +
			"A file that is lost or altered plans a new request, as every refresh compares it with `sha256`, and an altered one is not replaced unless `overwrite` is set; so state and file belong on the same machine. An object that is replaced asks anew. " +
			"Destroying the object makes Terraform forget the request and leaves the file where it is, with a warning. There is no import: a request is an action, and nothing at the service lasts that could be read.",
		Blocks:     requestBlocks(),
		Attributes: tfkit.AddPendingList(tfkit.AddKeptScope(attributes), deferred.ListComplete, deferred.ListPartial),
	}
}

// ModifyPlan plans nothing unless there is something to send, to wait for or to
// fetch.
func (r *dataAccessRequestResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	moved := r.PlanKeptScope(ctx, req, resp)
	if req.State.Raw.IsNull() {
		return
	}

	var state, plan accessModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if req.Plan.Raw.IsNull() {
		state.warnKept(&resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(resp.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if moved == tfkit.ScopeMoved && !state.Fulfilled.ValueBool() {
		tfkit.RefuseMoved(&resp.Diagnostics, string(access))
		return
	}
	if len(resp.RequiresReplace) > 0 || !plan.IdentityID.Equal(state.IdentityID) || !plan.OutputPath.Equal(state.OutputPath) {
		return // planned again, as an object to create
	}

	if plan.planChange(state.requestModel, submissionIn(ctx, req.Private, state.requestModel)) == changeNothing {
		plan.keepFile(state)
	} else {
		plan.planSubmission() // fetching can end in another request
		plan.planFile()
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
	f, ok := r.fetch(&plan, tfkit.NothingSaved, &resp.Diagnostics)
	defer f.close()
	if !ok || !f.submit(ctx, deferred.Submission{}) {
		return
	}

	// Saved before waiting: an accepted request is never forgotten.
	save := func() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		resp.Diagnostics.Append(tfkit.WriteSubmission(ctx, resp.Private, tfkit.KeySubmission, f.submission)...)
	}
	save()
	if !plan.waits() {
		return
	}

	f.await(ctx, tfkit.CreateTimeout(ctx, plan.Timeouts, defaultTimeout))
	if f.submission.State == deferred.Failed {
		resp.State.RemoveResource(ctx)
		tfkit.AddError(&resp.Diagnostics, f.request(nil).Rejection(f.submission, f.report), tfkit.NothingSaved)
		return
	}
	f.finish(ctx)
	save()
}

// Read looks after the file where it is written, and otherwise after the request. It
// fetches nothing: that could queue another request.
func (r *dataAccessRequestResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state accessModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ResolveScope(&state.Scope)
	if state.Fulfilled.ValueBool() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
		if !state.holdsFile(ctx, &resp.Diagnostics) && !resp.Diagnostics.HasError() {
			resp.State.RemoveResource(ctx)
		}
		return
	}

	f, ok := r.fetch(&state, tfkit.PriorKept, &resp.Diagnostics)
	if !ok {
		return
	}
	s, report, err := r.Deferred.Refresh(ctx, f.request(nil), submissionIn(ctx, req.Private, state.requestModel))
	if err != nil {
		tfkit.AddError(&resp.Diagnostics, err, tfkit.PriorKept)
		return
	}
	access.warnRefreshed(&resp.Diagnostics, s, report)

	state.fromAccepted(s)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(tfkit.WriteSubmission(ctx, resp.Private, tfkit.KeySubmission, s)...)
}

// Update requests the data again for changed triggers, goes on waiting, or fetches
// what is ready. Where another request fails, the object stays as it was.
func (r *dataAccessRequestResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan, state accessModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	f, ok := r.fetch(&plan, tfkit.PriorKept, &resp.Diagnostics)
	if !ok {
		return
	}

	defer f.close()
	f.written = !state.SHA256.IsNull()
	f.submission = submissionIn(ctx, req.Private, state.requestModel)
	another, continues := !plan.sameOccasion(state.requestModel), plan.Fulfilled.IsUnknown()
	plan.keepComputed(state.requestModel)
	plan.keepFile(state)
	save := func() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		resp.Diagnostics.Append(tfkit.WriteSubmission(ctx, resp.Private, tfkit.KeySubmission, f.submission)...)
	}

	if another {
		prior, _ := tfkit.ReadSubmission(ctx, req.Private, tfkit.KeyUnanswered)
		ok := f.submit(ctx, prior)
		resp.Diagnostics.Append(tfkit.WriteSubmission(ctx, resp.Private, tfkit.KeyUnanswered, f.unanswered)...)
		if !ok {
			return
		}
	}
	save()
	if !continues || plan.Fulfilled.ValueBool() {
		return
	}

	if plan.Wait.ValueBool() && f.submission.State.IsOpen() {
		f.await(ctx, tfkit.UpdateTimeout(ctx, plan.Timeouts, defaultTimeout))
	}
	if f.submission.State == deferred.Failed && another {
		resp.State.Raw = req.State.Raw
		tfkit.AddError(&resp.Diagnostics, f.request(nil).Rejection(f.submission, f.report), tfkit.PriorKept)
		return
	}
	f.finish(ctx)
	save()
}

func (r *dataAccessRequestResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state accessModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.Files.Leave(ctx, state.OutputPath.ValueString(), state.SHA256.ValueString())
	state.warnKept(&resp.Diagnostics)
}
