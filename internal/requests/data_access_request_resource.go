// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/outfile"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/run"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ resource.ResourceWithConfigure  = (*dataAccessRequestResource)(nil)
	_ resource.ResourceWithModifyPlan = (*dataAccessRequestResource)(nil)
)

const accessType = "analytics_data_access_request"

// NewDataAccessRequestResource returns the resource analytics_data_access_request.
func NewDataAccessRequestResource() resource.Resource { return &dataAccessRequestResource{} }

type dataAccessRequestResource struct{ tfkit.Resource }

// accessModel is the model of analytics_data_access_request: a request, and the file
// that its data is written to.
type accessModel struct {
	requestModel
	OutputPath types.String `tfsdk:"output_path"`
	SHA256     types.String `tfsdk:"sha256"`
	Bytes      types.Int64  `tfsdk:"bytes"`
	Overwrite  types.Bool   `tfsdk:"overwrite"`
}

// access is how messages speak of a data access request for which an object stands.
var access = run.Messages{
	Name: "data access request", InState: run.NotFulfilled,
	Advice: run.Advice{
		Pending:  run.AdviceLater,
		Unproven: run.AdviceEachRefresh + adviceAtOnce,
		Over:     adviceTriggers,
		Void:     run.AdviceVoid,
	},
}

// adviceAtOnce applies to a request whose answer may have been the data.
const adviceAtOnce = " If the service answers with the data at once, set wire.all_data.at to a pointer to the data."

func (r *dataAccessRequestResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = accessType
}

