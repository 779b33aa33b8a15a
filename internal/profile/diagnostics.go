// SPDX-License-Identifier: MPL-2.0

package profile

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// updateName is how messages name the request.
const updateName = "update of the profile"

// What is in state while an update is not fulfilled.
const updateKept = "the object with fulfilled = false"

// nameOf returns how messages name a submission about a person.
func nameOf(s deferred.Submission, person string) string {
	return tfkit.NameRequest(updateName, s.ID, person)
}

// warnAwaited warns that an update that was waited for is not fulfilled.
func warnAwaited(diags *diag.Diagnostics, person string, s deferred.Submission, report deferred.Report) {
	tfkit.WarnUnfinished(diags, "the "+nameOf(s, person), s, report)
	if s.State == deferred.Dropped {
		warnDroppedUpdate(diags, person, s)
	}
}

// warnDroppedUpdate warns of an update that came to nothing.
func warnDroppedUpdate(diags *diag.Diagnostics, person string, s deferred.Submission) {
	tfkit.Problem{
		Summary: "The request left the pending list without a visible effect",
		Detail:  "The " + nameOf(s, person) + " is no longer pending, and its effect cannot be seen at the service.",
		InState: updateKept,
		Do:      tfkit.AdviceApplyAgain,
	}.AddWarning(diags)
}

// warnPending warns of what is unusual about an update that is pending at a refresh.
func warnPending(diags *diag.Diagnostics, person string, s deferred.Submission, report deferred.Report) {
	if report.UnknownStatus {
		tfkit.WarnUnknownStatus(diags, "the "+nameOf(s, person))
		return
	}
	if report.Unproven {
		tfkit.WarnUnproven(diags, "the "+nameOf(s, person))
	}
	if report.Gap == "" {
		return
	}

	tfkit.Problem{
		Summary: "The pending list cannot be read as a whole",
		Detail:  "The list of pending requests does not show whether the " + nameOf(s, person) + " is still pending: " + report.Gap + ".",
		InState: updateKept,
		Do:      "if the setting that is named is right for your service, set it in the provider block.",
	}.AddWarning(diags)
}

// warnRemoved warns that the profile is gone, together with an update that was pending.
func warnRemoved(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "The profile was removed while its update was pending",
		Detail:  "The service has no profile of this person any more, and the update that it had accepted has no effect any more.",
		InState: "nothing of this object",
		Do:      "apply again, which creates the profile again. If the person's data was deleted on purpose, remove the object from the configuration.",
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
	if m.OnDestroy.ValueString() == destroyClears {
		return
	}

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

// warnClearing warns that the update that clears the members is not known to be fulfilled.
func (m *resourceModel) warnClearing(diags *diag.Diagnostics, s deferred.Submission, report deferred.Report) {
	what := "the " + nameOf(s, m.IdentityID.ValueString()) + " that clears the members"
	problem := tfkit.Unfinished(what, report)
	if !m.WaitForFulfilment.ValueBool() {
		problem.Detail = "The service has accepted " + what + ", and this object does not wait for it."
	}
	problem.InState = "nothing of this object"
	problem.AddWarning(diags)
}

// warnNotCleared warns that on_destroy = "clear" sent nothing, because another object of
// the run has written the profile.
func warnNotCleared(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "The profile was not cleared",
		Detail:  "Another object of this run has written the profile of the same person, so on_destroy = \"clear\" would have cleared what it wrote. The usual cause is a renamed key of for_each, or a renamed resource, for which a moved block keeps the object.",
		InState: "the other object; nothing was sent for this one",
	}.AddWarning(diags)
}
