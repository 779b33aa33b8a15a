// SPDX-License-Identifier: MPL-2.0

// Package profile implements the resource, the data source and the ephemeral resource
// analytics_profile. The resource manages the top-level members of a profile that are
// configured, and no others.
//
// An update of a profile is a deferred request: update.go sends it and waits for it in a
// Create or Update, and refresh.go looks at one that was not fulfilled then.
package profile

import (
	"context"

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

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/customtypes"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ resource.ResourceWithConfigure   = (*profileResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*profileResource)(nil)
	_ resource.ResourceWithIdentity    = (*profileResource)(nil)
	_ resource.ResourceWithMoveState   = (*profileResource)(nil)
	_ resource.ResourceWithImportState = (*profileResource)(nil)
)

const profileType = "analytics_profile"

// Values of on_destroy.
const (
	destroyRetains = "retain"
	destroyClears  = "clear"
)

// NewResource returns the resource analytics_profile.
func NewResource() resource.Resource { return &profileResource{} }

type profileResource struct{ tfkit.Resource }

func (r *profileResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = profileType
}

func (r *profileResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"identity_id": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: tfkit.IdentityDescription + " Changing it replaces the resource.",
			Validators:          []validator.String{tfkit.Segment()},
			PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
		},

		"profile": schema.StringAttribute{
			Optional:            true,
			Sensitive:           true,
			CustomType:          customtypes.JSONObjectType{},
			Validators:          []validator.String{customtypes.JSONObjectType{}.Validator(), stringvalidator.ExactlyOneOf(path.MatchRoot("profile"), path.MatchRoot("profile_wo"))},
			MarkdownDescription: "Members to manage, as a JSON object. A member that is removed is no longer managed; `null` clears it. Sensitive, but stored in state.",
		},
		"profile_wo": schema.StringAttribute{
			Optional:            true,
			Sensitive:           true,
			WriteOnly:           true,
			CustomType:          customtypes.JSONObjectType{},
			Validators:          []validator.String{customtypes.JSONObjectType{}.Validator(), stringvalidator.AlsoRequires(path.MatchRoot("profile_wo_version"))},
			MarkdownDescription: "Like `profile`, but never stored in plan or state. Sent only when its version changes. Requires Terraform 1.11 or later.",
		},
		"profile_wo_version": schema.Int64Attribute{
			Optional:            true,
			Validators:          []validator.Int64{int64validator.AlsoRequires(path.MatchRoot("profile_wo"))},
			MarkdownDescription: "Version of `profile_wo`, any number. Changing it sends all members again.",
		},

		"wait_for_fulfilment": schema.BoolAttribute{
			Optional:            true,
			Computed:            true,
			Default:             booldefault.StaticBool(true),
			MarkdownDescription: "Whether to wait until an update is carried out. If `false`, a later refresh sets `fulfilled`. Defaults to `true`.",
		},
		"fulfilled": schema.BoolAttribute{
			Computed:            true,
			MarkdownDescription: "Whether the latest update is known to be carried out.",
		},

		"on_destroy": schema.StringAttribute{
			Optional:            true,
			Computed:            true,
			Default:             stringdefault.StaticString(destroyRetains),
			Validators:          []validator.String{stringvalidator.OneOf(destroyRetains, destroyClears)},
			MarkdownDescription: "What a destroy does: `retain` (default) leaves the profile as it is; `clear` sets the managed members to `null`.",
		},
	}

	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages members of one person's profile. Members that are not configured are neither read into state nor changed.",
		Attributes:          tfkit.AddKeptScope(attributes),
		Blocks:              map[string]schema.Block{"timeouts": tfkit.TimeoutsBlock(defaultTimeout)},
	}
}

func (r *profileResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = tfkit.IdentitySchema()
}

