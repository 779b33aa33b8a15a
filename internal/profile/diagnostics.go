// SPDX-License-Identifier: MPL-2.0

package profile

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// updateName is how messages name the request.
const updateName = "update of the profile"

// How messages speak of an update for which an object stands, and of one that clears the members
// of an object that is destroyed.
var (
	ofObject = tfkit.Messages{
		Name: updateName, InState: tfkit.NotFulfilled,
		Advice: tfkit.RequestAdvice{Pending: tfkit.AdviceLater, Unproven: tfkit.AdviceEachRefresh, Over: tfkit.AdviceApplyAgain},
	}
	ofDestroy = tfkit.Messages{
		Name: updateName + " that clears the members", InState: "nothing of this resource",
		Advice: tfkit.RequestAdvice{Pending: tfkit.AdviceInvoked.Pending, Unproven: tfkit.AdviceInvoked.Pending, Over: tfkit.AdviceApplyAgain},
	}
)

// warnDropped warns about those of the names of managed members that the configuration does
// not name any more. Those of write-only members count with a new version only.
func (m *resourceModel) warnDropped(state resourceModel, managed []string, diags *diag.Diagnostics) {
	if m.Profile.IsUnknown() || m.ProfileWO.IsUnknown() {
		return
	}
	if m.ProfileWOVersion.Equal(state.ProfileWOVersion) {
		managed = namesOf(state.managed())
	}
	dropped := restOf(managed, m.configured())
	if len(dropped) == 0 {
		return
	}

	tfkit.Problem{
		Summary: "Members that are no longer managed",
		Detail:  "The configuration does not name these members of the profile any more, so they stay at the service as they are: " + strings.Join(dropped, ", ") + ".",
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
