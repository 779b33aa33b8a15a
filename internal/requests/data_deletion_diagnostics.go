package requests

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// warnIrreversible warns about a plan that submits a deletion.
func warnIrreversible(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "Deleting all data of a person is irreversible",
		Detail: "Applying this plan asks the service to delete all data of a person. It cannot be undone, and the service has no way to call it back. " +
			"Consent is not revoked by it; use analytics_consent for that.\n\n" +
			"Nothing is sent if such a deletion is pending already, or if this object is replaced without a change of triggers: the object takes over the deletion that is known.",
	}.AddWarning(diags)
}

// addRepeated refuses a plan that would submit a deletion again.
func addRepeated(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "The plan would submit a deletion again",
		Detail: "The plan destroys the object that stands for a deletion, and creates another one for the same person with the same triggers. The usual cause is a renamed key of for_each, or a renamed resource. " +
			"Terraform may create the new object first and hands nothing from one to the other, so the deletion would be sent again.",
		InState: "the object as it was; nothing was sent",
		Do:      "write a moved block from the old address to the new one. To delete once more on purpose, change triggers.",
		At:      path.Root("identity_id"),
	}.AddError(diags)
}

// warnForgotten warns that destroying the object does not undo the deletion.
func warnForgotten(state requestModel, diags *diag.Diagnostics) {
	if state.Fulfilled.ValueBool() {
		tfkit.Problem{
			Summary: "The deletion is only forgotten",
			Detail:  "Destroying this object only makes Terraform forget it. The deletion that it stands for is carried out and cannot be undone.",
		}.AddWarning(diags)
		return
	}

	tfkit.Problem{
		Summary: "The deletion cannot be undone",
		Detail:  "Destroying this object only makes Terraform forget it. The deletion that it stands for, request " + shownID(state.RequestID.ValueString()) + ", has been accepted: it stays pending at the service, which has no way to call it back.",
	}.AddWarning(diags)
}
