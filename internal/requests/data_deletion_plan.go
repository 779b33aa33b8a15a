// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

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
	about := caseOf(object.IdentityID, occasionOf(object.Triggers))
	if _, repeated := service.Deletions.PlanDone(tfkit.NewObject(DeletionType), scope, about); repeated {
		addRepeated(&diags)
	}

	return diags
}

// caseOf returns a person and an occasion as one text. An identity has no control characters.
func caseOf(identity, occasion string) string { return identity + "\n" + occasion }

// ModifyPlan warns that a deletion is irreversible, and keeps the computed attributes of
// an object in state unless an apply has something to submit or to wait for.
func (r *dataDeletionResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	defer r.RecoverAndReport(ctx, &resp.Diagnostics)

	isMoved := r.PlanKeptScope(ctx, req, resp)
	var state, plan requestModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if req.Plan.Raw.IsNull() {
		state.warnDestroyed(&resp.Diagnostics)
		return
	}

	resp.Diagnostics.Append(resp.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if req.State.Raw.IsNull() {
		// Also in place of an object that is destroyed: Terraform may create this one first.
		r.planSubmit(plan, &resp.Diagnostics)
		return
	}

	if isMoved && !state.Fulfilled.ValueBool() {
		tfkit.RefuseMoved(&resp.Diagnostics, deletion.Name)
		return
	}
	if len(resp.RequiresReplace) > 0 || !plan.IdentityID.Equal(state.IdentityID) {
		return // Terraform plans again, without a state
	}

	s := tfkit.ReadSubmission(ctx, req.Private, tfkit.KeySubmission)
	plan.planComputed(state, s)
	if plan.submits(state, s) {
		plan.warnUnanswered(ctx, req.Private, deletion.Name, &resp.Diagnostics)
		if plan.sameOccasion(state) { // the object itself stands for it
			r.warnSubmits(&resp.Diagnostics)
		} else {
			r.planSubmit(plan, &resp.Diagnostics)
		}
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// planSubmit records that the plan submits a deletion, and refuses that if an object in state
// stands for it.
func (r *dataDeletionResource) planSubmit(plan requestModel, diags *diag.Diagnostics) {
	r.warnSubmits(diags)

	request, known := r.plannedRequest(plan)
	if !known {
		return
	}
	if _, repeated := r.Deletions.PlanAgainst(tfkit.NewObject(DeletionType), request.Scope, caseOf(request.Identity, request.Occasion)); repeated {
		addRepeated(diags)
	}
}

// plannedRequest returns the request of a model in which values may be unknown. It reports
// false if the request cannot be told apart from others yet. The request is never sent.
func (r *dataDeletionResource) plannedRequest(m requestModel) (deferred.Request, bool) {
	if r.Service == nil || r.Deferred == nil || m.IdentityID.IsUnknown() || !m.occasionKnown() {
		return deferred.Request{}, false
	}

	scope, known := r.KnownScope(m.Scope)
	return m.deletion(r.Client, scope), known
}

// carriedOut ends what was planned about a deletion, because it is submitted or forgotten now.
func (r *dataDeletionResource) carriedOut(request deferred.Request) {
	r.Deletions.Carried(request.Scope, caseOf(request.Identity, request.Occasion))
}

// What the plan of a deletion says in any case.
const (
	summaryIrreversible = "Deleting all data of a person is irreversible"
	detailIrreversible  = "It cannot be undone, and the service offers no way to cancel it. Consent is not revoked by it; use analytics_consent for that."
)

// warnSubmits warns about a plan that submits a deletion, and refuses it for a provider that
// is read-only.
func (r *dataDeletionResource) warnSubmits(diags *diag.Diagnostics) {
	r.RefuseReadOnly(diags)
	tfkit.Problem{
		Summary: summaryIrreversible,
		Detail: "Applying this plan asks the service to delete all data of a person. " + detailIrreversible + "\n\n" +
			"Nothing is sent if such a deletion is pending already: the resource takes it over. If the deletion was carried out before, it is sent again where this plan does not read the resource that stands for it: because -target leaves that resource out, or because it belongs to another provider configuration.",
	}.AddWarning(diags)
}

// warnDestroyed warns that destroying the object does not undo the deletion.
func (m *requestModel) warnDestroyed(diags *diag.Diagnostics) {
	if !m.Fulfilled.ValueBool() {
		m.warnForgotten(deletion.Name, diags)
		return
	}

	tfkit.Problem{
		Summary: "Terraform only forgets the deletion",
		Detail:  "Destroying this resource only removes it from state. The deletion that it stands for is carried out and cannot be undone.",
	}.AddWarning(diags)
}

// addRepeated refuses a plan that would submit a deletion again. Terraform applies it in
// another process, may create an object before it destroys another one, and does not show
// objects to that process that stay as they are.
func addRepeated(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "The plan would submit a deletion again",
		Detail: "A resource in state stands for the deletion of this person with the same triggers, and the plan creates another one for it. Usual causes are a renamed block or key of for_each, an element that was removed from a list of count, persons that were exchanged between blocks, a second block for the person, -replace, and a tainted resource. " +
			"Terraform hands nothing from one resource to another, so the deletion would be sent again.",
		InState: "the resource as it was; nothing was sent",
		Do: "take each resource to the address that its person has now, with terraform state mv OLD NEW, or with a moved block where OLD is no longer configured. If NEW is in state for a person who is no longer configured, run terraform state rm NEW first. " +
			"If the person has not moved, remove the second block, leave -replace out, or run terraform untaint. To delete once more on purpose, change triggers.",
		At: path.Root("identity_id"),
	}.AddError(diags)
}
