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
	"github.com/terraform-analytics/terraform-provider-analytics/internal/customtypes"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ resource.ResourceWithConfigure   = (*profileResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*profileResource)(nil)
	_ resource.ResourceWithImportState = (*profileResource)(nil)
)

const profileType = "analytics_profile"

// What on_destroy accepts.
const (
	retain     = "retain"
	clearNames = "clear"
)

// NewResource returns the resource analytics_profile.
func NewResource() resource.Resource { return &profileResource{} }

type profileResource struct{ tfkit.Resource }

func (r *profileResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = profileType
}

func (r *profileResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Members of one person's profile record, as code. Only the top-level members that are configured are managed: others at the service are neither read into state nor changed. " +
			"An update carries only the members that differ, and is deferred by the service, usually for less than 60 seconds; the provider waits for it.\n\n" +
			"Destroying the object leaves the profile as it is, with a warning, unless `on_destroy` is `clear`.",
		Attributes: tfkit.AddPendingList(tfkit.AddKeptScope(map[string]schema.Attribute{
			"identity_id": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: tfkit.IdentityDescription + " A change replaces the object.",
				Validators:          []validator.String{tfkit.Segment()},
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"profile": schema.StringAttribute{
				Optional:   true,
				Sensitive:  true,
				CustomType: customtypes.JSONObjectType{},
				Validators: []validator.String{stringvalidator.ExactlyOneOf(path.MatchRoot("profile"), path.MatchRoot("profile_wo"))},
				MarkdownDescription: "Members to manage, as the text of a JSON object, for example from `jsonencode`. Numbers are sent and compared exactly; those beyond a 64-bit float, such as `1e400`, are refused. " +
					"A member that is taken out of the configuration is no longer managed and stays as it is at the service; set it to `null` to clear it. The values are in plan and state, and sensitive; `profile_wo` keeps them out. Exactly one of `profile` and `profile_wo` is needed.",
			},
			"profile_wo": schema.StringAttribute{
				Optional:            true,
				Sensitive:           true,
				WriteOnly:           true,
				CustomType:          customtypes.JSONObjectType{},
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
		}), deferred.ListComplete, deferred.ListPartial, deferred.ListIgnored),
		Blocks: map[string]schema.Block{"timeouts": tfkit.TimeoutsBlock(defaultTimeout)},
	}
}

