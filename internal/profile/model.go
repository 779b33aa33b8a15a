// SPDX-License-Identifier: MPL-2.0

package profile

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// members are top-level members of a profile by name.
type members = map[string]jsontext.Value

// resourceModel is the model of the resource analytics_profile.
type resourceModel struct {
	tfkit.Identity
	Profile           types.String   `tfsdk:"profile"`
	ProfileWO         types.String   `tfsdk:"profile_wo"`
	ProfileWOVersion  types.Int64    `tfsdk:"profile_wo_version"`
	WaitForFulfilment types.Bool     `tfsdk:"wait_for_fulfilment"`
	Fulfilled         types.Bool     `tfsdk:"fulfilled"`
	OnDestroy         types.String   `tfsdk:"on_destroy"`
	Timeouts          tfkit.Timeouts `tfsdk:"timeouts"`
}

// isWriteOnly reports whether the members are write-only.
func (m *resourceModel) isWriteOnly() bool { return !m.ProfileWOVersion.IsNull() }

// members returns the members that are managed, as far as their values are known. Only a configuration
// has write-only ones.
func (m *resourceModel) members() members {
	text := m.Profile
	if !m.ProfileWO.IsNull() {
		text = m.ProfileWO
	}
	managed, _ := formats.JSONObject.Value(text)

	return managed
}

// fromAPI sets the managed members to what the service holds, or to those from which the service
// has made that. A member that is null and that the service does not have stays null. After an
// import, all members are managed. Write-only members have no state. A profile that means the
// same keeps its spelling.
func (m *resourceModel) fromAPI(current members, remembered memory) {
	if m.Profile.IsNull() {
		if !m.isWriteOnly() && m.Fulfilled.IsNull() { // after an import
			m.Profile = types.StringValue(jsonvalue.FormatObject(current))
		}
		return
	}

	observed := members{}
	for name, ours := range m.members() {
		theirs, has := current[name]
		shown := digest(theirs)
		if shown == digest(ours) || shown == remembered.Normalized[name] {
			observed[name] = ours
		} else if has {
			observed[name] = theirs
		}
	}

	m.Profile = formats.JSONObject.KeepSpelling(m.Profile, types.StringValue(jsonvalue.FormatObject(observed)))
}

// changes returns the members to send for an object in state, which stands for the submission s, and
// whether they are known, as they are not always in a plan. m is the configuration. Write-only members
// whose update came to nothing are sent again; the values of others show the difference themselves.
func (m *resourceModel) changes(state resourceModel, s deferred.Submission) (changed members, isKnown bool) {
	if m.isWriteOnly() {
		if m.ProfileWOVersion.Equal(state.ProfileWOVersion) && s.State != deferred.Failed {
			return nil, true
		}
		return m.members(), !m.ProfileWO.IsUnknown()
	}

	before, changed := state.members(), members{}
	for name, value := range m.members() {
		if prior, ok := before[name]; !ok || !jsonvalue.Equal(prior, value) {
			changed[name] = value
		}
	}

	return changed, !m.Profile.IsUnknown()
}

// resumes reports whether an apply waits for the pending update s: because the wait was interrupted, or
// because the apply waits in another way.
func (m *resourceModel) resumes(state resourceModel, s deferred.Submission) bool {
	if m.WaitForFulfilment.Equal(types.BoolValue(false)) || !s.IsOpen() { // a plan does not always know whether to wait
		return false
	}
	return s.Interrupted || !m.WaitForFulfilment.Equal(state.WaitForFulfilment) || !m.Timeouts.Equal(state.Timeouts)
}

// warnDropped warns about those of the names of managed members that the configuration does
// not name any more. Those of write-only members count with a new version only.
func (m *resourceModel) warnDropped(state resourceModel, managed []string, diags *diag.Diagnostics) {
	if m.Profile.IsUnknown() || m.ProfileWO.IsUnknown() {
		return
	}
	if m.ProfileWOVersion.Equal(state.ProfileWOVersion) {
		managed = namesOf(state.members())
	}
	dropped := restOf(managed, m.members())
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

// restOf returns the names that are not those of members.
func restOf(names []string, of members) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, has := of[name]
		return has
	})
}

// namesOf returns the names of members, sorted.
func namesOf(m members) []string { return slices.Sorted(maps.Keys(m)) }
