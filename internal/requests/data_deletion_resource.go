package requests

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ resource.ResourceWithConfigure  = (*dataDeletionResource)(nil)
	_ resource.ResourceWithModifyPlan = (*dataDeletionResource)(nil)
)

// NewDataDeletionResource returns the resource analytics_data_deletion.
func NewDataDeletionResource() resource.Resource { return &dataDeletionResource{} }

type dataDeletionResource struct{ tfkit.Resource }

func (r *dataDeletionResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_data_deletion"
}

func (r *dataDeletionResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	attributes := requestAttributes("deletion",
		"Any values; when they change, another deletion is submitted, in place. Use it where data has come in since, for example with a date. Without a change nothing is ever sent again.",
		"Whether to wait until the deletion is carried out: it has left the list of pending requests, and the person's profile is gone or empty. With `false`, a later refresh completes `fulfilled`.",
		nil)

	resp.Schema = schema.Schema{
		MarkdownDescription: "Deletes all data of one person, except their consent, which a deletion does not revoke. It is irreversible: the plan says so, and nothing calls it back.\n\n" +
			"The service accepts the request and carries it out later. A deletion of the person that is pending already is taken over instead of sending another, with a warning. " +
			"An object that is tainted, or replaced without a change of `triggers`, takes over the deletion that it has submitted before, and so does a second object for the same person with the same `triggers` in the same run. " +
			"A plan that destroys the object of a deletion and creates another for the same person with the same `triggers`, such as a renamed key of `for_each`, is refused: a `moved` block keeps the object. " +
			"What cannot be recognised is a deletion that is carried out already, and of which the run knows nothing when it creates the object: " +
			"with `create_before_destroy` (also where it is inherited from an object that depends on this one), after `terraform state rm`, or when an object is removed in one run and written anew in a later one. Another deletion is sent then.\n\n" +
			"Destroying the object only makes Terraform forget it, with a warning; a deletion that is pending stays pending. There is no import: a request is an action, and nothing at the service lasts that could be read.",
		Blocks:     requestBlocks(),
		Attributes: tfkit.AddPendingList(tfkit.AddKeptScope(attributes), deferred.ListComplete, deferred.ListPartial, deferred.ListIgnored),
	}
}

