// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/customtypes"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ resource.ResourceWithConfigure   = (*consentResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*consentResource)(nil)
	_ resource.ResourceWithIdentity    = (*consentResource)(nil)
	_ resource.ResourceWithImportState = (*consentResource)(nil)
	_ resource.ResourceWithMoveState   = (*consentResource)(nil)
)

// The values of on_destroy.
const (
	retain   = "retain"
	withdraw = "withdraw"
)

// NewResource returns the resource analytics_consent.
func NewResource() resource.Resource { return &consentResource{} }

// objectLabel is what messages call an object.
const objectLabel = "analytics_consent"

type consentResource struct{ tfkit.Resource }

func (r *consentResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_consent"
}

func (r *consentResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"user_ipv6": schema.StringAttribute{
			Optional:            true,
			Sensitive:           true,
			CustomType:          customtypes.IPAddressType{},
			Validators:          []validator.String{customtypes.IPAddressType{}.Validator(), stringvalidator.ConflictsWith(path.MatchRoot("user_ipv6_wo"))},
			MarkdownDescription: "IP address of the person at the time of consent. The service requires it if it is known. IPv4 is mapped into IPv6. Sensitive, but stored in state.",
		},
		"agreement_time": schema.StringAttribute{
			Optional:            true,
			CustomType:          customtypes.InstantType{},
			Validators:          []validator.String{customtypes.InstantType{}.Validator()},
			MarkdownDescription: "Time at which the person agreed, in RFC 3339 format. Set it: without it, the provider cannot recognise a later choice of the person.",
		},
		"manual": schema.BoolAttribute{
			Optional:            true,
			Computed:            true,
			Default:             booldefault.StaticBool(true),
			MarkdownDescription: "Whether the consent was obtained by other means than the service's own banner. For audits. Defaults to `true`.",
		},
		"user_ipv6_wo": schema.StringAttribute{
			Optional:            true,
			WriteOnly:           true, // not sensitive as well: Terraform notes that in state, 145 bytes for each person
			CustomType:          customtypes.IPAddressType{},
			Validators:          []validator.String{customtypes.IPAddressType{}.Validator(), stringvalidator.AlsoRequires(path.MatchRoot("user_ipv6_wo_version"))},
			MarkdownDescription: "Like `user_ipv6`, but never stored in plan or state. Sent whenever its version or the consent changes. Requires Terraform 1.11 or later.",
		},
		"user_ipv6_wo_version": schema.Int64Attribute{
			Optional:            true,
			Validators:          []validator.Int64{int64validator.AlsoRequires(path.MatchRoot("user_ipv6_wo"))},
			MarkdownDescription: "Version of `user_ipv6_wo`, any number. Changing it sends the address again.",
		},
		"keep_later_choice": schema.BoolAttribute{
			Optional:            true,
			Computed:            true,
			Default:             booldefault.StaticBool(true),
			MarkdownDescription: "Whether a choice of the person after `agreement_time` stands: nothing is written, and a warning says so. Defaults to `true`. With `false`, the configuration overwrites any record.",
		},
		"on_destroy": schema.StringAttribute{
			Optional:            true,
			Computed:            true,
			Default:             stringdefault.StaticString(retain),
			Validators:          []validator.String{stringvalidator.OneOf(retain, withdraw)},
			MarkdownDescription: "What a destroy does: `retain` (default) leaves the consent as it is; `withdraw` sets all five clauses to `false`, unless a later choice stands.",
		},
	}
	for i, name := range answer.ClauseNames {
		attributes[name] = schema.BoolAttribute{Required: true, MarkdownDescription: "Whether the person consents to " + clauseTexts[i] + "."}
	}

	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages the consent of one person: five clauses, and when and how the person agreed to them.",
		Attributes:          tfkit.AddPerson(tfkit.TextAttribute.Resource, attributes),
	}
}

func (r *consentResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = tfkit.IdentitySchema()
}

