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
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

var (
	_ resource.ResourceWithConfigure  = (*dataDeletionResource)(nil)
	_ resource.ResourceWithModifyPlan = (*dataDeletionResource)(nil)
)

// NewDataDeletionResource returns the resource analytics_data_deletion.
func NewDataDeletionResource() resource.Resource {
	return &dataDeletionResource{requestResource{messages: deletion, newModel: func() object { return &deletionModel{} }}}
}

type dataDeletionResource struct{ requestResource }

func (r *dataDeletionResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_data_deletion"
}

func (r *dataDeletionResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = requestSchema(descriptions{
		resource: "Deletes all data of one person, except the consent record, once for each value of `triggers`.",
		request:  deletion.Name,
		triggers: "Arbitrary values, such as a date. Changing them submits another deletion, for data that has arrived since.",
		wait:     "Whether to wait until the deletion is carried out. If `false`, a later refresh sets `fulfilled`.",
	}, nil)
}

// deletion is how messages speak of a deletion for which an object stands.
var deletion = tfkit.Messages{
	Name: "deletion", InState: tfkit.NotFulfilled,
	Advice: tfkit.RequestAdvice{Pending: tfkit.AdviceLater, Unproven: tfkit.AdviceEachRefresh, Over: adviceTriggers},
}

// deletionModel is the model of analytics_data_deletion.
type deletionModel struct{ requestModel }

// planSubmit warns about a plan that submits a deletion, and refuses it if another object in
// state stands for the deletion, or the provider is read-only.
func (m *deletionModel) planSubmit(r *tfkit.Resource, state object, diags *diag.Diagnostics) {
	r.RefuseReadOnly(diags)
	tfkit.Problem{
		Summary: summaryIrreversible,
		Detail: "Applying this plan asks the service to delete all data of a person. " + detailIrreversible + "\n\n" +
			"Nothing is sent if such a deletion is pending already: the resource takes it over. If the deletion was carried out before, it is sent again where this plan does not read the resource that stands for it: because -target leaves that resource out, because it belongs to another provider configuration, or because identity_id, triggers or the scope are known only after apply.",
	}.AddWarning(diags)

	about, known := m.plannedCase(r)
	if !known || state != nil && m.sameOccasion(state.base()) { // the object itself stands for it
		return
	}
	if _, repeated := r.Deletions.PlanAgainst(tfkit.NewObject(DeletionType), about); repeated {
		addRepeated(diags)
	}
}

// plannedCase returns the case of a deletion, and whether they are known yet.
func (m *deletionModel) plannedCase(r *tfkit.Resource) (about client.Person, known bool) {
	key, keyKnown := m.idempotencyKey()
	scope, scopeKnown := r.KnownScope(m.Scope)

	return caseOf(client.Person{Scope: scope, Identity: m.IdentityID.ValueString()}, key), keyKnown && scopeKnown && !m.IdentityID.IsUnknown()
}

// applied ends what was planned about the deletion, because it is submitted or forgotten now.
func (m *deletionModel) applied(r *tfkit.Resource) {
	if about, known := m.plannedCase(r); known {
		r.Deletions.Carried(about)
	}
}

func (m *deletionModel) newOperation(_ *tfkit.Resource, run tfkit.Run, c *client.Client, scope client.Scope) operation {
	run.Request = m.request(c, scope)
	return &requestRun{Run: run, model: m}
}

// isIntact reports true: data that come in after a deletion are no drift.
func (m *deletionModel) isIntact(context.Context, *diag.Diagnostics) bool { return true }

// forget lets an object that takes the place of this one in the run stand for the deletion,
// unless it came to nothing.
func (m *deletionModel) forget(_ context.Context, r *tfkit.Resource, s deferred.Submission) {
	if scope, known := r.KnownScope(m.Scope); known && r.Deferred != nil {
		r.Deferred.Note(m.request(r.Client, scope), s)
	}
}

// warnDestroyed warns that destroying the object does not undo the deletion.
func (m *deletionModel) warnDestroyed(diags *diag.Diagnostics) {
	m.warnForgotten(deletion.Name, tfkit.Problem{
		Summary: "Terraform only forgets the deletion",
		Detail:  "Destroying this resource only removes it from state. The deletion that it stands for is carried out and cannot be undone.",
	}, diags)
}

// request returns the request that an object stands for.
func (m *deletionModel) request(c *client.Client, scope client.Scope) deferred.Request {
	key, _ := m.idempotencyKey()
	return deletionRequest(c, client.Person{Scope: scope, Identity: m.IdentityID.ValueString()}, key)
}

// deletionRequest returns the request to delete a person's data, once for each idempotency key.
func deletionRequest(c *client.Client, p client.Person, key string) deferred.Request {
	return deferred.Request{
		Person:         p,
		Type:           answer.RequestDataDeletion,
		IdempotencyKey: key,
		Against:        []string{answer.RequestProfileUpdate, answer.RequestDataAccess},
		Adopts:         true,
		Once:           true,
		Send: func(ctx context.Context) (answer.Receipt, error) {
			return c.DeleteData(ctx, p)
		},
		Effect: c.ProfileGone(p),
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
	if _, repeated := service.Deletions.PlanDone(tfkit.NewObject(DeletionType), about); repeated {
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
	detailIrreversible  = "It cannot be undone, and the service offers no way to cancel it. Consent is not revoked by it; use analytics_consent for that."
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
