// Package profile is the Terraform side of a user's profile record, of which only
// the top-level members that are configured are managed.
package profile

import (
	"context"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/customtypes"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// members are top-level members of a profile by name.
type members = map[string]jsontext.Value

// resourceModel is the resource analytics_profile.
type resourceModel struct {
	tfkit.Scope
	tfkit.PendingListOptions
	IdentityID        types.String           `tfsdk:"identity_id"`
	Profile           customtypes.JSONObject `tfsdk:"profile"`
	ProfileWO         customtypes.JSONObject `tfsdk:"profile_wo"`
	ProfileWOVersion  types.Int64            `tfsdk:"profile_wo_version"`
	WaitForFulfilment types.Bool             `tfsdk:"wait_for_fulfilment"`
	Fulfilled         types.Bool             `tfsdk:"fulfilled"`
	OnDestroy         types.String           `tfsdk:"on_destroy"`
	Timeouts          tfkit.Timeouts         `tfsdk:"timeouts"`
}

// isImported is the state that an import begins with.
func (m *resourceModel) isImported() bool {
	return m.Profile.IsNull() && m.ProfileWOVersion.IsNull() && m.Fulfilled.IsNull()
}

// managesNothing reports a profile that is configured as an empty object: a person
// without a profile has all of it.
func (m *resourceModel) managesNothing() bool {
	managed := m.managed()
	return managed != nil && len(managed) == 0
}

// resumes reports whether an apply goes on with a wait that was interrupted.
func (m *resourceModel) resumes(ctx context.Context, private tfkit.PrivateReader) bool {
	s, _ := tfkit.ReadSubmission(ctx, private, tfkit.KeySubmission)
	return m.WaitForFulfilment.ValueBool() && s.Interrupted && s.State.IsOpen()
}

// managed are the members in plan or state; nil where they are write-only.
func (m *resourceModel) managed() members {
	managed, _ := m.Profile.Value()
	return managed
}

// changes are the members that have to be sent to get from state to the plan.
// written are those of the write-only attribute, which only the configuration has.
func (m *resourceModel) changes(state *resourceModel, written members) members {
	if state == nil {
		if written != nil {
			return written
		}
		return m.managed()
	}

	if !m.ProfileWOVersion.IsNull() {
		if m.ProfileWOVersion.Equal(state.ProfileWOVersion) {
			return nil
		}
		return written
	}

	changed := members{}
	before := state.managed()
	for name, v := range m.managed() {
		if prior, ok := before[name]; !ok || !jsonvalue.Equal(prior, v) {
			changed[name] = v
		}
	}
	return changed
}

// mayChange reports whether an update may have anything to send, also where that
// is known only after apply.
func (m *resourceModel) mayChange(state resourceModel) bool {
	if m.Profile.IsUnknown() || m.ProfileWOVersion.IsUnknown() || !m.ProfileWOVersion.Equal(state.ProfileWOVersion) && !m.ProfileWOVersion.IsNull() {
		return true
	}
	return len(m.changes(&state, nil)) > 0
}

// dropped are the names that state manages and the plan does not any more.
func (m *resourceModel) dropped(state resourceModel) []string {
	if m.Profile.IsUnknown() || !m.ProfileWOVersion.IsNull() {
		return nil
	}
	kept := m.managed()
	var names []string
	for name := range state.managed() {
		if _, ok := kept[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// show puts into state what the service holds of the managed members, in the
// spelling of state where it means the same. Write-only members have no state.
func (m *resourceModel) show(held members) {
	if m.Profile.IsNull() {
		return
	}
	seen := members{}
	for name, v := range m.managed() {
		switch got, ok := held[name]; {
		case ok:
			seen[name] = got
		case v.Kind() == 'n': // null is as good as absent
			seen[name] = v
		}
	}
	if observed := customtypes.NewJSONObject(seen); !observed.SemanticEquals(m.Profile) {
		m.Profile = observed
	}
}

// cleared is an update that takes members back.
func cleared(names []string) members {
	nulls := members{}
	for _, name := range names {
		nulls[name] = jsontext.Value("null")
	}
	return nulls
}

func namesOf(m members) []string { return slices.Sorted(maps.Keys(m)) }