// ModifyPlan keeps the plan empty if only spelling differs or a choice of the person stands.
// A plan that destroys or replaces the object warns if the consent is retained.
func (r *consentResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	r.PlanKeptScope(ctx, req, resp)

	var plan, state *resourceModel // nil in a destroy and in a create
	resp.Diagnostics.Append(resp.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if plan != nil && (state == nil || !plan.AgreementTime.SemanticEquals(state.AgreementTime)) { // the service may hold any time
		if err := client.CheckAgreed(plan.agreed()); err != nil {
			tfkit.Problem{Summary: "Not a time of agreement", Detail: "The value " + err.Error() + ".", At: path.Root("agreement_time")}.AddError(&resp.Diagnostics)
		}
	}
	if state == nil {
		r.RefuseReadOnly(&resp.Diagnostics)
		return
	}

	note := readNote(ctx, req.Private)
	object := tfkit.ObjectIn(ctx, resp.Private, objectLabel)
	if plan == nil || len(resp.RequiresReplace) > 0 || !plan.IdentityID.Equal(state.IdentityID) {
		r.planDestroy(*state, object, &resp.Diagnostics)
		return
	}

	r.planUpdate(plan, *state, &note, &resp.Diagnostics)
	r.planWrite(*plan, !note.Planned && plan.differs(*state), object, &resp.Diagnostics)
	resp.Diagnostics.Append(note.write(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// planDestroy warns that the consent is retained. It refuses to withdraw a person with a
// read-only provider, and one whom another object of the plan keeps as they are.
func (r *consentResource) planDestroy(state resourceModel, object *tfkit.Object, diags *diag.Diagnostics) {
	if state.OnDestroy.ValueString() != withdraw {
		tfkit.Problem{
			Summary: "The consent stays at the service",
			Detail:  "Destroying this resource only removes it from state: on_destroy is \"retain\". To withdraw the consent as well, apply on_destroy = \"withdraw\" first and destroy then.",
		}.AddWarning(diags)

		return
	}

	r.RefuseReadOnly(diags)
	scope, known := r.KnownScope(state.Scope)
	if !known {
		return
	}

	if resting, conflict := r.Written.PlanAgainst(object, client.Person{Scope: scope, Identity: state.IdentityID.ValueString()}); conflict {
		addKeptByAnother(diags, object, resting, scope)
	}
}

// planUpdate changes the plan of an update to what is in state, as far as only spelling differs
// or a choice of the person stands, which it notes. It reports an error if that is not known yet.
func (r *consentResource) planUpdate(plan *resourceModel, state resourceModel, note *choiceNote, diags *diag.Diagnostics) {
	if note.stands() && (plan.AgreementTime.IsUnknown() || plan.KeepLaterChoice.IsUnknown()) {
		tfkit.Problem{
			Summary: "The plan cannot tell whether the later choice still stands",
			Detail:  "The service holds a later choice of the person than the one that was configured. Whether it still stands depends on agreement_time and keep_later_choice, which are known only after apply.",
			Do:      "apply the resources that these values come from first (-target), or write them into the configuration.",
			At:      path.Root("agreement_time"),
		}.AddError(diags)

		return
	}

	plan.UserIPv6 = plan.UserIPv6.SpelledLike(state.UserIPv6)
	plan.AgreementTime = plan.AgreementTime.SpelledLike(state.AgreementTime)
	since, stands := plan.leavesAlone(state, *note)
	if stands {
		warnStands(diags, since, state.agreed(), note.Untimed)
		plan.keepChoice(state)
		*note = choiceNote{Configured: since, Untimed: note.Untimed}
	}
	note.Planned = stands

	overwritten := plan.otherClauses(state.recordModel)
	if r.Plans() && *note != (choiceNote{}) && plan.comparesNothing(*note) && len(overwritten) > 0 {
		warnOverwritten(diags, "The plan overwrites", overwritten)
	}
}

// planWrite warns of another object of the plan about the same person. If this object has
// nothing to write, it refuses a plan that withdraws the person.
func (r *consentResource) planWrite(plan resourceModel, writes bool, object *tfkit.Object, diags *diag.Diagnostics) {
	if writes {
		r.RefuseReadOnly(diags)
	}

	scope, known := r.KnownScope(plan.Scope)
	if !known {
		return
	}

	person := client.Person{Scope: scope, Identity: plan.IdentityID.ValueString()}
	if other, shared := r.Written.Keep(object, person); shared {
		warnShared(diags, other, object, scope)
	}
	if writes {
		return
	}

	if withdrawer, conflict := r.Written.PlanDone(object, person); conflict {
		addKeptByAnother(diags, withdrawer, object, scope)
	}
}

func (r *consentResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var config, plan resourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	config.check(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ResolveScope(&plan.Scope)
	at, ok := r.subjectOf(ctx, plan, resp.Private, &resp.Diagnostics)
	if !ok {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.Identity)...)
	if other, shared := r.Written.Keep(at.object, at.person); shared {
		warnShared(at.diags, other, at.object, at.person.Scope)
	}

	u := plan.updateWith(config)
	u.KeepLaterThan = plan.since(choiceNote{})

	overwritten, ok := at.overwrittenBy(ctx, plan)
	if !ok {
		return
	}

	note, ok := at.write(ctx, u, nil, tfkit.NothingSaved)
	if !ok {
		return
	}
	if len(overwritten) > 0 {
		warnOverwritten(&resp.Diagnostics, "The apply has overwritten", overwritten)
	}

	resp.Diagnostics.Append(note.write(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (r *consentResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state resourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ReadIdentity(ctx, &state.Identity, resp.Identity, &resp.Diagnostics)
	prior := readNote(ctx, req.Private)
	at, ok := r.subjectOf(ctx, state, resp.Private, &resp.Diagnostics)
	if !ok {
		return
	}

	held, err := at.Client.GetConsent(ctx, at.person)
	if transport.IsClass(err, transport.ClassNotFound) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		tfkit.ProblemOf(err, tfkit.PriorKept).AddError(&resp.Diagnostics)
		return
	}

	note := state.refresh(held, prior)
	if value, _ := req.Private.GetKey(ctx, leaveAddressOut); value != nil {
		state.UserIPv6 = customtypes.IPAddress{}
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, leaveAddressOut, nil)...)
	}

	resp.Diagnostics.Append(note.write(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

func (r *consentResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var config, plan, state resourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	config.check(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}

	if resp.Identity.Raw.IsFullyNull() { // older versions of the CLI keep none
		resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.Identity)...)
	}

	note := readNote(ctx, req.Private)

	// The note outlives a change of other attributes, and ends with a write.
	var noteAfter choiceNote
	if note.Planned {
		noteAfter = note
	} else if plan.differs(state) {
		at, ok := r.subjectOf(ctx, plan, resp.Private, &resp.Diagnostics)
		if !ok {
			return
		}
		r.Written.Keep(at.object, at.person) // the plan warns

		u := plan.updateWith(config)
		u.KeepLaterThan = plan.since(note)
		u.OnlyKnown = !u.KeepLaterThan.IsZero() // a record cannot be removed, so a missing one is an error

		noteAfter, ok = at.write(ctx, u, state.written(note), tfkit.PriorKept)
		if !ok {
			return
		}
	}

	resp.Diagnostics.Append(noteAfter.write(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (r *consentResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state resourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if state.OnDestroy.ValueString() != withdraw { // the plan has warned
		return
	}

	note := readNote(ctx, req.Private)
	at, ok := r.subjectOf(ctx, state, resp.Private, &resp.Diagnostics)
	if !ok {
		return
	}

	u := client.ConsentUpdate{ // without an agreement_time, and for a record that exists
		Manual:        state.Manual.ValueBool(),
		KeepLaterThan: state.protected(note.Configured, state.agreed()),
		OnlyKnown:     true,
		Skip:          client.SkipSameClauses,
	}
	u.UserIPv6, _ = state.UserIPv6.Value()

	at.withdraw(ctx, u, state.written(note))
}

func (r *consentResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	if !r.ImportIdentity(ctx, req, resp) {
		return
	}

	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("keep_later_choice"), true)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("on_destroy"), retain)...)
	if req.ID == "" {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, leaveAddressOut, []byte("true"))...)
	}
}

// leaveAddressOut is the key in private state of an import by identity until its refresh,
// which leaves user_ipv6 out of state. Terraform writes null for a sensitive attribute into
// the configuration that it generates for such an import, so that an address in state would
// be a change.
const leaveAddressOut = "leave_address_out"

// MoveState takes over the person of a generic provider's resource. The first refresh then
// reads the consent, as after an import.
func (r *consentResource) MoveState(context.Context) []resource.StateMover {
	return tfkit.StateMovers("consent", map[string]any{"keep_later_choice": true, "on_destroy": retain})
}
