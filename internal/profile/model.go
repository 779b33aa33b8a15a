// SPDX-License-Identifier: MPL-2.0

package profile

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
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

// check reports a configured text that is not a JSON object.
func (m *resourceModel) check(diags *diag.Diagnostics) {
	formats.JSONObject.Check(m.Profile, path.Root("profile"), diags)
	formats.JSONObject.Check(m.ProfileWO, path.Root("profile_wo"), diags)
}

// isWriteOnly reports whether the members are write-only.
func (m *resourceModel) isWriteOnly() bool { return !m.ProfileWOVersion.IsNull() }

// managed returns the members in plan or state; nil if they are write-only.
func (m *resourceModel) managed() members {
	managed, _ := formats.JSONObject.Value(m.Profile)
	return managed
}

// configured returns the members in the configuration, write-only or not.
func (m *resourceModel) configured() members {
	if written, ok := formats.JSONObject.Value(m.ProfileWO); ok {
		return written
	}
	return m.managed()
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
	for name, value := range m.managed() {
		got, has := current[name]
		isOurs := remembered.Normalized[name] == digest(name, current)

		switch {
		case isOurs:
			observed[name] = value
		case !has && value.Kind() == 'n':
			observed[name] = value
		case has:
			observed[name] = got
		}
	}

	m.Profile = formats.JSONObject.KeepSpelling(m.Profile, types.StringValue(jsonvalue.FormatObject(observed)))
}

// changes returns the members to send for an object in state, which stands for the submission
// s. m is the configuration. Write-only members whose update came to nothing are sent again;
// the values of others show the difference themselves.
func (m *resourceModel) changes(state resourceModel, s deferred.Submission) members {
	if m.isWriteOnly() {
		if m.ProfileWOVersion.Equal(state.ProfileWOVersion) && s.State != deferred.Failed {
			return nil
		}
		return m.configured()
	}

	before, changed := state.managed(), members{}
	for name, value := range m.managed() {
		if prior, ok := before[name]; !ok || !jsonvalue.Equal(prior, value) {
			changed[name] = value
		}
	}

	return changed
}

// mayChange reports whether an apply may send something that is not known yet, or waits for the
// update s: because the wait was interrupted, or because the apply waits in another way.
func (m *resourceModel) mayChange(config, state resourceModel, s deferred.Submission) bool {
	isUnknown := config.Profile.IsUnknown()
	if s.State == deferred.Failed {
		isUnknown = isUnknown || config.ProfileWO.IsUnknown()
	}
	if isUnknown || !m.ProfileWOVersion.Equal(state.ProfileWOVersion) {
		return true
	}
	if !m.WaitForFulfilment.ValueBool() || !s.IsOpen() {
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

// restOf returns the names that are not those of members.
func restOf(names []string, of members) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, has := of[name]
		return has
	})
}

// nulls returns the update that clears members.
func nulls(names []string) members {
	update := members{}
	for _, name := range names {
		update[name] = jsontext.Value("null")
	}
	return update
}

// namesOf returns the names of members, sorted.
func namesOf(m members) []string { return slices.Sorted(maps.Keys(m)) }
