// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"context"
	"errors"
	"time"

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

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
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
func NewResource(s *tfkit.Service) resource.Resource { return &consentResource{s} }

// objectLabel is what messages call an object.
const objectLabel = "analytics_consent"

type consentResource struct{ *tfkit.Service }

func (r *consentResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_consent"
}

func (r *consentResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := map[string]schema.Attribute{
		"user_ipv6_wo": schema.StringAttribute{
			Optional:            true,
			WriteOnly:           true, // not sensitive as well: Terraform notes that in state, 145 bytes for each person
			Validators:          []validator.String{formats.Address, stringvalidator.AlsoRequires(path.MatchRoot("user_ipv6_wo_version"))},
			MarkdownDescription: "Like `user_ipv6`, but never stored in plan or state. Sent whenever its version or the consent changes, and not with a withdrawal. Requires Terraform 1.11 or later.",
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
	addRecord(attributes)

	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages the consent of one person: five clauses, and when and how the person agreed to them.",
		Attributes:          tfkit.AddPerson(tfkit.TextAttribute.Resource, attributes),
	}
}

func (r *consentResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = tfkit.IdentitySchema()
}

// ModifyPlan keeps the plan empty if only spelling differs or a choice of the person stands. It refuses
// to write with a read-only provider. A plan that destroys or replaces the object warns if the consent is retained.
func (r *consentResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	diags := &resp.Diagnostics
	defer r.RecoverAndReport(ctx, diags)

	r.PlanKeptScope(ctx, req, resp)

	var plan, state *resourceModel // nil in a destroy and in a create
	diags.Append(resp.Plan.Get(ctx, &plan)...)
	diags.Append(req.State.Get(ctx, &state)...)
	if diags.HasError() {
		return
	}

	switch {
	case plan == nil:
		r.planDestroy(ctx, *state, resp)
	case state == nil:
		r.planValues(*plan, types.StringNull(), diags)
		r.RefuseReadOnly(diags)
	default:
		r.planValues(*plan, state.AgreementTime, diags)
		r.planChange(ctx, *plan, *state, resp)
	}
}

// planValues checks what is planned, beside the time in state.
func (r *consentResource) planValues(plan resourceModel, priorTime types.String, diags *diag.Diagnostics) {
	if !formats.Instant.Same(plan.AgreementTime, priorTime) { // the service may hold any time
		if err := client.CheckAgreed(plan.record().AgreementTime); err != nil {
			tfkit.Problem{Summary: "Not a time of agreement", Detail: "The value " + err.Error() + ".", At: path.Root("agreement_time")}.AddError(diags)
		}
	}
	if person, known := r.personOf(plan); known && r.Consents.IsSpelledTwice(person) {
		tfkit.SpelledTwice.AddWarning(diags)
	}
}

// planChange plans an object that exists: its replacement, its update, or nothing.
func (r *consentResource) planChange(ctx context.Context, plan, state resourceModel, resp *resource.ModifyPlanResponse) {
	diags := &resp.Diagnostics
	if len(resp.RequiresReplace) > 0 || !plan.IdentityID.Equal(state.IdentityID) {
		r.planDestroy(ctx, state, resp)
		return
	}

	plan.UserIPv6 = formats.Address.KeepSpelling(state.UserIPv6, plan.UserIPv6)
	plan.AgreementTime = formats.Instant.KeepSpelling(state.AgreementTime, plan.AgreementTime)
	c, was := plan.caseOf(ctx, choice.Plan, state, resp.Private)
	was.Planned = was.Foreign && plan.keepsForeign(c, state, &was, diags)
	isWritten := !was.Planned && plan.writes(state)
	r.planKept(state, tfkit.ObjectIn(ctx, resp.Private, objectLabel), isWritten, diags)

	diags.Append(was.write(ctx, plan, resp.Private)...)
	diags.Append(resp.Plan.Set(ctx, &plan)...)
}

// planDestroy warns that the consent is retained. It refuses to withdraw a person with a
// read-only provider, and one whom another object of the plan keeps as they are.
func (r *consentResource) planDestroy(ctx context.Context, state resourceModel, resp *resource.ModifyPlanResponse) {
	diags := &resp.Diagnostics
	if state.OnDestroy.ValueString() != withdraw {
		tfkit.RetainedConsent.AddWarning(diags)
		return
	}

	r.RefuseReadOnly(diags)
	person, _ := r.personOf(state)
	if keeper := r.Consents.Claim(tfkit.ObjectIn(ctx, resp.Private, objectLabel), tfkit.Undoes, person); keeper != nil {
		tfkit.KeptConsent.With(other(keeper, person.Scope)).AddError(diags)
	}
}

// planKept records that an object keeps a person. It refuses to write with a read-only provider, and to leave a
// person as they are whom another object of the plan withdraws.
func (r *consentResource) planKept(state resourceModel, object *tfkit.Object, isWritten bool, diags *diag.Diagnostics) {
	r.keep(state, object, diags)
	if isWritten {
		r.RefuseReadOnly(diags)
		return
	}

	person, _ := r.personOf(state)
	if withdrawer := r.Consents.Claim(object, tfkit.Done, person); withdrawer != nil {
		tfkit.KeptConsent.With(other(withdrawer, person.Scope)).AddError(diags)
	}
}

// keep records that an object keeps a person, and warns if another one does too.
func (r *consentResource) keep(m resourceModel, object *tfkit.Object, diags *diag.Diagnostics) {
	person, _ := r.personOf(m)
	if keeper := r.Consents.Claim(object, tfkit.Keeps, person); keeper != nil {
		tfkit.SharedConsent.With(other(keeper, person.Scope)).AddWarning(diags)
	}
}

// personOf returns the person of an object, and whether it is known yet.
func (r *consentResource) personOf(m resourceModel) (p client.Person, known bool) {
	scope, known := r.KnownScope(m.Scope)
	return client.Person{Scope: scope, Identity: m.IdentityID.ValueString()}, known && !m.IdentityID.IsUnknown()
}

func (r *consentResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan resourceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("user_ipv6_wo"), &plan.UserIPv6WO)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ResolveScope(&plan.Scope)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.Identity)...)
	r.keep(plan, tfkit.ObjectIn(ctx, resp.Private, objectLabel), &resp.Diagnostics)

	c, _ := plan.caseOf(ctx, choice.Write, resourceModel{}, resp.Private)
	if !r.decide(ctx, c, plan.Identity, &resp.Diagnostics) {
		return
	}

	resp.Diagnostics.Append(provenanceAfter(c).write(ctx, plan, resp.Private)...)
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
	c, was := state.caseOf(ctx, choice.Refresh, state, req.Private)
	if !r.decide(ctx, c, state.Identity, &resp.Diagnostics) {
		return
	}
	if c.Act == choice.Forget {
		resp.State.RemoveResource(ctx)
		return
	}

	isOurs := c.Act == choice.Nothing && !was.Foreign
	if !isOurs || state.Manual.IsNull() {
		is := state.refresh(c, was)
		resp.Diagnostics.Append(is.write(ctx, state, resp.Private)...)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

func (r *consentResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan, state resourceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("user_ipv6_wo"), &plan.UserIPv6WO)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if resp.Identity.Raw.IsFullyNull() { // older versions of the CLI keep none
		resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.Identity)...)
	}

	c, was := plan.caseOf(ctx, choice.Write, state, req.Private)
	is := provenance{Shown: was.Shown} // a record that the configuration was brought up to is ours
	switch {
	case was.Planned:
		is = was // the record stands
	case plan.writes(state):
		if !r.decide(ctx, c, plan.Identity, &resp.Diagnostics) {
			return
		}
		is = provenanceAfter(c)
	}

	resp.Diagnostics.Append(is.write(ctx, plan, resp.Private)...)
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

	c, _ := state.caseOf(ctx, choice.Withdraw, state, req.Private)
	c.Object = tfkit.ObjectIn(ctx, resp.Private, objectLabel)
	r.decide(ctx, c, state.Identity, &resp.Diagnostics)
}

