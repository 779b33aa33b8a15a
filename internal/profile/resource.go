// SPDX-License-Identifier: MPL-2.0

// Package profile implements the resource, the data source and the ephemeral resource analytics_profile, and the action
// analytics_clear_profile. The resource manages the top-level members of a profile that are configured, and no others.
package profile

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/run"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
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
func NewResource(s *tfkit.Service) resource.Resource { return &profileResource{s} }

type profileResource struct{ *tfkit.Service }

func (r *profileResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = profileType
}

func (r *profileResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages members of one person's profile. Members that are not configured are neither read into state nor changed.",
		Blocks:              map[string]schema.Block{"timeouts": tfkit.TimeoutsBlock()},
		Attributes: tfkit.AddPerson(tfkit.TextAttribute.Resource, map[string]schema.Attribute{
			"profile": schema.StringAttribute{
				Optional:            true,
				Sensitive:           true,
				Validators:          []validator.String{formats.JSONObject, stringvalidator.ExactlyOneOf(path.MatchRoot("profile"), path.MatchRoot("profile_wo"))},
				MarkdownDescription: "Members to manage, as a JSON object. A member that is removed is no longer managed; `null` clears it. Sensitive, but stored in state.",
			},
			"profile_wo": schema.StringAttribute{
				Optional:            true,
				Sensitive:           true,
				WriteOnly:           true,
				Validators:          []validator.String{formats.JSONObject, stringvalidator.AlsoRequires(path.MatchRoot("profile_wo_version"))},
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
		}),
	}
}

func (r *profileResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = tfkit.IdentitySchema()
}

func (r *profileResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state, plan resourceModel
	planned := run.Plan{Service: r.Service, Name: updateName, Req: req, Resp: resp}
	switch planned.Read(ctx, &state, &plan) {
	case run.Creates:
		r.RefuseReadOnly(&resp.Diagnostics)
	case run.Destroys, run.Replaces:
		if state.OnDestroy.ValueString() == destroyClears {
			r.RefuseReadOnly(&resp.Diagnostics)
			r.checkMembers(state, ownershipOf(ctx, state, resp.Private), tfkit.Undoes, &resp.Diagnostics)
			return
		}
		tfkit.Problem{
			Summary: "The profile stays at the service",
			Detail:  "Destroying this resource only removes it from state: on_destroy is \"retain\". A pending update may still change the profile.",
			Do:      "nothing, if the profile is to stay. To clear the managed members as well, apply on_destroy = \"clear\" first and destroy then; to delete all data of the person, use analytics_data_deletion.",
		}.AddWarning(&resp.Diagnostics)
	case run.Updates:
		r.planUpdate(ctx, planned, state, &plan)
	}
}

// planUpdate ignores changes of spelling, and plans whether the apply has something to send or to wait for.
func (r *profileResource) planUpdate(ctx context.Context, planned run.Plan, state resourceModel, plan *resourceModel) {
	req, resp := planned.Req, planned.Resp
	var config resourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	s := run.Read(ctx, req.Private).Submission
	changes, isKnown := config.changes(state, s)
	if len(changes) > 0 {
		r.RefuseReadOnly(&resp.Diagnostics)
	}

	of := ownershipOf(ctx, state, resp.Private)
	maps.DeleteFunc(of.cleared, func(name string, _ jsontext.Value) bool { return changes[name] != nil })
	r.checkMembers(*plan, of, tfkit.Done, &resp.Diagnostics)

	plan.Profile, plan.Fulfilled = formats.JSONObject.KeepSpelling(state.Profile, plan.Profile), state.Fulfilled
	if len(changes) > 0 || !isKnown || plan.Resumes(state.Waiting, s) {
		plan.Fulfilled = types.BoolUnknown()
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// ownership is an object, and the changes that clear its managed members.
type ownership struct {
	object  *tfkit.Object
	cleared members
}

// ownershipOf returns the ownership of an object in state. Private state has the names of write-only members.
func ownershipOf(ctx context.Context, state resourceModel, private tfkit.Private) ownership {
	written := run.Read(ctx, private).Values.WriteOnly
	return ownership{tfkit.ObjectIn(ctx, private, profileType), nulls(append(written, namesOf(state.members())...))}
}

// checkMembers records what a plan does with members, and refuses to clear one that another object leaves as it is.
func (r *profileResource) checkMembers(m resourceModel, of ownership, as tfkit.Claim, diags *diag.Diagnostics) {
	scope, known := r.KnownScope(m.Scope)
	if !known {
		return
	}

	person := client.Person{Scope: scope, Identity: m.IdentityID.ValueString()}
	for name := range of.cleared {
		if r.Profiles.Claim(of.object, as, tfkit.PartOf(person, name)) != nil {
			tfkit.Problem{
				Summary: "Another resource manages the members to be cleared",
				Detail: "The plan destroys a resource with on_destroy = \"clear\", and another resource manages a member of the profile of the same person and leaves it as it is. " +
					"The member would be cleared, and the next plan would set it again.",
				InState: tfkit.PriorKept,
				Do:      "keep the first resource in the configuration, apply on_destroy = \"retain\", and remove it then.",
			}.AddError(diags)
			return
		}
	}
}

func (r *profileResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var config, plan resourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	r.ResolveScope(&plan.Scope)
	u, ok := r.begin(ctx, &plan, config.members(), run.Response{State: &resp.State, Private: resp.Private, Diags: &resp.Diagnostics})
	if !ok {
		return
	}

	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.Identity)...)
	u.Limit, _ = plan.Timeouts.Create(ctx, tfkit.DefaultTimeout)
	plan.Fulfilled = types.BoolValue(true) // if there is nothing to send
	r.apply(ctx, u)
}

