// SPDX-License-Identifier: MPL-2.0

package profile

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/customtypes"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// members are top-level members of a profile by name.
type members = map[string]jsontext.Value

// resourceModel is the model of the resource analytics_profile.
type resourceModel struct {
	tfkit.Identity
	Profile           customtypes.JSONObject `tfsdk:"profile"`
	ProfileWO         customtypes.JSONObject `tfsdk:"profile_wo"`
	ProfileWOVersion  types.Int64            `tfsdk:"profile_wo_version"`
	WaitForFulfilment types.Bool             `tfsdk:"wait_for_fulfilment"`
	Fulfilled         types.Bool             `tfsdk:"fulfilled"`
	OnDestroy         types.String           `tfsdk:"on_destroy"`
	Timeouts          tfkit.Timeouts         `tfsdk:"timeouts"`
}

// check reports a configured text that is no JSON object.
func (m *resourceModel) check(diags *diag.Diagnostics) {
	m.Profile.Check(path.Root("profile"), diags)
	m.ProfileWO.Check(path.Root("profile_wo"), diags)
}

// isImported reports whether the model is the state that an import begins with.
func (m *resourceModel) isImported() bool {
	return m.Profile.IsNull() && m.ProfileWOVersion.IsNull() && m.Fulfilled.IsNull()
}

// managesNothing reports whether an empty object is configured. A person without a profile
// has all members of it.
func (m *resourceModel) managesNothing() bool {
	managed := m.managed()
	return managed != nil && len(managed) == 0
}

// managed returns the members in plan or state; nil if they are write-only.
func (m *resourceModel) managed() members {
	managed, _ := m.Profile.Value()
	return managed
}

// writeOnly returns the write-only members, which only the configuration has; nil if there
// are none.
func (m *resourceModel) writeOnly() members {
	written, _ := m.ProfileWO.Value()
	return written
}

// fromAPI sets the managed members to what the service holds, in the spelling of state if
// that means the same, or from which the service has made them. After an import, all members
// are managed. Write-only members have no state.
func (m *resourceModel) fromAPI(held members, remembered memory) {
	if m.isImported() {
		m.Profile = customtypes.NewJSONObject(held)
		return
	}
	if m.Profile.IsNull() {
		return
	}

	managed := m.managed()
	observed := customtypes.NewJSONObject(observe(managed, remembered.restore(managed, held)))
	if !observed.SemanticEquals(m.Profile) {
		m.Profile = observed
	}
}

// observe returns the managed members with the values in held. A member that is null and
// absent from held stays null.
func observe(managed, held members) members {
	observed := members{}
	for name, value := range managed {
		if got, ok := held[name]; ok {
			observed[name] = got
		} else if value.Kind() == 'n' {
			observed[name] = value
		}
	}

	return observed
}

// planFulfilled plans fulfilled: unknown if the apply sends something or waits, and
// otherwise as it is in state. s is the submission that the object stands for.
func (m *resourceModel) planFulfilled(state resourceModel, s deferred.Submission) {
	m.Fulfilled = state.Fulfilled
	if m.mayChange(state) || m.resumes(state, s) || m.repeats(s) {
		m.Fulfilled = types.BoolUnknown()
	}
}

// resumes reports whether an apply waits for the update that was sent before: to go on with
// a wait that was interrupted, or because it waits in another way now.
func (m *resourceModel) resumes(state resourceModel, s deferred.Submission) bool {
	waitsAnew := s.Interrupted || !m.WaitForFulfilment.Equal(state.WaitForFulfilment) || !m.Timeouts.Equal(state.Timeouts)
	return m.WaitForFulfilment.ValueBool() && s.State.IsOpen() && waitsAnew
}

// repeats reports whether an apply sends write-only members again, because their update
// came to nothing. The values of other members show the difference themselves.
func (m *resourceModel) repeats(s deferred.Submission) bool {
	return !m.ProfileWOVersion.IsNull() && s.State.IsOver()
}

// mayChange reports whether an update has something to send, or whether that is known only
// after apply.
func (m *resourceModel) mayChange(state resourceModel) bool {
	if m.Profile.IsUnknown() || m.ProfileWOVersion.IsUnknown() {
		return true
	}
	if !m.ProfileWOVersion.IsNull() {
		return !m.ProfileWOVersion.Equal(state.ProfileWOVersion)
	}
	return len(differing(state.managed(), m.managed())) > 0
}

// initial returns the members to send for an object that is created. written are the
// write-only ones.
func (m *resourceModel) initial(written members) members {
	if written != nil {
		return written
	}
	return m.managed()
}

// changes returns the members to send for an object in state. written are the write-only
// ones, and s is the submission that the object stands for.
func (m *resourceModel) changes(state resourceModel, written members, s deferred.Submission) members {
	if m.ProfileWOVersion.IsNull() {
		return differing(state.managed(), m.managed())
	}
	if m.ProfileWOVersion.Equal(state.ProfileWOVersion) && !m.repeats(s) {
		return nil
	}
	return written
}

// differing returns the members of now that are not in before, or with another value.
func differing(before, now members) members {
	changed := members{}
	for name, value := range now {
		if prior, ok := before[name]; !ok || !jsonvalue.Equal(prior, value) {
			changed[name] = value
		}
	}
	return changed
}

// areAbsent reports whether the service is known from state not to have changes: the refresh
// has compared their members with it, unless an update is under way.
func (m *resourceModel) areAbsent(changes members, remembered memory) bool {
	managed := m.managed()
	return m.Fulfilled.ValueBool() && !slices.ContainsFunc(namesOf(changes), func(name string) bool {
		_, known := managed[name]
		return !known || remembered.Made[name] != ""
	})
}

// dropped returns those of the names of managed members that the configuration does not name
// any more. Those of write-only members count with a new version only.
func (m *resourceModel) dropped(state resourceModel, managed []string) []string {
	if m.Profile.IsUnknown() || m.ProfileWO.IsUnknown() {
		return nil
	}
	if m.ProfileWOVersion.Equal(state.ProfileWOVersion) {
		managed = namesOf(state.managed())
	}

	return restOf(managed, m.initial(m.writeOnly()))
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
