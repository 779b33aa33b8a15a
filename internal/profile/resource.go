package profile

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ resource.ResourceWithConfigure   = (*profileResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*profileResource)(nil)
	_ resource.ResourceWithImportState = (*profileResource)(nil)
)

// What on_destroy accepts.
const (
	retain     = "retain"
	clearNames = "clear"
)

// NewResource is the resource analytics_profile.
func NewResource() resource.Resource { return &profileResource{} }

type profileResource struct{ tfkit.Resource }

func (r *profileResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_profile"
}

func (r *profileResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Members of one person's profile record, as code. Only the top-level members that are configured are managed: others at the service are neither read into state nor changed. " +
			"An update carries only the members that differ, and is deferred by the service, usually for less than 60 seconds; the provider waits for it.\n\n" +
			"Destroying the object leaves the profile as it is, with a warning, unless `on_destroy` is `clear`.",
		Attributes: tfkit.AddScope(map[string]schema.Attribute{
			"identity_id": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: tfkit.IdentityDescription + " A change replaces the object.",
				Validators:          []validator.String{tfkit.Segment()},
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"profile": schema.StringAttribute{
				Optional:   true,
				Sensitive:  true,
				CustomType: tfkit.JSONObjectType{},
				Validators: []validator.String{stringvalidator.ExactlyOneOf(path.MatchRoot("profile"), path.MatchRoot("profile_wo"))},
				MarkdownDescription: "Members to manage, as the text of a JSON object, for example from `jsonencode`. Numbers are sent and compared exactly; those beyond a 64-bit float, such as `1e400`, are refused. " +
					"A member that is taken out of the configuration is no longer managed and stays as it is at the service; set it to `null` to clear it. The values are in plan and state, and sensitive; `profile_wo` keeps them out. Exactly one of `profile` and `profile_wo` is needed.",
			},
			"profile_wo": schema.StringAttribute{
				Optional:            true,
				Sensitive:           true,
				WriteOnly:           true,
				CustomType:          tfkit.JSONObjectType{},
				Validators:          []validator.String{stringvalidator.AlsoRequires(path.MatchRoot("profile_wo_version"))},
				MarkdownDescription: "The same as `profile`, kept out of plan and state; needs Terraform 1.11 or newer. Drift of its values is not noticed: all members are sent again when `profile_wo_version` changes.",
			},
			"profile_wo_version": schema.Int64Attribute{
				Optional:            true,
				Validators:          []validator.Int64{int64validator.AlsoRequires(path.MatchRoot("profile_wo"))},
				MarkdownDescription: "A number of your own; a change of it sends `profile_wo` again.",
			},
			"wait_for_fulfilment": schema.BoolAttribute{
				Optional:            true,
				Computed:            true,
				Default:             booldefault.StaticBool(true),
				MarkdownDescription: "Whether to wait until the service has fulfilled an update. Defaults to `true`; with `false` a later refresh notices the fulfilment.",
			},
			"fulfilled": schema.BoolAttribute{
				Computed:            true,
				MarkdownDescription: "Whether the service has fulfilled the latest update.",
			},
			"on_destroy": schema.StringAttribute{
				Optional:   true,
				Computed:   true,
				Default:    stringdefault.StaticString(retain),
				Validators: []validator.String{stringvalidator.OneOf(retain, clearNames)},
				MarkdownDescription: "What destroying the object does at the service: `retain` (default) leaves the profile as it is and warns, `clear` sets the managed members to `null`. " +
					"To delete all data of a person, use `analytics_data_deletion`.",
			},
		}),
		Blocks: map[string]schema.Block{"timeouts": tfkit.TimeoutsBlock(defaultWait)},
	}
}