// Read looks at an update until it is known to be fulfilled, and at the profile from then on, or once the
// update has come to nothing.
func (r *profileResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state resourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	r.ReadIdentity(ctx, &state.Identity, resp.Identity, &resp.Diagnostics)
	u, ok := r.begin(ctx, &state, nil, run.Response{State: &resp.State, Private: resp.Private, Diags: &resp.Diagnostics})
	if !ok {
		return
	}

	isPending := state.Fulfilled.Equal(types.BoolValue(false)) // an imported object has no value
	if isPending && !u.refresh(ctx) {
		return
	}

	reading, err := u.read(ctx)
	if reading.IsNone { // one reading of none, as of a copy or of a service that restarts, proves nothing
		_ = r.Consents.WaitToReread(ctx, u.client.Lag) // the request fails where this does
		reading, err = u.read(ctx)
	}

	managesNothing := formats.JSONObject.Same(state.Profile, types.StringValue("{}")) // which a person without a profile has
	switch {
	case err != nil:
		tfkit.ProblemOf(err, tfkit.PriorKept).AddError(u.Diags)
	case reading.Cached:
		isFromACache.AddWarning(u.Diags)
	case reading.IsNone && !managesNothing:
		resp.State.RemoveResource(ctx)
	default:
		state.fromAPI(u.current, u.Values)
		state.Fulfilled = types.BoolValue(!isPending)
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	}
}

var isFromACache = tfkit.Problem{
	Summary: "The profile could not be checked",
	Detail:  "The answer comes from a cache, although the provider asks for none, so that it does not show what the service holds now.",
	InState: tfkit.PriorKept,
	Do:      "take the cache in front of the service out, or let it respect Cache-Control.",
}

func (r *profileResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var config, plan, state resourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)

	planned := plan // the configuration of an apply has what ignore_changes hides
	planned.ProfileWO = config.ProfileWO
	changes, _ := planned.changes(state, run.Read(ctx, req.Private).Submission)
	u, ok := r.begin(ctx, &plan, changes, run.Response{State: &resp.State, Private: resp.Private, Diags: &resp.Diagnostics})
	if !ok {
		return
	}

	if resp.Identity.Raw.IsFullyNull() { // older versions of the CLI keep none
		resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.Identity)...)
	}
	if len(changes) == 0 && !plan.Resumes(state.Waiting, u.Submission) {
		plan.Fulfilled = state.Fulfilled
		u.save(ctx)
		return
	}

	u.Limit, _ = plan.Timeouts.Update(ctx, tfkit.DefaultTimeout)
	r.apply(ctx, u)
}

// Delete clears the managed members if on_destroy says so. The plan has warned where it does not.
func (r *profileResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state resourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	of := ownershipOf(ctx, state, resp.Private)
	if state.OnDestroy.ValueString() != destroyClears || len(of.cleared) == 0 {
		return
	}

	state.ProfileWOVersion = types.Int64Null() // the service makes nothing else of null
	if u, ok := r.begin(ctx, &state, of.cleared, run.Response{State: &resp.State, Private: resp.Private, Diags: &resp.Diagnostics}); ok {
		u.Name, u.InState = u.Name+" that clears the members", "nothing of this resource"
		u.Pending, u.Unproven = run.AdviceStands, run.AdviceStands
		if state.Wait.ValueBool() {
			u.Limit, _ = state.Timeouts.Update(ctx, tfkit.DefaultTimeout)
		}
		u.Waits = true // no later refresh shows how it ends
		r.clearMembers(ctx, u, of.object)
	}
}

// clearMembers sets members to null that no other object of the run manages. A person without
// a profile has nothing to clear.
func (r *profileResource) clearMembers(ctx context.Context, u *update, object *tfkit.Object) {
	names := namesOf(u.changes)
	isKept := func(name string, _ jsontext.Value) bool {
		return r.Profiles.Claim(object, tfkit.Asks, tfkit.PartOf(u.Request.Person, name)) != nil
	}
	u.Request.Superseded = func() bool { // the person is locked
		maps.DeleteFunc(u.changes, isKept)
		return len(u.changes) == 0
	}
	u.Request.Effect = func(ctx context.Context) (deferred.Reading, error) {
		maps.DeleteFunc(u.sets, isKept) // another object may have written them meanwhile
		return u.read(ctx)
	}

	err := u.Submit(ctx)
	if transport.IsClass(err, transport.ClassNotFound) {
		return
	}
	if kept := slices.DeleteFunc(names, func(name string) bool { return u.changes[name] != nil }); len(kept) > 0 {
		tfkit.Problem{
			Summary: "Members of the profile were not cleared",
			Detail:  "Another resource of this run manages these members of the profile of the same person, so on_destroy = \"clear\" leaves them as they are: " + strings.Join(kept, ", ") + ". The usual cause is a renamed key of for_each, or a renamed resource, for which a moved block keeps the resource.",
			InState: "the other resource; nothing was sent for these members",
		}.AddWarning(u.Diags)
	}
	if err != nil {
		u.Fail(ctx, tfkit.ProblemOf(err, ""))
		return
	}
	u.Await(ctx)
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