// ModifyPlan ignores changes of spelling, warns about members that are no longer managed,
// and plans whether the apply has something to send or to wait for.
func (r *profileResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
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

func (r *profileResource) planDestroy(ctx context.Context, req resource.ModifyPlanRequest, diags *diag.Diagnostics) {
	var state resourceModel
	diags.Append(req.State.Get(ctx, &state)...)
	if state.OnDestroy.ValueString() == destroyClears {
		r.RefuseReadOnly(diags)
	}
	state.warnRetained(diags)
}

func (r *profileResource) planUpdate(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse, isMoved bool) {
	var config, state, plan resourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if isMoved && !state.Fulfilled.ValueBool() {
		tfkit.RefuseMoved(&resp.Diagnostics, updateName)
		return
	}
	if len(resp.RequiresReplace) > 0 || !plan.IdentityID.Equal(state.IdentityID) {
		return // Terraform plans again, without a state
	}

	if plan.Profile.SemanticEquals(state.Profile) {
		plan.Profile = state.Profile
	}
	managed := namesOf(state.managed())
	if !plan.ProfileWOVersion.Equal(state.ProfileWOVersion) {
		managed = append(managed, readNames(ctx, req.Private)...)
	}
	warnDropped(config.dropped(managed), &resp.Diagnostics)
	s, _ := tfkit.ReadSubmission(ctx, req.Private, tfkit.KeySubmission)
	if len(plan.changes(state, config.writeOnly(), s)) > 0 {
		r.RefuseReadOnly(&resp.Diagnostics)
	}
	plan.planFulfilled(state, s)

	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

func (r *profileResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var config, plan resourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	config.check(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ResolveScope(&plan.Scope)
	u, ok := r.begin(&plan, plan.initial(config.writeOnly()), memory{}, tfkit.ResponseToCreate(resp))
	if !ok {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.Identity)...)

	if len(u.changes) == 0 {
		plan.Fulfilled = types.BoolValue(true)
		u.save(ctx)
		return
	}

	if err := u.apply(ctx, tfkit.CreateTimeout(ctx, plan.Timeouts, defaultTimeout)); err != nil {
		resp.State.RemoveResource(ctx)
		tfkit.AddError(&resp.Diagnostics, err, tfkit.NothingSaved)
	}
}

func (r *profileResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state resourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	r.ReadIdentity(ctx, &state.Identity, resp.Identity, &resp.Diagnostics)
	c, scope, ok := r.ClientAndScope(state.Scope, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !ok {
		return
	}

	of := target{client: c, scope: scope, model: &state, memory: readMemory(ctx, req.Private)}
	s, submitted := tfkit.ReadSubmission(ctx, req.Private, tfkit.KeySubmission)
	if submitted && !state.Fulfilled.ValueBool() {
		r.readPending(ctx, of, s, resp)
		return
	}

	r.readFulfilled(ctx, of, resp)
}

// readPending is Read while an update is not known to be fulfilled.
func (r *profileResource) readPending(ctx context.Context, of target, s deferred.Submission, resp *resource.ReadResponse) {
	look := refresh{target: of, engine: r.Deferred, diags: &resp.Diagnostics}
	s, gone := look.run(ctx, s)
	if gone {
		warnRemoved(&resp.Diagnostics)
		resp.State.RemoveResource(ctx)
		return
	}

	tfkit.ResponseToRead(resp).Save(ctx, of.model, s)
	resp.Diagnostics.Append(look.memory.save(ctx, resp.Private)...)
}

// readFulfilled is Read while no update is under way.
func (r *profileResource) readFulfilled(ctx context.Context, of target, resp *resource.ReadResponse) {
	if _, err := of.read(ctx, of.client.GetProfile, of.model.managed()); err != nil {
		tfkit.AddError(&resp.Diagnostics, err, tfkit.PriorKept)
		return
	}
	if of.missing && !of.model.managesNothing() {
		resp.State.RemoveResource(ctx)
		return
	}

	of.model.fromAPI(of.held, of.memory)
	of.model.Fulfilled = types.BoolValue(true)

	resp.Diagnostics.Append(resp.State.Set(ctx, of.model)...)
}

// Update sends the members that differ from state, or resumes a wait that was interrupted.
// If the update fails, the object stays as it was.
func (r *profileResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var config, plan, state resourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	config.check(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}

	identity := plan.Identity
	r.Identify(ctx, &identity, resp.Identity, &resp.Diagnostics)

	s, _ := tfkit.ReadSubmission(ctx, req.Private, tfkit.KeySubmission)
	u, ok := r.begin(&plan, plan.changes(state, config.writeOnly(), s), readMemory(ctx, req.Private), tfkit.ResponseToUpdate(resp))
	if !ok {
		return
	}
	if state.areAbsent(u.changes, u.memory) {
		u.request.EffectKnownAbsent, u.held = true, state.managed()
	}
	u.Submission = s

	if len(u.changes) == 0 && !u.resumesWait() {
		plan.Fulfilled = state.Fulfilled
		u.save(ctx)
		return
	}

	if err := u.apply(ctx, tfkit.UpdateTimeout(ctx, plan.Timeouts, defaultTimeout)); err != nil {
		u.Restore(ctx, req.State, s)
		resp.Diagnostics.Append(readMemory(ctx, req.Private).save(ctx, resp.Private)...)
		tfkit.AddError(&resp.Diagnostics, err, tfkit.PriorKept)
	}
}

// Delete clears the managed members if on_destroy says so.
func (r *profileResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state resourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	names := append(namesOf(state.managed()), readNames(ctx, req.Private)...)
	if state.OnDestroy.ValueString() != destroyClears || len(names) == 0 {
		state.warnRetained(&resp.Diagnostics)
		return
	}

	r.clearMembers(ctx, &state, names, &resp.Diagnostics)
}

// clearMembers sets members to null, unless another object of the run has written the
// profile. A person without a profile has nothing to clear.
func (r *profileResource) clearMembers(ctx context.Context, state *resourceModel, names []string, diags *diag.Diagnostics) {
	c, scope, ok := r.ClientAndScope(state.Scope, diags)
	if !ok {
		return
	}

	update := nulls(names)
	of := target{client: c, scope: scope, model: state}
	request := of.updateRequest(update, update)
	me := tfkit.NewObject(profileType)
	request.Superseded = func() bool {
		_, superseded := r.WrittenProfiles.Keeper(me, scope, request.Identity)
		return superseded
	}

	run := tfkit.Run{Engine: r.Deferred}
	err := run.Submit(ctx, request, deferred.Submission{})
	if err != nil && !transport.IsClass(err, transport.ClassNotFound) {
		tfkit.AddError(diags, err, tfkit.PriorKept)
		return
	}
	if run.Report.Superseded {
		warnNotCleared(diags)
		return
	}

	if state.WaitForFulfilment.ValueBool() && run.Submission.State.IsOpen() {
		run.Await(ctx, request, tfkit.UpdateTimeout(ctx, state.Timeouts, defaultTimeout))
	}
	if run.Submission.State == deferred.Failed {
		tfkit.AddError(diags, request.Rejection(run.Submission, run.Report), tfkit.PriorKept)
		return
	}
	if run.Submission.State.IsOpen() || run.Submission.State == deferred.Dropped {
		state.warnClearing(diags, run.Submission, run.Report)
	}
}

func (r *profileResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	if !r.ImportIdentity(ctx, req, resp) {
		return
	}

	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("wait_for_fulfilment"), true)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("on_destroy"), destroyRetains)...)
}

// MoveState takes over the person of a generic provider's resource. Unlike an import, it
// takes over no members: the first apply writes those that are configured.
func (r *profileResource) MoveState(context.Context) []resource.StateMover {
	return tfkit.StateMovers("profile", map[string]any{"wait_for_fulfilment": true, "on_destroy": destroyRetains, "fulfilled": true})
}
