package requests

import (
	"context"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ resource.ResourceWithConfigure  = (*dataAccessRequestResource)(nil)
	_ resource.ResourceWithModifyPlan = (*dataAccessRequestResource)(nil)
)

// NewDataAccessRequestResource is the resource analytics_data_access_request.
func NewDataAccessRequestResource() resource.Resource { return &dataAccessRequestResource{} }

type dataAccessRequestResource struct{ tfkit.Resource }

var access = kind{operation: client.OperationDataAccess, noun: "data access request", call: "Get all data of a user", method: http.MethodGet}

func (r *dataAccessRequestResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_data_access_request"
}

func (r *dataAccessRequestResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Asks for all data that the service holds of one person, and writes them to a file: for a person's right of access. The data are in that file only, never in plan, state, logs or messages.\n\n" +
			"The service accepts the request and carries it out later. A request of the person that is pending already is taken over instead of sending another, with a warning. " +
			"That the same call gives the data once the request is carried out is an assumption: the service documents no other way. Where it accepts another request instead, that one is waited for in a later run.\n\n" +
			"A file that is lost or altered plans a new request, as every refresh compares it with `sha256`; so state and file belong on the same machine. An object that is replaced asks anew. " +
			"Destroying the object makes Terraform forget the request and leaves the file where it is, with a warning. There is no import: a request is an action, and nothing at the service lasts that could be read.",
		Blocks: ticketBlocks(),
		Attributes: ticketAttributes("data access request",
			"Any values; when they change, the data are requested and written again, in place.",
			"Whether to wait until the data are there, and to write them in the same run. With `false`, the apply after the refresh that finds the request carried out writes them.",
			map[string]schema.Attribute{
				"output_path": schema.StringAttribute{
					Required: true,
					MarkdownDescription: "Path of the file that the data are written to, as JSON; a relative one begins where Terraform runs. The folder has to exist. " +
						"The file gets mode 0600 and appears as a whole or not at all; a regular file that is there already is replaced, anything else, a symbolic link too, is refused before anything is asked for. Two objects with one path are refused when they write it. A change replaces the object and leaves the old file.",
					Validators:    []validator.String{stringvalidator.LengthAtLeast(1)},
					PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
				},
				"sha256": schema.StringAttribute{
					Computed:            true,
					MarkdownDescription: "SHA-256 of the file, in hexadecimal. Null while nothing is written.",
				},
				"bytes": schema.Int64Attribute{
					Computed:            true,
					MarkdownDescription: "Size of the file in bytes. Null while nothing is written.",
				},
			}),
	}
}

// ModifyPlan plans nothing unless there is something to send, to wait for or to
// fetch.
func (r *dataAccessRequestResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	if req.State.Raw.IsNull() {
		return
	}
	var state, plan accessModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if req.Plan.Raw.IsNull() {
		state.warnKept(&resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.PlanScope(plan.Scope, state.Scope, resp)
	if len(resp.RequiresReplace) > 0 || !plan.IdentityID.Equal(state.IdentityID) || !plan.OutputPath.Equal(state.OutputPath) {
		return // planned again, as an object to create
	}
	if plan.planChange(state.ticket, noteIn(ctx, req.Private)) == remembers {
		plan.keepFile(state)
	} else {
		plan.expect() // fetching can end in another request
		plan.expectFile()
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

func (r *dataAccessRequestResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	var plan accessModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	o, ok := plan.order(r.Service, access, &resp.Diagnostics)
	if !ok || !plan.request(ctx, o, tfkit.NothingSaved, &resp.Diagnostics) {
		return
	}
	// Saved before waiting: an accepted request is never forgotten.
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	if !plan.waits() {
		return
	}
	ending, n := o.await(ctx, tfkit.CreateTimeout(ctx, plan.Timeouts, presetTimeout), &resp.Diagnostics)
	switch ending {
	case client.Rejected:
		resp.State.RemoveResource(ctx)
		tfkit.AddError(&resp.Diagnostics, o.rejection(), tfkit.NothingSaved)
		return
	case client.Fulfilled:
		n = plan.collect(ctx, o, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(n.write(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// Read looks after the file where it is written, and otherwise after the request. It
// fetches nothing: that could queue another request.
func (r *dataAccessRequestResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	var state accessModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if state.Fulfilled.ValueBool() {
		if !state.holdsFile(ctx, &resp.Diagnostics) && !resp.Diagnostics.HasError() {
			resp.State.RemoveResource(ctx)
		}
		return
	}
	o, ok := state.order(r.Service, access, &resp.Diagnostics)
	if !ok {
		return
	}
	ending, n, ok := o.look(ctx, noteIn(ctx, req.Private), &resp.Diagnostics)
	if !ok {
		return
	}
	if ending == client.Fulfilled {
		n = ready
	}
	resp.Diagnostics.Append(n.write(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

func (r *dataAccessRequestResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	var plan, state accessModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	o, ok := plan.order(r.Service, access, &resp.Diagnostics)
	if !ok {
		return
	}
	goesOn, another := plan.Fulfilled.IsUnknown(), !plan.sameOccasion(state.ticket)
	n := noteIn(ctx, req.Private)
	plan.keep(state.ticket)
	plan.keepFile(state)
	if another {
		if !plan.request(ctx, o, tfkit.PriorKept, &resp.Diagnostics) {
			return
		}
		n = none
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	}
	if goesOn && !plan.Fulfilled.ValueBool() {
		var kept bool
		if n, kept = plan.finish(ctx, o, n, another, &resp.Diagnostics); !kept {
			resp.State.Raw = req.State.Raw
			return
		}
	}
	resp.Diagnostics.Append(n.write(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (r *dataAccessRequestResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	var state accessModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if !resp.Diagnostics.HasError() {
		state.warnKept(&resp.Diagnostics)
	}
}

// finish waits where that is wanted, and fetches. It reports false where another
// request failed and the object stays as it was.
func (m *accessModel) finish(ctx context.Context, o *order, n note, another bool, diags *diag.Diagnostics) (note, bool) {
	if n == ready {
		return m.collect(ctx, o, diags), true
	}
	if !m.waits() {
		return n, true
	}
	ending, n := o.await(ctx, tfkit.UpdateTimeout(ctx, m.Timeouts, presetTimeout), diags)
	switch {
	case ending == client.Rejected && another:
		tfkit.AddError(diags, o.rejection(), tfkit.PriorKept)
		return n, false
	case ending == client.Rejected:
		access.warnRejected(diags, o.ticket, o.code)
	case ending == client.Fulfilled:
		n = m.collect(ctx, o, diags)
	}
	return n, true
}
