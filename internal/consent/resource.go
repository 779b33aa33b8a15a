package consent

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/customtypes"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ resource.ResourceWithConfigure      = (*consentResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*consentResource)(nil)
	_ resource.ResourceWithValidateConfig = (*consentResource)(nil)
	_ resource.ResourceWithImportState    = (*consentResource)(nil)
)

// What on_destroy accepts.
const (
	retain   = "retain"
	withdraw = "withdraw"
)

// NewResource returns the resource analytics_consent.
func NewResource() resource.Resource { return &consentResource{} }

type consentResource struct{ tfkit.Resource }

func (r *consentResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_consent"
}

func (r *consentResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"identity_id": schema.StringAttribute{
			Required:            true,
			MarkdownDescription: tfkit.IdentityDescription + " A change replaces the object.",
			Validators:          []validator.String{tfkit.Segment()},
			PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
		},
		"user_ipv6": schema.StringAttribute{
			Optional:   true,
			Sensitive:  true,
			CustomType: customtypes.IPAddressType{},
			MarkdownDescription: "IP address of the person at the time of consent. The service requires it, for legal compliance, where it is known. " +
				"An IPv4 address is sent mapped into IPv6 space (`::ffff:192.0.2.1`); spellings of the same address are equal. Removed from the configuration, it is no longer managed and stays as it is at the service.",
		},
		"agreement_time": schema.StringAttribute{
			Optional:   true,
			CustomType: customtypes.InstantType{},
			MarkdownDescription: "Time at which the person agreed, in RFC 3339 with a zone, such as `2026-01-31T12:00:00Z`; the same instant in another spelling is equal, and fractions count to the millisecond. " +
				"At most five minutes ahead of the clock of this machine are allowed. It is what `keep_later_choice` compares: without it, a choice that the person has made since cannot be recognised, and a warning says so. Removed from the configuration, it is no longer managed and stays as it is at the service.",
		},
		"manual": schema.BoolAttribute{
			Optional: true,
			Computed: true,
			Default:  booldefault.StaticBool(true),
			MarkdownDescription: "Whether the consent was obtained by other legal methods than the consent management of the service itself (its banner), which auditors ask for. " +
				"Defaults to `true`, because consent that Terraform records never came from that banner.",
		},
		"keep_later_choice": schema.BoolAttribute{
			Optional: true,
			Computed: true,
			Default:  booldefault.StaticBool(true),
			MarkdownDescription: "Whether a later choice of the person stands. Where the service holds a later `agreement_time` than this configuration, nothing is written, the plan stays empty and a warning says so, " +
				"also when the object is destroyed. A record at the service without an `agreement_time` cannot be compared, so it is not overwritten either, unless its clauses are those that this object has written, or is to write. Needs `agreement_time`. Defaults to `true`; with `false` the configuration overwrites whatever the service holds.",
		},
		"on_destroy": schema.StringAttribute{
			Optional:   true,
			Computed:   true,
			Default:    stringdefault.StaticString(retain),
			Validators: []validator.String{stringvalidator.OneOf(retain, withdraw)},
			MarkdownDescription: "What destroying the object does at the service: `retain` (default) leaves the consent as it is and warns, `withdraw` sets all five clauses to false, unless the service knows no consent of the person. " +
				"Where another object of the same run has written the person, as after a renamed key of `for_each`, nothing is withdrawn and a warning says so. The service has no way to remove a consent record.",
		},
	}
	for name, text := range clauseDescriptions {
		attributes[name] = schema.BoolAttribute{Required: true, MarkdownDescription: "Whether the person consents to " + text + "."}
	}

	resp.Schema = schema.Schema{
		MarkdownDescription: "The consent of one person, as code: five clauses, and how and when they were agreed to. " +
			"A choice that the person has made later than the configured `agreement_time` is never overwritten, unless `keep_later_choice` is set to `false`.\n\n" +
			"Destroying the object leaves the consent at the service as it is, with a warning, unless `on_destroy` is `withdraw`.",
		Attributes: tfkit.AddKeptScope(attributes),
	}
}

var clauseDescriptions = map[string]string{
	"clause_1_consent": "application diagnostics",
	"clause_2_consent": "feature usage",
	"clause_3_consent": "browser information",
	"clause_4_consent": "user information",
	"clause_5_consent": "user behaviour interaction",
}

// sentAttributes are the names under which the service may complain of a field.
var sentAttributes = []string{
	"clause_1_consent", "clause_2_consent", "clause_3_consent", "clause_4_consent", "clause_5_consent",
	"user_ipv6", "agreement_time", "manual",
}