func (r *consentResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	if !r.ImportIdentity(ctx, req, resp) {
		return
	}

	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("keep_later_choice"), true)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("on_destroy"), retain)...)
	resp.Diagnostics.Append(provenance{NoAddress: req.ID == ""}.write(ctx, resourceModel{}, resp.Private)...)
	tfkit.ObjectIn(ctx, resp.Private, objectLabel)
}

// MoveState takes over the person of a generic provider's resource. The first refresh then
// reads the consent, as after an import.
func (r *consentResource) MoveState(context.Context) []resource.StateMover {
	return tfkit.StateMovers("consent", map[string]any{"keep_later_choice": true, "on_destroy": retain})
}

// decide reads, writes or withdraws the consent of a person, a second time after a pause if the first reading
// contradicts what is known. It reports an error, and warns of a record that stands or is missing.
func (r *consentResource) decide(ctx context.Context, c *tfkit.ConsentCase, about tfkit.Identity, diags *diag.Diagnostics) (ok bool) {
	_, scope, ok := r.ClientAndScope(about.Scope, diags)
	if !ok {
		return false
	}

	c.Person = client.Person{Scope: scope, Identity: about.IdentityID.ValueString()}
	err := r.JudgeConsent(ctx, c)
	if err == nil && c.Act == choice.Ask {
		_ = r.Consents.WaitToReread(ctx, r.Client.Lag) // the request fails where this does
		c.Twice = true
		err = r.JudgeConsent(ctx, c)
	}

	switch {
	case err != nil:
		addError(err, c, diags)
	case c.Act == choice.Stand:
		warnStands(diags, c.Evidence)
	case c.Act == choice.Withhold:
		tfkit.SupersededWithdrawal.With(other(c.Keeper, scope)).AddWarning(diags)
	case c.Verdict == choice.Missing:
		tfkit.MissingConsent.AddWarning(diags)
	}

	return err == nil
}

