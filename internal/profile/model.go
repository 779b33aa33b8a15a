// SPDX-License-Identifier: MPL-2.0

package profile

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// members are top-level members of a profile by name.
type members = map[string]jsontext.Value

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

// fromAPI sets the managed members to what the service holds, or to those from which the service has made that. A
// member that is null and that the service does not have stays null. After an import, all members are managed.
func (m *resourceModel) fromAPI(current members, remembered memory) {
	if m.Fulfilled.IsNull() && m.Profile.IsNull() && !m.isWriteOnly() {
		m.Profile = types.StringValue(jsonvalue.FormatObject(current))
	}
	if m.Profile.IsNull() {
		return
	}

	observed := members{}
	for name, ours := range m.members() {
		theirs, has := current[name]
		switch shown := digest(theirs); {
		case shown == digest(ours), shown == remembered.Normalized[name]:
			observed[name] = ours
		case has:
			observed[name] = theirs
		}
	}

	m.Profile = formats.JSONObject.KeepSpelling(m.Profile, types.StringValue(jsonvalue.FormatObject(observed)))
}

// changes returns the members to send for an object in state, which stands for the submission s, and
// whether they are known, as they are not always in a plan. m is the configuration. Write-only members
// whose update came to nothing are sent again; the values of others show the difference themselves.
func (m *resourceModel) changes(state resourceModel, s proof.Submission) (changed members, isKnown bool) {
	changed = m.members()
	if m.isWriteOnly() {
		if m.ProfileWOVersion.Equal(state.ProfileWOVersion) && s.State != proof.Failed {
			return nil, true
		}
		return changed, !m.ProfileWO.IsUnknown()
	}

	before := state.members()
	maps.DeleteFunc(changed, func(name string, value jsontext.Value) bool {
		prior, ok := before[name]
		return ok && jsonvalue.Equal(prior, value)
	})

	return changed, !m.Profile.IsUnknown()
}

// resumes reports whether an apply goes on waiting for the update s: the wait was interrupted, or is another one now.
func (m *resourceModel) resumes(state resourceModel, s proof.Submission) bool {
	if m.WaitForFulfilment.Equal(types.BoolValue(false)) || !s.IsOpen() { // a plan does not always know whether to wait
		return false
	}
	return s.Interrupted || !m.WaitForFulfilment.Equal(state.WaitForFulfilment) || !m.Timeouts.Equal(state.Timeouts)
}

// namesOf returns the names of members, sorted.
func namesOf(m members) []string { return slices.Sorted(maps.Keys(m)) }