// ValidateConfig refuses times in the future, and warns where no later choice can be
// recognised.
func (r *consentResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config resourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if agreed, known := config.AgreementTime.Value(); known {
		if err := tfkit.CheckAgreed(agreed); err != nil {
			resp.Diagnostics.AddAttributeError(path.Root("agreement_time"), "Not a time of agreement", "The value "+err.Error()+".")
		}
	}

	protects := config.KeepLaterChoice.IsNull() || config.KeepLaterChoice.ValueBool()
	if protects && config.AgreementTime.IsNull() {
		warnNothingToCompare(&resp.Diagnostics)
	}
}

// ModifyPlan keeps the plan empty where only spelling differs and where a choice of the
// person stands, and says what destroying leaves behind.
func (r *consentResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	r.PlanKeptScope(ctx, req, resp)
	if req.State.Raw.IsNull() || resp.Diagnostics.HasError() {
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
	if len(resp.RequiresReplace) > 0 || !plan.IdentityID.Equal(state.IdentityID) {
		return
	}

	note := noteOf(ctx, req.Private)
	if note.stands() && (plan.AgreementTime.IsUnknown() || plan.KeepLaterChoice.IsUnknown()) {
		addUnknownTime(&resp.Diagnostics)
		return
	}

	plan.keepSpelling(state.recordModel)
	if choice, stands := plan.standingChoice(state, note); stands {
		choice.warn(&resp.Diagnostics)
		plan.keepChoice(state.recordModel)
	}

	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

func (r *consentResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan resourceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ResolveScope(&plan.Scope)
	at, ok := r.locate(plan, &resp.Diagnostics)
	if !ok {
		return
	}

	u := plan.update()
	if plan.KeepLaterChoice.ValueBool() {
		u.KeepLaterThan = u.AgreementTime
	}
	if r.Written.Withdrawn(at.scope, at.identity) {
		u.LastWritten = &[client.Clauses]bool{} // a renamed object, whose former self has withdrawn
	}

	kept, ok := r.write(ctx, at, u, tfkit.NothingSaved, &resp.Diagnostics)
	if !ok {
		return
	}

	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	if kept {
		resp.Diagnostics.Append(laterNote{configured: u.KeepLaterThan}.write(ctx, resp.Private)...)
	}
}

func (r *consentResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state resourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ResolveScope(&state.Scope)
	at, ok := r.locate(state, &resp.Diagnostics)
	if !ok {
		return
	}
	if other, shared := r.Written.Manage(at.object, at.scope, at.identity); shared {
		warnShared(&resp.Diagnostics, other, at.object, at.scope)
	}

	held, err := at.client.GetConsent(ctx, at.scope, at.identity)
	if client.IsClass(err, client.ClassNotFound) {
		resp.State.RemoveResource(ctx)
		return
	}
	if err != nil {
		tfkit.AddError(&resp.Diagnostics, err, tfkit.PriorKept)
		return
	}

	var note laterNote
	if state.knowsNoClause() {
		note = state.adopt(held)
	} else {
		note = noteOf(ctx, req.Private).after(state, held)
		state.refresh(held, note.stands())
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
	if resp.Diagnostics.HasError() {
		return
	}

	note := noteOf(ctx, req.Private)
	config.KeepLaterChoice = plan.KeepLaterChoice // with its default
	choice, stands := config.standingChoice(plan, note)

	// A choice without a time cannot be compared once more, so it is left alone at once.
	if leftAlone := stands && choice.untimed; plan.differs(state.recordModel) && !leftAlone {
		at, ok := r.locate(plan, &resp.Diagnostics)
		if !ok {
			return
		}

		u := plan.update()
		u.LastWritten = state.written(note)
		if plan.KeepLaterChoice.ValueBool() {
			u.KeepLaterThan = choice.configured
		}

		stands, ok = r.write(ctx, at, u, tfkit.PriorKept, &resp.Diagnostics)
		if !ok {
			return
		}
	}

	// The note outlives whatever else is changed, and ends with a write.
	note = laterNote{}
	if stands {
		note = choice.laterNote
	}

	resp.Diagnostics.Append(note.write(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (r *consentResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state resourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if state.OnDestroy.ValueString() != withdraw {
		state.warnRetained(&resp.Diagnostics)
		return
	}

	at, ok := r.locate(state, &resp.Diagnostics)
	if !ok {
		return
	}

	note := noteOf(ctx, req.Private)
	u := state.withdrawal()
	u.LastWritten = state.written(note)
	if state.KeepLaterChoice.ValueBool() {
		u.KeepLaterThan = note.comparedWith(state.AgreementTime)
	}

	r.withdraw(ctx, at, u, &resp.Diagnostics)
}

func (r *consentResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)
	if !r.ImportIdentity(ctx, req, resp) {
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("keep_later_choice"), true)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("on_destroy"), retain)...)
}