// addError reports what a read, a write or a withdrawal has failed with.
func addError(err error, c *tfkit.ConsentCase, diags *diag.Diagnostics) {
	p := tfkit.ProblemOf(err, tfkit.PriorKept, decode.ConsentFields...)
	if c.Action == choice.Write && !c.Known {
		p.InState = tfkit.NothingSaved
	}
	if errors.Is(err, client.ErrMissing) {
		p.Do = tfkit.AdviceApplyAgain
	}
	if c.Action == choice.Withdraw && transport.IsClass(err, transport.ClassRejected) { // it sends no time, and no address that is written only
		p.Do = "if the service wants an agreement_time or an address, set the five clauses to false with them, apply that, and destroy then: nothing is left to withdraw. Otherwise " + p.Do
	}

	p.AddError(diags)
}

// warnStands warns that a record is left alone, because it is or may be a later choice.
func warnStands(diags *diag.Diagnostics, e choice.Evidence) {
	p := tfkit.Problem{
		Summary: "A choice that cannot be compared stands",
		Detail:  "The service holds another record, and no times tell which came first.",
		Do:      "nothing, or bring the configuration up to the person's choice. To overwrite it, on legal grounds or in a test tenant, set keep_later_choice = false, or an agreement_time after the record's.",
	}
	if !e.Since.IsZero() && e.Print.Time > e.Since.UnixMilli() {
		p.Summary = "A later choice of the person stands"
		p.Detail = "The service holds a consent of " + client.FormatInstant(time.UnixMilli(e.Print.Time)) + ", which is later than the configured one of " + client.FormatInstant(e.Since) + "."
	}

	p.Detail += " Nothing is written."
	if e.Print.Clauses == (choice.Record{}).Print().Clauses {
		p.Detail += " It refuses all clauses: maybe an earlier withdrawal."
	}
	p.AddWarning(diags)
}

// other names another object of the run, and the scope of the person whom it is about.
func other(object *tfkit.Object, scope client.Scope) string {
	return "\n" + object.String() + ", in the scope " + scope.String()
}