func (r *dataAccessRequestResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = requestSchema(descriptions{
		resource: "Requests all data that the service holds of one person and writes them to a file, and nowhere else.",
		request:  access.Name,
		triggers: "Arbitrary values. Changing them requests and writes the data again, in place.",
		wait:     "Whether to wait for the data. If `false`, an apply after the request was carried out writes the file.",
	}, map[string]schema.Attribute{
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
}

// ModifyPlan keeps the computed attributes of an object in state, unless an apply has
// something to submit, to wait for or to fetch.
func (r *dataAccessRequestResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	isMoved, isNew := r.PlanKeptScope(ctx, req, resp), req.State.Raw.IsNull()
	var state, plan accessModel
	if !isNew {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if req.Plan.Raw.IsNull() {
		state.warnDestroyed(&resp.Diagnostics)
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
	if isNew || len(resp.RequiresReplace) > 0 || !plan.IdentityID.Equal(state.IdentityID) {
		r.RefuseReadOnly(&resp.Diagnostics)
		return // Terraform plans again, without a state
	}

	known := run.Read(ctx, req.Private)
	plan.SHA256, plan.Bytes = state.SHA256, state.Bytes
	next := plan.plan(&state.requestModel, known, access.Name, &resp.Diagnostics)
	if next == submits {
		r.RefuseReadOnly(&resp.Diagnostics)
	}
	if next != keeps || r.isReady(&state, known) {
		plan.planRequest() // even fetching can end in another request
		plan.SHA256, plan.Bytes = types.StringUnknown(), types.Int64Unknown()
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// isReady reports whether the request was carried out and an apply fetches its data. What was not
// recognised as the data is fetched again only with another setting: each call may queue another
// request.
func (r *dataAccessRequestResource) isReady(state *accessModel, known run.Document) bool {
	if known.Submission.State != deferred.Fulfilled || state.Fulfilled.ValueBool() {
		return false
	}
	return known.Asked < limitAsked || r.Client == nil || known.Unread != r.Client.AllData
}

// limitAsked is how often data are asked for with one setting, if the service queues another request
// each time.
const limitAsked = 5

// begin returns the run of an object.
func (r *dataAccessRequestResource) begin(ctx context.Context, m *accessModel, resp run.Response) (*fetch, bool) {
	c, scope, ok := r.ClientAndScope(m.Scope, resp.Diags)
	if !ok {
		return nil, false
	}

	o := run.OfObject(ctx, r.Service, resp)
	o.Messages, o.Waits = access, m.Wait.ValueBool()
	key, _ := m.idempotencyKey()
	o.Request = accessRequest(m.person(scope), key)
	mayReplace := m.Overwrite.ValueBool() || m.SHA256.ValueString() != "" // its own file
	target := outfile.Target{Path: m.OutputPath.ValueString(), Replace: mayReplace}

	return &fetch{Run: o, client: c, files: &r.Files, target: target, adviceUnread: adviceUnread}, true
}

func (r *dataAccessRequestResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan accessModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ResolveScope(&plan.Scope)
	f, ok := r.begin(ctx, &plan, run.Response{State: &resp.State, Private: resp.Private, Diags: &resp.Diagnostics})
	if !ok {
		return
	}
	defer f.close()

	f.Limit, _ = plan.Timeouts.Create(ctx, defaultTimeout)
	r.submit(ctx, f, &plan)
}

// Read looks at the request until it is known to be carried out, and from then on at the file. It
// submits and fetches nothing.
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
		if !state.isIntact(ctx, &resp.Diagnostics) && !resp.Diagnostics.HasError() {
			resp.State.RemoveResource(ctx)
		}
		return
	}

	f, ok := r.begin(ctx, &state, run.Response{State: &resp.State, Private: resp.Private, Diags: &resp.Diagnostics})
	if !ok {
		return
	}
	state.recall(&f.Document)
	if f.Refresh(ctx) {
		f.Warn()
		f.warnUnread()
		r.save(ctx, f, &state, nil)
	}
}

// Update submits another request if triggers have changed, and otherwise goes on with the
// accepted one. If another request fails, the object stays as it was.
func (r *dataAccessRequestResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan, state accessModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	waits := plan.Fulfilled.IsUnknown()
	plan.keepComputed(&state.requestModel)
	plan.SHA256, plan.Bytes = state.SHA256, state.Bytes
	f, ok := r.begin(ctx, &plan, run.Response{State: &resp.State, Private: resp.Private, Diags: &resp.Diagnostics})
	if !ok {
		return
	}
	defer f.close()

	f.Limit, _ = plan.Timeouts.Update(ctx, defaultTimeout)
	switch {
	case plan.isToSubmit(&state.requestModel, f.Submission):
		r.submit(ctx, f, &plan)
	case waits && !plan.Fulfilled.ValueBool():
		r.finish(ctx, f, &plan)
	default:
		f.Save(ctx, &plan)
	}
}

// Delete forgets the request, which nothing calls back, and leaves the file. The plan has warned.
func (r *dataAccessRequestResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// submit submits the request of an object. The data that the service may answer with at once
// prove nothing if they are in the file already: it may go on giving what it prepared for the
// request of before.
func (r *dataAccessRequestResource) submit(ctx context.Context, f *fetch, m *accessModel) {
	f.Unread, f.Asked = "", 0
	written, err := f.deliver(ctx)
	if err != nil {
		if f.KeepsUnknown(ctx, err) {
			r.save(ctx, f, m, nil)
		} else {
			f.Fail(ctx, f.problemOf(err))
		}
		return
	}

	f.WarnTakenOver()

	switch {
	case written == nil:
		r.finish(ctx, f, m)
	case written.SHA256 != m.SHA256.ValueString():
		r.save(ctx, f, m, written)
	default:
		f.Submission.State, f.Submission.Dropped = deferred.Failed, true
		tfkit.Problem{
			Summary: "The service gave the same data as before",
			Detail:  "The triggers have changed, and the service answered at once with exactly the data that was in the file. It may still be handing out what it prepared for the earlier request; only its operator knows for how long. So nothing shows that the new request was carried out.",
			InState: access.InState + " and the same data",
			Do:      adviceTriggers,
		}.AddWarning(f.Diags)
		r.save(ctx, f, m, nil)
	}
}

// finish saves the object before it waits for the request, so that an accepted request is never
// forgotten, and fetches the data if it is carried out. What prevents that is a warning, because the
// request is accepted and has to stay in state.
func (r *dataAccessRequestResource) finish(ctx context.Context, f *fetch, m *accessModel) {
	r.save(ctx, f, m, nil)
	if failed := f.Await(ctx); failed != nil {
		f.Fail(ctx, *failed)
		return
	}

	f.Warn()
	r.save(ctx, f, m, nil)
	if f.Submission.State != deferred.Fulfilled {
		return
	}

	written, problem := f.fetchReady(ctx)
	if problem != nil {
		problem.InState = f.InState
		problem.AddWarning(f.Diags)
	}
	r.save(ctx, f, m, written)
}

// save saves an object, whose data were written now unless written is nil. Without data, fulfilled is false
// even if the service has carried the request out.
func (r *dataAccessRequestResource) save(ctx context.Context, f *fetch, m *accessModel, written *outfile.File) {
	m.withSubmission(f.Submission)
	m.Fulfilled, m.FulfilledAt = types.BoolValue(false), types.StringNull()

	switch {
	case written != nil:
		m.SHA256, m.Bytes = types.StringValue(written.SHA256), types.Int64Value(written.Bytes)
		m.Fulfilled, m.FulfilledAt = types.BoolValue(true), types.StringValue(client.FormatInstant(time.Now()))
	case m.SHA256.IsUnknown(): // known values describe a file that is still there
		m.SHA256, m.Bytes = types.StringNull(), types.Int64Null()
	}
	f.Save(ctx, m)
}

// warnDestroyed warns that destroying the object leaves the file or the request.
func (m *accessModel) warnDestroyed(diags *diag.Diagnostics) {
	if !m.Fulfilled.ValueBool() {
		m.warnForgotten(access.Name, diags)
		return
	}

	tfkit.Problem{
		Summary: "The file with the data stays",
		Detail:  "Destroying this resource only removes it from state. The file at output_path holds all data of a person and stays where it is; delete it yourself when it is no longer needed.",
	}.AddWarning(diags)
}