// ModifyPlan says what cannot be undone, and leaves everything else as it is unless
// there is something to send or to wait for.
func (r *dataDeletionResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	moved := r.PlanKeptScope(ctx, req, resp)
	if req.State.Raw.IsNull() {
		r.planCreate(ctx, resp)
		return
	}
	if req.Plan.Raw.IsNull() {
		r.planDestroy(ctx, req, &resp.Diagnostics)
		return
	}

	var state, plan requestModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if moved == tfkit.ScopeMoved && !state.Fulfilled.ValueBool() {
		tfkit.RefuseMoved(&resp.Diagnostics, string(deletion))
		return
	}
	if len(resp.RequiresReplace) > 0 || !plan.IdentityID.Equal(state.IdentityID) {
		return // planned again, as an object to create
	}

	if plan.planChange(state, submissionIn(ctx, req.Private, state)) == changeSubmit {
		warnIrreversible(&resp.Diagnostics)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

func (r *dataDeletionResource) planCreate(ctx context.Context, resp *resource.ModifyPlanResponse) {
	warnIrreversible(&resp.Diagnostics)

	var plan requestModel
	resp.Diagnostics.Append(resp.Plan.Get(ctx, &plan)...)
	request, ok := r.plannedRequest(plan)
	if ok && r.Deferred.PlanCreate(request) {
		addMoved(&resp.Diagnostics)
	}
}

func (r *dataDeletionResource) planDestroy(ctx context.Context, req resource.ModifyPlanRequest, diags *diag.Diagnostics) {
	var state requestModel
	diags.Append(req.State.Get(ctx, &state)...)
	state.warnForgotten(diags)

	request, ok := r.plannedRequest(state)
	if ok && r.Deferred.PlanDestroy(request, submissionIn(ctx, req.Private, state)) {
		addMoved(diags)
	}
}

// plannedRequest returns the request of an object as far as it can be told apart from
// others; false where that is not known yet.
func (r *dataDeletionResource) plannedRequest(m requestModel) (deferred.Request, bool) {
	if r.Service == nil || r.Deferred == nil || m.IdentityID.IsUnknown() || !m.occasionKnown() {
		return deferred.Request{}, false
	}
	scope, known := r.KnownScope(m.Scope)
	return deletionRequest(r.Client, scope, m), known
}

func (r *dataDeletionResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan requestModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.ResolveScope(&plan.Scope)
	request, ok := r.request(plan, &resp.Diagnostics)
	if !ok {
		return
	}

	s, report, err := r.Deferred.Submit(ctx, request, deferred.Submission{})
	if err != nil {
		tfkit.AddError(&resp.Diagnostics, err, tfkit.NothingSaved)
		return
	}
	deletion.warnSubmitted(&resp.Diagnostics, s, report)

	// Saved before waiting: an accepted deletion is never forgotten.
	save := func() {
		plan.fromSubmission(s)
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		resp.Diagnostics.Append(tfkit.WriteSubmission(ctx, resp.Private, tfkit.KeySubmission, s)...)
	}
	save()
	if !plan.waits() {
		return
	}

	s, report = r.Deferred.Await(ctx, request, s, tfkit.CreateTimeout(ctx, plan.Timeouts, defaultTimeout))
	if s.State == deferred.Failed {
		resp.State.RemoveResource(ctx)
		tfkit.AddError(&resp.Diagnostics, request.Rejection(s, report), tfkit.NothingSaved)
		return
	}
	warnAwaited(&resp.Diagnostics, deletion, s, report)
	save()
}

// Read looks after a deletion until it is known to be carried out. What the service
// holds afterwards is another matter: it is not asked any more.
func (r *dataDeletionResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state requestModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.ResolveScope(&state.Scope)
	if state.Fulfilled.ValueBool() {
		if request, ok := r.plannedRequest(state); ok {
			r.Deferred.Note(request, state.submission())
		}
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
		return
	}

	request, ok := r.request(state, &resp.Diagnostics)
	if !ok {
		return
	}
	s, report, err := r.Deferred.Refresh(ctx, request, submissionIn(ctx, req.Private, state))
	if err != nil {
		tfkit.AddError(&resp.Diagnostics, err, tfkit.PriorKept)
		return
	}
	deletion.warnRefreshed(&resp.Diagnostics, s, report)

	state.fromSubmission(s)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
	resp.Diagnostics.Append(tfkit.WriteSubmission(ctx, resp.Private, tfkit.KeySubmission, s)...)
}

// Update submits another deletion for changed triggers, or goes on waiting for the
// one that is accepted. Where another deletion fails, the object stays as it was.
func (r *dataDeletionResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan, state requestModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	request, ok := r.request(plan, &resp.Diagnostics)
	if !ok {
		return
	}

	s := submissionIn(ctx, req.Private, state)
	another, continues := !plan.sameOccasion(state), plan.Fulfilled.IsUnknown()
	save := func() {
		plan.fromSubmission(s)
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		resp.Diagnostics.Append(tfkit.WriteSubmission(ctx, resp.Private, tfkit.KeySubmission, s)...)
	}

	if another {
		sent, report, err := submitAnother(ctx, r.Deferred, request, req.Private, resp.Private, &resp.Diagnostics)
		if err != nil {
			tfkit.AddError(&resp.Diagnostics, err, tfkit.PriorKept)
			return
		}
		deletion.warnSubmitted(&resp.Diagnostics, sent, report)
		s = sent
	}
	save()
	if !continues || !plan.waits() {
		return
	}

	s, report := r.Deferred.Await(ctx, request, s, tfkit.UpdateTimeout(ctx, plan.Timeouts, defaultTimeout))
	if s.State == deferred.Failed && another {
		resp.State.Raw = req.State.Raw
		tfkit.AddError(&resp.Diagnostics, request.Rejection(s, report), tfkit.PriorKept)
		return
	}
	warnAwaited(&resp.Diagnostics, deletion, s, report)
	save()
}

// Delete forgets. What takes the object's place in this run must not send again
// what it has sent, unless nothing came of that.
func (r *dataDeletionResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state requestModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	state.warnForgotten(&resp.Diagnostics)
	if request, ok := r.plannedRequest(state); ok {
		r.Deferred.Forget(request, submissionIn(ctx, req.Private, state))
	}
}

// request returns the deletion that an object stands for, or says what is missing.
func (r *dataDeletionResource) request(m requestModel, diags *diag.Diagnostics) (deferred.Request, bool) {
	c, scope, ok := r.ClientAndScope(m.Scope, diags)
	return deletionRequest(c, scope, m), ok
}

func deletionRequest(c *client.Client, scope client.Scope, m requestModel) deferred.Request {
	identity := m.IdentityID.ValueString()
	request := deferred.Request{
		Scope: scope, Identity: identity, Type: client.RequestDataDeletion, Occasion: m.occasion(),
		Against: []string{client.RequestProfileUpdate, client.RequestDataAccess},
		Adopts:  true,
		Once:    true,
		Send: func(ctx context.Context) (client.Receipt, error) {
			return c.DeleteData(ctx, scope, identity)
		},
		Effect: c.ProfileGone(scope, identity),
	}
	m.Apply(&request)
	return request
}

func warnIrreversible(diags *diag.Diagnostics) {
	diags.AddWarning("Deleting all data of a person is irreversible",
		"Applying this plan asks the service to delete all data of a person. It cannot be undone, and the service has no way to call it back. "+
			"Consent is not revoked by it; analytics_consent does that.\n\n"+
			"Nothing is sent where such a deletion is pending already, or where this object is replaced without a change of triggers: the deletion that is known is taken over then.")
}

// addMoved refuses a plan that would send a deletion again.
func addMoved(diags *diag.Diagnostics) {
	diags.AddAttributeError(path.Root("identity_id"), "The plan would submit a deletion again",
		"The plan destroys the object that stands for a deletion, and creates another one for the same person with the same triggers: a renamed key of for_each, or a renamed resource. "+
			"Terraform may create the new object first and hands nothing from one to the other, so the deletion would be sent again.\n\n"+
			"In state now: the object as it was; nothing was sent.\n"+
			"What to do: write a moved block from the old address to the new one. To delete once more on purpose, change triggers.")
}

func (m *requestModel) warnForgotten(diags *diag.Diagnostics) {
	if m.Fulfilled.ValueBool() {
		diags.AddWarning("The deletion is only forgotten",
			"Destroying this object only makes Terraform forget it. The deletion that it stands for is done and cannot be undone.")
		return
	}
	diags.AddWarning("The deletion cannot be undone",
		"Destroying this object only makes Terraform forget it. The deletion that it stands for, request "+shownID(m.RequestID.ValueString())+", has been accepted: it stays pending at the service, which has no way to call it back.")
}