// ModifyPlan keeps the plan quiet where only spelling differs, says what is no
// longer managed, and knows whether anything has to be waited for.
func (r *profileResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	if req.State.Raw.IsNull() {
		return
	}
	var state, plan resourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if req.Plan.Raw.IsNull() {
		state.warnRetained(&resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.PlanScope(plan.Scope, state.Scope, resp)
	if len(resp.RequiresReplace) > 0 || !plan.IdentityID.Equal(state.IdentityID) {
		return
	}
	if plan.Profile.Means(state.Profile) {
		plan.Profile = state.Profile
	}
	if names := plan.dropped(state); len(names) > 0 {
		resp.Diagnostics.AddWarning("Members that are no longer managed",
			"The configuration does not name these members of the profile any more, so they stay at the service as they are: "+strings.Join(names, ", ")+".\n\nTo clear a member, set it to null.")
	}
	switch {
	case plan.mayChange(state), plan.WaitForFulfilment.ValueBool() && tfkit.ReadRequestNote(ctx, req.Private).Waiting:
		plan.Fulfilled = types.BoolUnknown()
	default:
		plan.Fulfilled = state.Fulfilled
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

func (r *profileResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	var config, plan resourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	u := r.begin(plan, nil, config, &resp.Diagnostics)
	if u == nil {
		return
	}
	u.note.Uncertain = true // an earlier create may have failed after the service accepted it
	if !u.send(ctx, tfkit.NothingSaved) {
		return
	}
	u.save = func(m resourceModel, note tfkit.RequestNote) {
		resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
		resp.Diagnostics.Append(note.Write(ctx, resp.Private)...)
	}
	if !u.await(ctx, tfkit.CreateTimeout(ctx, plan.Timeouts, defaultWait), tfkit.NothingSaved) {
		resp.State.RemoveResource(ctx)
	}
}

func (r *profileResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	var state resourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	c, scope, ok := r.Reach(state.Scope, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !ok {
		return
	}
	note := tfkit.ReadRequestNote(ctx, req.Private)
	held, err := c.GetProfile(ctx, scope, state.IdentityID.ValueString())
	switch missing := client.IsKind(err, client.KindNotFound); {
	case missing && (state.isImported() || state.Fulfilled.ValueBool()):
		resp.State.RemoveResource(ctx)
		return
	case err != nil && !missing:
		tfkit.AddError(&resp.Diagnostics, err, tfkit.PriorKept)
		return
	}
	switch {
	case state.isImported():
		state.adopt(held)
	case state.Fulfilled.ValueBool():
		state.show(held.Members)
	default:
		resp.Diagnostics.Append(complete(ctx, c, scope, &state, held, &note)...)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(note.Write(ctx, resp.Private)...)
}

func (r *profileResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	var config, plan, state resourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	u := r.begin(plan, &state, config, &resp.Diagnostics)
	if u == nil {
		return
	}
	u.note = tfkit.ReadRequestNote(ctx, req.Private)
	u.save = func(m resourceModel, note tfkit.RequestNote) {
		resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
		resp.Diagnostics.Append(note.Write(ctx, resp.Private)...)
	}
	if len(u.changes) == 0 && !plan.Fulfilled.IsUnknown() {
		u.save(plan, u.note)
		return
	}
	if len(u.changes) > 0 && !u.send(ctx, tfkit.PriorKept) {
		u.save(state, u.note)
		return
	}
	if !u.await(ctx, tfkit.UpdateTimeout(ctx, plan.Timeouts, defaultWait), tfkit.PriorKept) {
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
}

func (r *profileResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	var state resourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	names := append(namesOf(state.managed()), tfkit.ReadRequestNote(ctx, req.Private).Names...)
	if state.OnDestroy.ValueString() != clearNames || len(names) == 0 {
		state.warnRetained(&resp.Diagnostics)
		return
	}
	c, scope, ok := r.Reach(state.Scope, &resp.Diagnostics)
	if !ok {
		return
	}
	_, err := c.UpdateProfile(ctx, scope, state.IdentityID.ValueString(), cleared(names))
	// Of a person who is gone there is nothing to clear.
	if err != nil && !client.IsKind(err, client.KindNotFound) {
		tfkit.AddError(&resp.Diagnostics, err, tfkit.PriorKept)
	}
}

func (r *profileResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	if !r.ImportIdentity(ctx, req, resp) {
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("wait_for_fulfilment"), true)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("on_destroy"), retain)...)
}

func (m *resourceModel) warnRetained(diags *diag.Diagnostics) {
	if m.OnDestroy.ValueString() == clearNames {
		return
	}
	diags.AddWarning("The profile stays at the service",
		"Destroying this object only makes Terraform forget it: on_destroy is \"retain\". To clear the managed members as well, apply on_destroy = \"clear\" first and destroy then; to delete all data of the person, use analytics_data_deletion.")
}

// adopt takes over everything that the service holds, as an import does.
func (m *resourceModel) adopt(held client.Profile) {
	m.Profile = tfkit.NewJSONObject(held.Members)
	m.Fulfilled = types.BoolValue(true)
}
