package consent

import (
	"context"
	"time"

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

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
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

// NewResource is the resource analytics_consent.
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
			CustomType: tfkit.IPAddressType{},
			MarkdownDescription: "IP address of the person at the time of consent. The service requires it, for legal compliance, where it is known. " +
				"An IPv4 address is sent mapped into IPv6 space (`::ffff:192.0.2.1`); spellings of the same address are equal. Removed from the configuration, it is no longer managed and stays as it is at the service.",
		},
		"agreement_time": schema.StringAttribute{
			Optional:   true,
			CustomType: tfkit.InstantType{},
			MarkdownDescription: "Time at which the person agreed, in RFC 3339 with a zone, such as `2026-01-31T12:00:00Z`, and not in the future; the same instant in another spelling is equal, and fractions count to the millisecond. " +
				"It is what `keep_later_choice` compares: without it, a choice that the person has made since cannot be recognised. Removed from the configuration, it is no longer managed and stays as it is at the service.",
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
				"also when the object is destroyed. Needs `agreement_time`. Defaults to `true`; with `false` the configuration overwrites whatever the service holds.",
		},
		"on_destroy": schema.StringAttribute{
			Optional:   true,
			Computed:   true,
			Default:    stringdefault.StaticString(retain),
			Validators: []validator.String{stringvalidator.OneOf(retain, withdraw)},
			MarkdownDescription: "What destroying the object does at the service: `retain` (default) leaves the consent as it is and warns, `withdraw` sets all five clauses to false, unless the service knows no consent of the person. " +
				"Do not combine `withdraw` with `create_before_destroy`: the old object would withdraw what the new one has just written. The service has no way to remove a consent record.",
		},
	}
	for name, text := range clauseDescriptions {
		attributes[name] = schema.BoolAttribute{Required: true, MarkdownDescription: "Whether the person consents to " + text + "."}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The consent of one person, as code: five clauses, and how and when they were agreed to. " +
			"A choice that the person has made later than the configured `agreement_time` is never overwritten, unless `keep_later_choice` is set to `false`.\n\n" +
			"Destroying the object leaves the consent at the service as it is, with a warning, unless `on_destroy` is `withdraw`.",
		Attributes: tfkit.AddScope(attributes),
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

// ValidateConfig warns where protection is asked for and cannot work.
func (r *consentResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config resourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if agreed, known := config.AgreementTime.Value(); known {
		if err := tfkit.CheckAgreed(agreed); err != nil {
			resp.Diagnostics.AddAttributeError(path.Root("agreement_time"), "Not a time of agreement", "The value "+err.Error()+".")
		}
	}
	if config.KeepLaterChoice.ValueBool() && config.AgreementTime.IsNull() {
		resp.Diagnostics.AddAttributeWarning(path.Root("keep_later_choice"), "Nothing to compare a later choice with",
			"keep_later_choice is set and agreement_time is not, so a choice that the person has made since cannot be recognised and would be overwritten. Set agreement_time to the time at which the configured consent was given.")
	}
}

// ModifyPlan keeps the plan empty where only spelling differs and where a later
// choice of the person stands, and says what destroying leaves behind.
func (r *consentResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
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
	note := noteOf(ctx, req.Private)
	if note.stands() && (plan.AgreementTime.IsUnknown() || plan.KeepLaterChoice.IsUnknown()) {
		resp.Diagnostics.AddAttributeError(path.Root("agreement_time"), "Not known while a later choice of the person stands",
			"The service holds a later choice of the person than the one that was configured. Whether it still stands depends on agreement_time and keep_later_choice, which are known only after apply.\n\n"+
				"What to do: apply what these values come from first (-target), or write them into the configuration.")
		return
	}
	plan.keepSpelling(state.recordModel)
	if configured, chosen, stands := plan.laterChoice(state, note); stands {
		warnLaterChoice(&resp.Diagnostics, configured, chosen)
		plan.keepChoice(state.recordModel)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

func (r *consentResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	var plan resourceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	u := plan.update()
	if plan.KeepLaterChoice.ValueBool() {
		u.KeepLaterThan = u.AgreementTime
	}
	kept, ok := r.write(ctx, plan, u, tfkit.NothingSaved, &resp.Diagnostics)
	if !ok {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	if kept {
		resp.Diagnostics.Append(laterNote{u.KeepLaterThan}.write(ctx, resp.Private)...)
	}
}

func (r *consentResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	var state resourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	held, err := r.read(ctx, state.Scope, state.IdentityID.ValueString(), &resp.Diagnostics)
	switch {
	case client.IsKind(err, client.KindNotFound):
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		tfkit.AddError(&resp.Diagnostics, err, tfkit.PriorKept)
		return
	case held == nil:
		return
	}
	if state.knowsNoClause() {
		state.adopt(*held)
	} else {
		note := noteOf(ctx, req.Private).after(state, *held)
		resp.Diagnostics.Append(note.write(ctx, resp.Private)...)
		state.refresh(*held, note.stands())
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

func (r *consentResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	var config, plan, state resourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	note := noteOf(ctx, req.Private)
	config.KeepLaterChoice = plan.KeepLaterChoice // with its default
	configured, _, stands := config.laterChoice(plan, note)
	if stands { // nothing is written, and the note outlives whatever else is changed
		note = laterNote{configured}
	}
	if plan.differs(state.recordModel) {
		u := plan.update()
		if plan.KeepLaterChoice.ValueBool() {
			u.KeepLaterThan = configured
		}
		kept, ok := r.write(ctx, plan, u, tfkit.PriorKept, &resp.Diagnostics)
		if !ok {
			return
		}
		note = laterNote{}
		if kept {
			note = laterNote{configured}
		}
	}
	resp.Diagnostics.Append(note.write(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (r *consentResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	var state resourceModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if state.OnDestroy.ValueString() != withdraw {
		state.warnRetained(&resp.Diagnostics)
		return
	}
	u := state.withdrawal()
	if state.KeepLaterChoice.ValueBool() {
		u.KeepLaterThan = noteOf(ctx, req.Private).comparedWith(state.AgreementTime)
	}
	// Of a person who is gone there is nothing to withdraw.
	r.write(ctx, state, u, tfkit.PriorKept, &resp.Diagnostics, client.KindNotFound)
}

func (r *consentResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	defer r.Finish(ctx, &resp.Diagnostics)
	if !r.ImportIdentity(ctx, req, resp) {
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("keep_later_choice"), true)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("on_destroy"), retain)...)
}

func (r *consentResource) read(ctx context.Context, of tfkit.Scope, identity string, diags *diag.Diagnostics) (*client.Consent, error) {
	c, scope, ok := r.Reach(of, diags)
	if !ok {
		return nil, nil
	}
	held, err := c.GetConsent(ctx, scope, identity)
	return &held, err
}

// write sends an update, and reports whether a later choice was kept instead and
// whether the state may say what was asked for. Errors of the kinds that are as good
// as done are no errors.
func (r *consentResource) write(ctx context.Context, m resourceModel, u client.ConsentUpdate, inState string, diags *diag.Diagnostics, asGoodAsDone ...client.Kind) (kept, ok bool) {
	c, scope, ok := r.Reach(m.Scope, diags)
	if !ok {
		return false, false
	}
	result, err := c.UpdateConsent(ctx, scope, m.IdentityID.ValueString(), u)
	if err != nil && !client.IsKind(err, asGoodAsDone...) {
		tfkit.AddError(diags, err, inState, sentAttributes...)
		return false, false
	}
	if result.Kept == nil {
		return false, true
	}
	chosen, _ := result.Kept.AgreementTime.Get()
	warnLaterChoice(diags, u.KeepLaterThan, chosen)
	return true, true
}

func (m *resourceModel) warnRetained(diags *diag.Diagnostics) {
	if m.OnDestroy.ValueString() == withdraw {
		return
	}
	diags.AddWarning("The consent stays at the service",
		"Destroying this object only makes Terraform forget it: on_destroy is \"retain\". To take the consent back as well, apply on_destroy = \"withdraw\" first and destroy then.")
}

func warnLaterChoice(diags *diag.Diagnostics, configured, chosen time.Time) {
	held := "a consent"
	if !chosen.IsZero() {
		held += " of " + client.FormatInstant(chosen)
	}
	diags.AddWarning("A later choice of the person stands",
		"The service holds "+held+", which is later than the configured one of "+client.FormatInstant(configured)+". "+
			"Nothing is written and the plan leaves the person's choice as it is: it is the person's turn, not Terraform's.\n\n"+
			"What to do: nothing, or bring the configuration up to the person's choice. To overwrite it on legal grounds, or where that later time was an earlier configuration's mistake, set keep_later_choice = false, or a later agreement_time.")
}
