// SPDX-License-Identifier: MPL-2.0

package profile

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// updateName is how messages name the request.
const updateName = "update of the profile"

// How messages speak of an update for which an object stands, of one that clears the members
// of an object that is destroyed, and of one that an action sends.
var (
	ofObject  = tfkit.Messages{Name: updateName, InState: tfkit.NotFulfilled, Advice: adviceObject}
	ofDestroy = tfkit.Messages{Name: updateName + " that clears the members", InState: "nothing of this resource", Advice: adviceDestroy}
	ofAction  = tfkit.Messages{Name: updateName, Advice: adviceAction}
)

var (
	adviceObject  = tfkit.RequestAdvice{Pending: tfkit.AdviceLater, Unproven: tfkit.AdviceEachRefresh, Over: tfkit.AdviceApplyAgain}
	adviceDestroy = tfkit.RequestAdvice{Pending: tfkit.AdviceInvoked.Pending, Unproven: tfkit.AdviceInvoked.Pending, Over: tfkit.AdviceApplyAgain}
	adviceAction  = tfkit.RequestAdvice{
		Pending:  tfkit.AdviceInvoked.Pending,
		Unproven: tfkit.AdviceInvoked.Unproven,
		Over:     tfkit.AdviceInvoked.Over,
		Unknown:  "look at analytics_pending_requests before you invoke the action again. It sends only what the profile still has then.",
	}
)

// warnRemoved warns that the profile is gone, together with an update that was pending.
func warnRemoved(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "The profile was removed while its update was pending",
		Detail:  "The service has no profile of this person any more, and the update that it had accepted has no effect any more.",
		InState: "nothing of this resource",
		Do:      "apply again, which creates the profile again. If the person's data was deleted on purpose, remove the resource from the configuration.",
	}.AddWarning(diags)
}

// warnDropped warns about members that the plan does not manage any more.
func warnDropped(names []string, diags *diag.Diagnostics) {
	if len(names) == 0 {
		return
	}

	tfkit.Problem{
		Summary: "Members that are no longer managed",
		Detail:  "The configuration does not name these members of the profile any more, so they stay at the service as they are: " + strings.Join(names, ", ") + ".",
		Do:      "nothing, or set a member to null to clear it.",
	}.AddWarning(diags)
}

// warnRetained warns that destroying the object leaves the profile at the service.
func (m *resourceModel) warnRetained(diags *diag.Diagnostics) {
	pending := ""
	if !m.Fulfilled.ValueBool() {
		pending = " Its update is not known to be fulfilled: it may still change the profile, and nothing cancels it."
	}

	tfkit.Problem{
		Summary: "The profile stays at the service",
		Detail:  "Destroying this resource only removes it from state: on_destroy is \"retain\"." + pending,
		Do:      "nothing, if the profile is to stay. To clear the managed members as well, apply on_destroy = \"clear\" first and destroy then; to delete all data of the person, use analytics_data_deletion.",
	}.AddWarning(diags)
}

// warnNotAwaited warns that the destroy does not wait for the update that clears the members.
func warnNotAwaited(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "Accepted and still pending",
		Detail:  "The service has accepted the " + ofDestroy.Name + ", and this resource does not wait for it.",
		InState: ofDestroy.InState,
		Do:      adviceDestroy.Pending,
	}.AddWarning(diags)
}

// warnNotCleared warns of members that on_destroy = "clear" left as they are, because another
// object of the run manages them.
func warnNotCleared(names []string, diags *diag.Diagnostics) {
	if len(names) == 0 {
		return
	}

	tfkit.Problem{
		Summary: "Members of the profile were not cleared",
		Detail:  "Another resource of this run manages these members of the profile of the same person, so on_destroy = \"clear\" leaves them as they are: " + strings.Join(names, ", ") + ". The usual cause is a renamed key of for_each, or a renamed resource, for which a moved block keeps the resource.",
		InState: "the other resource; nothing was sent for these members",
	}.AddWarning(diags)
}

// addManagedByAnother refuses a plan that clears members which another object of the plan
// leaves as they are.
func addManagedByAnother(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "Another resource manages the members to be cleared",
		Detail: "The plan destroys a resource with on_destroy = \"clear\", and another resource manages a member of the profile of the same person and leaves it as it is. " +
			"The member would be cleared, and the next plan would set it again.",
		InState: tfkit.PriorKept,
		Do:      "keep the first resource in the configuration, apply on_destroy = \"retain\", and remove it then.",
	}.AddError(diags)
}
