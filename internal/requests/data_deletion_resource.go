// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/run"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ resource.ResourceWithConfigure  = (*dataDeletionResource)(nil)
	_ resource.ResourceWithModifyPlan = (*dataDeletionResource)(nil)
)

// NewDataDeletionResource returns the resource analytics_data_deletion.
func NewDataDeletionResource() resource.Resource { return &dataDeletionResource{} }

type dataDeletionResource struct{ tfkit.Resource }

// deletion is how messages speak of a deletion for which an object stands.
var deletion = run.Messages{
	Name: "deletion", InState: run.NotFulfilled,
	Advice: run.Advice{Pending: run.AdviceLater, Unproven: run.AdviceEachRefresh, Over: adviceTriggers, Void: run.AdviceVoid},
}

func (r *dataDeletionResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = DeletionType
}

func (r *dataDeletionResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = requestSchema(descriptions{
		resource: "Deletes all data of one person, except the consent record, once for each change of `triggers`.",
		request:  deletion.Name,
		triggers: "Arbitrary values, such as a date. Changing them submits another deletion, for data that has arrived since.",
		wait:     "Whether to wait until the deletion is carried out. If `false`, a later refresh sets `fulfilled`.",
	}, nil)
}

// ModifyPlan keeps the computed attributes of an object in state, unless an apply has
// something to submit or to wait for. It warns that a deletion cannot be undone.
func (r *dataDeletionResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	isMoved, isNew := r.PlanKeptScope(ctx, req, resp), req.State.Raw.IsNull()
	var state, plan requestModel
	if !isNew {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if req.Plan.Raw.IsNull() {
		r.warnDestroyed(&state, &resp.Diagnostics)
		return
	}
	resp.Diagnostics.Append(resp.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}

	if isMoved && !state.Fulfilled.ValueBool() {
		tfkit.RefuseMoved(&resp.Diagnostics, deletion.Name)
		return
	}
	if isNew || len(resp.RequiresReplace) > 0 || !plan.IdentityID.Equal(state.IdentityID) {
		// To replace an object, which it may do only after it creates the new one, Terraform plans
		// again without a state, and shows the warnings of the first plan alone.
		r.planSubmit(&plan, &resp.Diagnostics)
		return
	}

	known := run.Read(ctx, req.Private)
	if plan.plan(&state, known, deletion.Name, &resp.Diagnostics) == submits {
		if plan.sameOccasion(&state) { // the object itself stands for it
			r.warnIrreversible(&resp.Diagnostics)
		} else {
			r.planSubmit(&plan, &resp.Diagnostics)
		}
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// planSubmit warns about a plan that submits a deletion, and refuses it if another object in
// state stands for the deletion, or the provider is read-only.
func (r *dataDeletionResource) planSubmit(plan *requestModel, diags *diag.Diagnostics) {
	r.warnIrreversible(diags)
	about, known := r.caseOf(plan)
	if !known {
		return
	}
	if other := r.Deletions.PlanAgainst(tfkit.NewObject(DeletionType), about); other != nil {
		addRepeated(diags)
	}
}

// warnIrreversible warns that a deletion cannot be undone, and refuses it if the provider is
// read-only.
func (r *dataDeletionResource) warnIrreversible(diags *diag.Diagnostics) {
	r.RefuseReadOnly(diags)
	tfkit.Problem{
		Summary: summaryIrreversible,
		Detail:  "Applying this plan asks the service to delete all data of a person. " + detailIrreversible,
	}.AddWarning(diags)
}

// warnDestroyed warns that destroying the object does not undo the deletion.
func (r *dataDeletionResource) warnDestroyed(state *requestModel, diags *diag.Diagnostics) {
	if !state.Fulfilled.ValueBool() {
		state.warnForgotten(deletion.Name, diags)
		return
	}

	tfkit.Problem{
		Summary: "Terraform only forgets the deletion",
		Detail:  "Destroying this resource only removes it from state. The deletion that it stands for is carried out and cannot be undone.",
	}.AddWarning(diags)
}

// caseOf returns the case of a deletion, and whether it is known yet.
func (r *dataDeletionResource) caseOf(m *requestModel) (about client.Person, known bool) {
	key, keyKnown := m.idempotencyKey()
	scope, scopeKnown := r.KnownScope(m.Scope)
	isKnown := keyKnown && scopeKnown && !m.IdentityID.IsUnknown()

	return caseOf(m.person(scope), key), isKnown
}

// begin returns the run of an object.
func (r *dataDeletionResource) begin(ctx context.Context, m *requestModel, resp run.Response) (*run.Run, bool) {
	c, scope, ok := r.ClientAndScope(m.Scope, resp.Diags)
	if !ok {
		return nil, false
	}

	o := run.OfObject(ctx, r.Service, resp)
	o.Messages, o.Waits = deletion, m.Wait.ValueBool()
	key, _ := m.idempotencyKey()
	o.Request = deletionRequest(c, m.person(scope), key)

	return &o, true
}

func (r *dataDeletionResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan requestModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ResolveScope(&plan.Scope)
	o, ok := r.begin(ctx, &plan, run.Response{State: &resp.State, Private: resp.Private, Diags: &resp.Diagnostics})
	if !ok {
		return
	}

	o.Limit, _ = plan.Timeouts.Create(ctx, defaultTimeout)
	r.submit(ctx, o, &plan)
}

// Read looks at the deletion until it is known to be carried out. Data that come in afterwards do
// not count as drift.
func (r *dataDeletionResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state requestModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	r.ReadScope(&state.Scope)
	if state.Fulfilled.ValueBool() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
		return
	}

	o, ok := r.begin(ctx, &state, run.Response{State: &resp.State, Private: resp.Private, Diags: &resp.Diagnostics})
	if !ok {
		return
	}
	state.recall(&o.Document)
	if o.Refresh(ctx) {
		o.Warn()
		o.Save(ctx, state.withSubmission(o.Submission))
	}
}

// Update submits another deletion if triggers have changed, and otherwise goes on with the
// accepted one. If another deletion fails, the object stays as it was.
func (r *dataDeletionResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var plan, state requestModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}

	o, ok := r.begin(ctx, &plan, run.Response{State: &resp.State, Private: resp.Private, Diags: &resp.Diagnostics})
	if !ok {
		return
	}

	o.Limit, _ = plan.Timeouts.Update(ctx, defaultTimeout)
	waits := plan.Fulfilled.IsUnknown()
	plan.keepComputed(&state)

	switch {
	case plan.isToSubmit(&state, o.Submission):
		r.submit(ctx, o, &plan)
	case waits:
		r.finish(ctx, o, &plan)
	default:
		o.Save(ctx, &plan)
	}
}

// Delete forgets the deletion, which nothing calls back. An object that takes the place of this one
// in the run stands for the deletion then, unless it came to nothing. The plan has warned.
func (r *dataDeletionResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	var state requestModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	scope, known := r.KnownScope(state.Scope)
	if resp.Diagnostics.HasError() || !known {
		return
	}

	key, _ := state.idempotencyKey()
	r.Deletions.Forget(caseOf(state.person(scope), key))
	if r.Deferred != nil {
		r.Deferred.Note(deletionRequest(r.Client, state.person(scope), key), run.Read(ctx, req.Private).Submission)
	}
}

// submit submits the deletion of an object, and waits for it. What was planned about it has ended.
func (r *dataDeletionResource) submit(ctx context.Context, o *run.Run, m *requestModel) {
	if about, known := r.caseOf(m); known {
		r.Deletions.Forget(about)
	}

	err := o.Submit(ctx)
	switch {
	case err == nil:
		o.WarnTakenOver()
		r.finish(ctx, o, m)
	case o.KeepsUnknown(ctx, err):
		o.Save(ctx, m.withSubmission(o.Submission))
	default:
		o.Fail(ctx, o.ProblemOf(err))
	}
}

// finish saves the object before it waits, so that an accepted deletion is never forgotten.
func (r *dataDeletionResource) finish(ctx context.Context, o *run.Run, m *requestModel) {
	o.Save(ctx, m.withSubmission(o.Submission))
	if failed := o.Await(ctx); failed != nil {
		o.Fail(ctx, *failed)
		return
	}

	o.Warn()
	o.Save(ctx, m.withSubmission(o.Submission))
}

// deletionRequest returns the request to delete a person's data, once for each idempotency key.
func deletionRequest(c *client.Client, p client.Person, key string) deferred.Request {
	return deferred.Request{
		Person:         p,
		Wanted:         proof.Wanted{Type: answer.RequestDataDeletion},
		IdempotencyKey: key,
		Send: func(ctx context.Context) (answer.Receipt, error) {
			return c.DeleteData(ctx, p)
		},
		Effect: deferred.ProfileGone(c, p),
	}
}

// DeletionType is the type of the resource, and what messages call an object.
const DeletionType = "analytics_data_deletion"

// SeeDeletion records that an object in state stands for a deletion, and refuses a plan that
// submits it again. state is the object as the state file has it. The provider's server calls
// it whenever Terraform shows an object in state, also one that the plan only forgets or does
// not refresh.
func SeeDeletion(service *tfkit.Service, state []byte) (diags diag.Diagnostics) {
	var object struct {
		IdentityID string             `json:"identity_id"`
		Triggers   map[string]*string `json:"triggers"`
		OrgID      string             `json:"org_id"`
		ProjectID  string             `json:"project_id"`
		AccountID  string             `json:"account_id"`
	}
	if json.Unmarshal(state, &object) != nil {
		return nil // the framework reports it
	}

	scope := client.Scope{OrgID: object.OrgID, ProjectID: object.ProjectID, AccountID: object.AccountID}
	scope = cmp.Or(scope, service.DefaultScope) // a state that was written by hand may lack it
	about := caseOf(client.Person{Scope: scope, Identity: object.IdentityID}, occasionOf(object.Triggers))
	if other := service.Deletions.PlanDone(tfkit.NewObject(DeletionType), about); other != nil {
		addRepeated(&diags)
	}

	return diags
}

// caseOf returns what stands for one deletion of a person where the people of a run are recorded. An
// identity has no control characters.
func caseOf(p client.Person, key string) client.Person {
	p.Identity += "\n" + key
	return p
}

// What the plan of a deletion says in any case.
const (
	summaryIrreversible = "Deleting all data of a person is irreversible"
	detailIrreversible  = "It cannot be undone or cancelled, and it does not revoke consent."
)

// addRepeated refuses a plan that would submit a deletion again. Terraform applies it in
// another process, may create an object before it destroys another one, and does not show
// objects to that process that stay as they are.
func addRepeated(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "The plan would submit a deletion again",
		Detail: "A resource in state stands for the deletion of this person with the same triggers, and the plan creates another one for it. Usual causes are a renamed block or key of for_each, an element that was removed from a list of count, persons that were exchanged between blocks, a second block for the person, -replace, replace_triggered_by, and a tainted resource. " +
			"Terraform hands nothing from one resource to another, so the deletion would be sent again.",
		InState: "the resource as it was; nothing was sent",
		Do: "take each resource to the address that its person has now, with terraform state mv OLD NEW, or with a moved block where OLD is no longer configured. If NEW is in state for a person who is no longer configured, run terraform state rm NEW first. " +
			"If the person has not moved, remove the second block, leave -replace or replace_triggered_by out, or run terraform untaint. To delete once more on purpose, change triggers.",
		At: path.Root("identity_id"),
	}.AddError(diags)
}