// ModifyPlan keeps the plan quiet where only spelling differs, says what is no
// longer managed, and knows whether anything has to be waited for.
func (r *profileResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	moved := r.PlanKeptScope(ctx, req, resp)
	if req.State.Raw.IsNull() {
		return
	}

	var state, plan resourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if req.Plan.Raw.IsNull() {
		state.warnRetained(&resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(resp.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if moved == tfkit.ScopeMoved && !state.Fulfilled.ValueBool() {
		tfkit.RefuseMoved(&resp.Diagnostics, "update of the profile")
		return
	}
	if len(resp.RequiresReplace) > 0 || !plan.IdentityID.Equal(state.IdentityID) {
		return
	}
	if plan.Profile.SemanticEquals(state.Profile) {
		plan.Profile = state.Profile
	}
	if names := plan.dropped(state); len(names) > 0 {
		resp.Diagnostics.AddWarning("Members that are no longer managed",
			"The configuration does not name these members of the profile any more, so they stay at the service as they are: "+strings.Join(names, ", ")+".\n\nTo clear a member, set it to null.")
	}
	switch {
	case plan.mayChange(state), plan.resumes(ctx, req.Private):
		plan.Fulfilled = types.BoolUnknown()
	default:
		plan.Fulfilled = state.Fulfilled
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

func (r *profileResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var config, plan resourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.ResolveScope(&plan.Scope)
	u, ok := r.begin(plan, nil, config, &resp.Diagnostics)
	if !ok {
		return
	}

	u.save = func() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &u.plan)...)
		resp.Diagnostics.Append(u.writePrivate(ctx, resp.Private)...)
	}
	if len(u.changes) == 0 { // there is nothing to send
		u.plan.Fulfilled = types.BoolValue(true)
		u.save()
		return
	}

	if !u.send(ctx, tfkit.NothingSaved) {
		return
	}
	if !u.await(ctx, tfkit.CreateTimeout(ctx, plan.Timeouts, defaultTimeout), tfkit.NothingSaved) {
		resp.State.RemoveResource(ctx)
	}
}

func (r *profileResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state resourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	r.ResolveScope(&state.Scope)
	c, scope, ok := r.ClientAndScope(state.Scope, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !ok {
		return
	}

	s, submitted := tfkit.ReadSubmission(ctx, req.Private, tfkit.KeySubmission)
	if submitted && !state.Fulfilled.ValueBool() {
		s, gone := refresh(ctx, r.Service, scope, &state, s, &resp.Diagnostics)
		if gone {
			warnRemoved(&resp.Diagnostics)
			resp.State.RemoveResource(ctx)
			return
		}
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
		resp.Diagnostics.Append(tfkit.WriteSubmission(ctx, resp.Private, tfkit.KeySubmission, s)...)
		return
	}

	held, err := c.GetProfile(ctx, scope, state.IdentityID.ValueString())
	if client.IsClass(err, client.ClassNotFound) && !state.managesNothing() {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil && !client.IsClass(err, client.ClassNotFound) {
		tfkit.AddError(&resp.Diagnostics, err, tfkit.PriorKept)
		return
	}

	if state.isImported() {
		state.adopt(held)
	} else {
		state.show(held.Members)
		state.Fulfilled = types.BoolValue(true) // no update is under way
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

func (r *profileResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var config, plan, state resourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	u, ok := r.begin(plan, &state, config, &resp.Diagnostics)
	if !ok {
		return
	}

	u.submission, _ = tfkit.ReadSubmission(ctx, req.Private, tfkit.KeySubmission)
	u.save = func() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &u.plan)...)
		resp.Diagnostics.Append(u.writePrivate(ctx, resp.Private)...)
	}
	if len(u.changes) == 0 && !u.goesOnWaiting() {
		u.plan.Fulfilled = state.Fulfilled
		u.save()
		return
	}

	if len(u.changes) > 0 && !u.send(ctx, tfkit.PriorKept) {
		return
	}
	if !u.await(ctx, tfkit.UpdateTimeout(ctx, plan.Timeouts, defaultTimeout), tfkit.PriorKept) {
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
}

func (r *profileResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state resourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	names := append(namesOf(state.managed()), readNames(ctx, req.Private)...)
	if state.OnDestroy.ValueString() != clearNames || len(names) == 0 {
		state.warnRetained(&resp.Diagnostics)
		return
	}

	c, scope, ok := r.ClientAndScope(state.Scope, &resp.Diagnostics)
	if !ok {
		return
	}
	nulls := cleared(names)
	request := profileUpdate(c, scope, state, nulls, nulls)
	me := r.WrittenProfiles.Object(profileType, "")
	request.Superseded = func() bool {
		_, superseded := r.WrittenProfiles.Withdraw(me, scope, request.Identity)
		return superseded
	}

	_, report, err := r.Deferred.Submit(ctx, request, deferred.Submission{})
	if client.IsClass(err, client.ClassNotFound) {
		return // a person who is gone has nothing to clear
	}
	if err != nil {
		tfkit.AddError(&resp.Diagnostics, err, tfkit.PriorKept)
	}
	if report.Superseded {
		warnNotCleared(&resp.Diagnostics)
	}
}

func (r *profileResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)
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
	m.Profile = customtypes.NewJSONObject(held.Members)
	m.Fulfilled = types.BoolValue(true)
}

func warnRemoved(diags *diag.Diagnostics) {
	diags.AddWarning("The profile was removed while its update was pending",
		"The service has no profile of this person any more, and the update that it had accepted came to nothing.\n\n"+
			"In state now: nothing of this object.\nWhat to do: run plan; it creates the profile again. Where the person's data was deleted on purpose, take the object out of the configuration.")
}

func warnNotCleared(diags *diag.Diagnostics) {
	diags.AddWarning("The profile was not cleared",
		"Another object of this run has written the profile of the same person, so on_destroy = \"clear\" would have taken back what it wrote: a renamed key of for_each, or a renamed resource.\n\n"+
			"In state now: the other object. Nothing was sent for this one.\nWhat to do: next time, write a moved block from the old address to the new one.")
}
