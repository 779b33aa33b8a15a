// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

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

// planSubmit records that the plan submits a deletion, and refuses that if an object in state
// stands for it.
func (r *dataDeletionResource) planSubmit(plan requestModel, diags *diag.Diagnostics) {
	request, known := r.plannedRequest(plan)
	if !known {
		return
	}
	if _, repeated := r.Deletions.PlanAgainst(tfkit.NewObject(DeletionType), request.Scope, caseOf(request.Identity, request.Occasion)); repeated {
		addRepeated(diags)
	}
}

// carriedOut ends what was planned about a deletion, because it is submitted or forgotten now.
func (r *dataDeletionResource) carriedOut(request deferred.Request) {
	r.Deletions.Carried(request.Scope, caseOf(request.Identity, request.Occasion))
}

// caseOf returns a person and an occasion as one text. An identity has no control characters.
func caseOf(identity, occasion string) string { return identity + "\n" + occasion }

// addRepeated refuses a plan that would submit a deletion again. Terraform applies it in
// another process, may create an object before it destroys another one, and does not show
// objects to that process that stay as they are.
func addRepeated(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "The plan would submit a deletion again",
		Detail: "An object in state stands for the deletion of this person with the same triggers, and the plan creates another one for it. Usual causes are a renamed block or key of for_each, an element that was removed from a list of count, persons that were exchanged between blocks, a second block for the person, -replace, and a tainted object. " +
			"Terraform hands nothing from one object to another, so the deletion would be sent again.",
		InState: "the object as it was; nothing was sent",
		Do: "take each object to the address that its person has now, with terraform state mv OLD NEW, or with a moved block where OLD is no longer configured. Where NEW holds an object whose person has none any more, run terraform state rm NEW before. " +
			"If the person has not moved, remove the second block, leave -replace out, or run terraform untaint. To delete once more on purpose, change triggers.",
		At: path.Root("identity_id"),
	}.AddError(diags)
}
