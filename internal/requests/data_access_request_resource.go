// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/run"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var _ resource.ResourceWithModifyPlan = (*dataAccessRequestResource)(nil)

// NewDataAccessRequestResource returns the resource analytics_data_access_request.
func NewDataAccessRequestResource(s *tfkit.Service) resource.Resource {
	return &dataAccessRequestResource{s}
}

type dataAccessRequestResource struct{ *tfkit.Service }

type accessModel struct {
	requestModel
	OutputPath types.String `tfsdk:"output_path"`
	Overwrite  types.Bool   `tfsdk:"overwrite"`
	SHA256     types.String `tfsdk:"sha256"`
	Bytes      types.Int64  `tfsdk:"bytes"`
}

var access = run.Messages{
	Name: "data access request", InState: run.NotFulfilled,
	Pending: run.AdviceLater, Unproven: adviceTriggers + adviceAtOnce, Over: adviceTriggers,
}

func (r *dataAccessRequestResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "analytics_data_access_request"
}

func (r *dataAccessRequestResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = requestSchema("Requests all data that the service holds of one person and writes them to a file, and nowhere else.", access.Name, map[string]schema.Attribute{
		"output_path": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: "Path of the JSON file for the data, in a directory that exists. Mode 0600. An apply after the request was carried out writes it. Changing the path replaces the resource and leaves the old file.",
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
}

func (r *dataAccessRequestResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state, plan accessModel
	switch (run.Plan{Service: r.Service, Name: access.Name, Req: req, Resp: resp}).Read(ctx, &state, &plan) {
	case run.Destroys:
		state.warnForgotten(access.Name, " A file at output_path holds all data of a person and stays where it is; delete it yourself when it is no longer needed.", &resp.Diagnostics)
	case run.Creates, run.Replaces:
		r.RefuseReadOnly(&resp.Diagnostics)
	case run.Updates:
		does := plan.plan(ctx, &state.requestModel, run.Read(ctx, req.Private), &resp.Diagnostics)
		plan.SHA256, plan.Bytes = state.SHA256, state.Bytes
		if does != keeps { // even fetching data can end in another request
			plan.SHA256, plan.Bytes = types.StringUnknown(), types.Int64Unknown()
		}
		if does == submits {
			r.RefuseReadOnly(&resp.Diagnostics)
		}
		resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
	}
}

func (r *dataAccessRequestResource) begin(ctx context.Context, m *accessModel, resp run.Response) (*fetch, bool) {
	o, ok := run.OfObject(ctx, r.Service, m.Identity, resp)
	o.Messages, o.Waits, o.Request.Type = access, m.Wait.ValueBool(), decode.RequestDataAccess
	o.Request.IdempotencyKey, _ = m.occasion(ctx)

	if ok && o.Unread != r.Client.AllData { // with another setting, an answer may be the data
		o.Unread, o.Asked = r.Client.AllData, 0
	}

	return &fetch{Run: o, client: r.Client}, ok
}

func (r *dataAccessRequestResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan accessModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	r.ResolveScope(&plan.Scope)
	if f, ok := r.begin(ctx, &plan, run.Response{State: &resp.State, Private: resp.Private, Diags: &resp.Diagnostics}); ok {
		f.Limit, _ = plan.Timeouts.Create(ctx, tfkit.DefaultTimeout)
		plan.SHA256, plan.Bytes = types.StringNull(), types.Int64Null()
		r.apply(ctx, f, &plan, submits)
	}
}

// Read looks at the request until it is known to be carried out, and from then on at the file. It
// submits and fetches nothing.
func (r *dataAccessRequestResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state accessModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	r.ReadScope(&state.Scope)
	if state.Fulfilled.ValueBool() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
		if state.isLost(ctx, &resp.Diagnostics) {
			resp.State.RemoveResource(ctx)
		}
		return
	}

	f, ok := r.begin(ctx, &state, run.Response{State: &resp.State, Private: resp.Private, Diags: &resp.Diagnostics})
	if !ok {
		return
	}
	state.recall(&f.Submission)
	if f.Refresh(ctx) {
		if f.Asked >= limitAsked {
			f.problemOfData().AddWarning(f.Diags)
		}
		state.save(ctx, f, nil)
	}
}

func (r *dataAccessRequestResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan, state accessModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if f, ok := r.begin(ctx, &plan, run.Response{State: &resp.State, Private: resp.Private, Diags: &resp.Diagnostics}); ok {
		f.Limit, _ = plan.Timeouts.Update(ctx, tfkit.DefaultTimeout)
		does := plan.next(ctx, &state.requestModel, run.Read(ctx, req.Private))          // as planned
		plan.outcome, plan.SHA256, plan.Bytes = state.outcome, state.SHA256, state.Bytes // of the file that is still there
		r.apply(ctx, f, &plan, does)
	}
}

// Delete forgets the request, which nothing calls back, and leaves the file. The plan has warned.
func (r *dataAccessRequestResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// apply reserves the file first: nothing is sent if the data cannot be written.
func (r *dataAccessRequestResource) apply(ctx context.Context, f *fetch, m *accessModel, does next) {
	if does == keeps {
		f.Save(ctx, m)
		return
	}

	mayReplace := m.Overwrite.ValueBool() || m.SHA256.ValueString() != "" // its own file
	output, err := r.Files.Reserve(outfile.Target{Path: m.OutputPath.ValueString(), Replace: mayReplace})
	if err != nil {
		f.Fail(ctx, problemOf(err, " Nothing was sent to the service."))
		return
	}
	f.output = output
	defer f.close()

	var written *outfile.File
	if does == submits {
		f.Asked = 0
		written, err = f.deliver(ctx)
	}
	if err != nil && !f.KeepsUnknown(ctx, err) {
		f.Fail(ctx, problemOf(err, ""))
		return
	}
	m.finish(ctx, f, written)
}

// finish saves the object before it waits, so that an accepted request is never forgotten, and fetches the data unless
// they were written at once. What prevents that is a warning, because the request has to stay in state.
func (m *accessModel) finish(ctx context.Context, f *fetch, written *outfile.File) {
	if written != nil && written.SHA256 == m.SHA256.ValueString() { // the service may have made them for the request before
		f.Submission.State, f.Submission.Dropped = proof.Failed, true
		written = nil
	}
	m.save(ctx, f, written)
	if written != nil || !f.Await(ctx) {
		return
	}

	written, problem := f.fetchReady(ctx)
	if problem != nil {
		problem.AddWarning(f.Diags)
	}
	m.save(ctx, f, written)
}

// save saves an object, whose data were written now unless written is nil. Without data, it is not fulfilled.
func (m *accessModel) save(ctx context.Context, f *fetch, written *outfile.File) {
	var fulfilledAt time.Time
	if written != nil {
		fulfilledAt = time.Now()
		m.SHA256, m.Bytes = types.StringValue(written.SHA256), types.Int64Value(written.Bytes)
	}
	m.outcome = outcomeOf(f.Submission, fulfilledAt)
	f.Save(ctx, m)
}

// isLost reports, after a warning, whether the file is not there as it was written, so that the plan requests the data
// again. It confirms one that is, and adds an error if the file cannot be read.
func (m *accessModel) isLost(ctx context.Context, diags *diag.Diagnostics) bool {
	at := m.OutputPath.ValueString()

	found, err := outfile.Read(ctx, at)
	isGone := errors.Is(err, fs.ErrNotExist) || errors.Is(err, outfile.ErrNotRegular)
	switch {
	case err == nil && found.SHA256 == m.SHA256.ValueString():
		outfile.Confirm(at)
		return false
	case err != nil && !isGone:
		p := problemOf(err, "")
		p.Summary, p.Do = "The file cannot be read", "make the file readable for the user that runs Terraform."
		p.AddError(diags)
		return false
	}

	tfkit.Problem{
		Summary: "The data is requested again",
		Detail:  "The file at output_path is gone, or is not what this resource wrote, so an apply requests the data again. A regular file there is replaced only with overwrite = true, or if a killed run has left it.",
		Do:      "nothing, if nothing is there; or put the file back, or move it away.",
		At:      path.Root("output_path"),
	}.AddWarning(diags)

	return true
}
