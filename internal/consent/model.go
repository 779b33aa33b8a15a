// SPDX-License-Identifier: MPL-2.0

// Package consent implements the resource and the data source analytics_consent, the
// consent of one person.
package consent

import (
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/customtypes"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// resourceModel holds the attributes of the resource analytics_consent.
type resourceModel struct {
	tfkit.Identity
	recordModel
	UserIPv6WO        customtypes.IPAddress `tfsdk:"user_ipv6_wo"`
	UserIPv6WOVersion types.Int64           `tfsdk:"user_ipv6_wo_version"`
	KeepLaterChoice   types.Bool            `tfsdk:"keep_later_choice"`
	OnDestroy         types.String          `tfsdk:"on_destroy"`
}

// check reports a configured text that is not what its attribute holds.
func (m *resourceModel) check(diags *diag.Diagnostics) {
	m.recordModel.check(diags)
	m.UserIPv6WO.Check(path.Root("user_ipv6_wo"), diags)
}

// updateWith returns the update that writes the record. The address of a write-only
// attribute is in the configuration alone.
func (m *resourceModel) updateWith(config resourceModel) client.ConsentUpdate {
	u := m.update()
	if address, ok := config.UserIPv6WO.Value(); ok {
		u.UserIPv6 = address
	}

	return u
}

// differs reports whether there is anything to write.
func (m *resourceModel) differs(state resourceModel) bool {
	return m.recordModel.differs(state.recordModel) || !m.UserIPv6WOVersion.Equal(state.UserIPv6WOVersion)
}

// keepChoice plans the person's choice, which is in state.
func (m *resourceModel) keepChoice(state resourceModel) {
	m.recordModel.keepChoice(state.recordModel)
	m.UserIPv6WOVersion = keepPrior(m.UserIPv6WOVersion, state.UserIPv6WOVersion)
}

// protected returns the time after which a choice of the person stands: agreed, or the zero
// Time if keep_later_choice is false.
func (m *resourceModel) protected(agreed time.Time) time.Time {
	if !m.KeepLaterChoice.ValueBool() {
		return time.Time{}
	}
	return agreed
}

// comparesNothing reports whether later choices are to stand, and there is no time to compare
// them with.
func (m *resourceModel) comparesNothing(note choiceNote) bool {
	return m.KeepLaterChoice.ValueBool() && !m.AgreementTime.IsUnknown() && m.configuredTime(note).IsZero()
}

// configuredTime returns the configured agreement_time: the attribute, or the noted one if
// the attribute is no longer configured. The zero Time is none.
func (m *resourceModel) configuredTime(note choiceNote) time.Time {
	if configured, ok := m.AgreementTime.Value(); ok {
		return configured
	}
	return note.Configured
}

// leavesAlone reports whether the person's choice in state stands against the configured one.
func (m *resourceModel) leavesAlone(state resourceModel, note choiceNote) bool {
	configured := m.configuredTime(note)
	if m.protected(configured).IsZero() {
		return false
	}
	if note.Untimed {
		return !m.sameClauses(state.recordModel)
	}

	chosen, known := state.AgreementTime.Value()
	if !known { // no longer managed, so only the note tells whether a later choice stood
		return note.stands()
	}
	isOwn := client.SameTime(chosen, configured) && m.sameClauses(state.recordModel)

	return chosen.UnixMilli() > configured.UnixMilli() && !isOwn
}

// fromAPI updates the state from an answer and returns the note to store. The first answer
// after an import is taken over as a whole.
func (m *resourceModel) fromAPI(held answer.Consent, prior choiceNote) choiceNote {
	isImported := !slices.ContainsFunc(m.clauses(), func(c *types.Bool) bool { return !c.IsNull() })
	if !isImported {
		note := prior.after(*m, held)
		m.refresh(held, note.stands())

		return note
	}

	m.recordModel.fromAPI(held)
	if m.Manual.IsNull() {
		m.Manual = types.BoolValue(true)
	}

	return choiceNote{Untimed: m.AgreementTime.IsNull()}
}
