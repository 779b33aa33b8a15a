// SPDX-License-Identifier: MPL-2.0

// Package consent implements analytics_consent, the consent of one person: the resource, the list
// resource, the data source and the ephemeral resource.
package consent

import (
	"context"
	"encoding/json"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// resourceModel holds the attributes of the resource analytics_consent.
type resourceModel struct {
	tfkit.Identity
	recordModel
	UserIPv6WO        types.String `tfsdk:"user_ipv6_wo"`
	UserIPv6WOVersion types.Int64  `tfsdk:"user_ipv6_wo_version"`
	KeepLaterChoice   types.Bool   `tfsdk:"keep_later_choice"`
	OnDestroy         types.String `tfsdk:"on_destroy"`
}

// check reports a configured text that is not what its attribute holds.
func (m *resourceModel) check(diags *diag.Diagnostics) {
	formats.Address.Check(m.UserIPv6, path.Root("user_ipv6"), diags)
	formats.Address.Check(m.UserIPv6WO, path.Root("user_ipv6_wo"), diags)
	formats.Instant.Check(m.AgreementTime, path.Root("agreement_time"), diags)
}

// checkTime reports a configured time that lies in the future. The service may hold any time.
func (m *resourceModel) checkTime(state *resourceModel, diags *diag.Diagnostics) {
	if state != nil && formats.Instant.Same(m.AgreementTime, state.AgreementTime) {
		return
	}
	if err := client.CheckAgreed(m.agreed()); err != nil {
		tfkit.Problem{Summary: "Not a time of agreement", Detail: "The value " + err.Error() + ".", At: path.Root("agreement_time")}.AddError(diags)
	}
}

// wanted returns the record to write. The address of a write-only attribute is in the configuration
// alone.
func (m *resourceModel) wanted(config resourceModel) choice.Record {
	r := m.record()
	if address, ok := formats.Address.Value(config.UserIPv6WO); ok {
		r.UserIPv6 = address
	}

	return r
}

// last returns the write that the state comes from; zero if somebody else's record is in state.
func (m *resourceModel) last(n note) choice.Confirmed {
	if n.Foreign || m.isUnread() {
		return choice.Confirmed{}
	}
	return choice.Confirmed{Sent: choice.PrintOf(m.held(m.agreed())), Shown: n.Shown}
}

// writes reports whether there is anything to write.
func (m *resourceModel) writes(state resourceModel) bool {
	return m.differs(state.recordModel) || !m.UserIPv6WOVersion.Equal(state.UserIPv6WOVersion)
}

// since returns the time that the record in state is compared with. A configuration without a time
// goes by the one before. The time of somebody else's record is not a configured one, although
// ignore_changes takes it from state.
func (m *resourceModel) since(state resourceModel, n note) time.Time {
	since := m.agreed()
	if !n.Foreign || n.Since.IsZero() {
		return since
	}

	isTheirs := since.Equal(state.agreed()) && !m.hasClauses(state.recordModel)
	if since.IsZero() || isTheirs {
		return n.Since
	}

	return since
}

// isUnread reports whether the state of an import or a move was not refreshed yet.
func (m *resourceModel) isUnread() bool { return m.Manual.IsNull() }

// refresh updates the state by a judgement and returns the note to store.
func (m *resourceModel) refresh(j tfkit.Judged, n note) note {
	since := n.Since
	switch {
	case m.isUnread():
		m.fromAPI(j.Held)
		if m.Manual.IsNull() {
			m.Manual = types.BoolValue(true)
		}
	case j.Act == choice.Take:
		if !n.Foreign {
			since = m.agreed()
		}
		m.take(j.Held, false, j.Verdict.On(choice.Plan) == choice.Stand)
	case !n.Foreign:
		if n.Shown == (choice.Print{}) {
			m.take(j.Held, true, false)
		}
		return n
	}

	return foreignNote(since, j.Held)
}

// noteKey is the key of the note in private state.
const noteKey = "later_choice"

// note holds what is known of the record in state beside its values. The zero note is that of a
// record that is ours and is shown as it was sent.
type note struct {
	// Foreign reports that the record is not known to be ours. Since is the agreement_time that
	// was configured when it came about, and At its own time, which state may not have.
	Foreign bool      `json:"foreign,omitzero"`
	Since   time.Time `json:"since,omitzero"`
	At      time.Time `json:"at,omitzero"`
	// Planned reports that the plan leaves the record alone. The apply cannot tell, since its
	// configuration has what ignore_changes hides.
	Planned bool `json:"planned,omitzero"`
	// Shown is how the service showed what this object wrote last, if not as it was sent.
	Shown choice.Print `json:"shown,omitzero"`
}

// noteAfter returns the note after a write, or after one that a record stood against.
func noteAfter(j tfkit.Judged, plan resourceModel) (n note) {
	switch {
	case j.Act == choice.Stand:
		return foreignNote(j.Since, j.Held)
	case j.Last.Shown == j.Last.Sent:
		return note{}
	}

	n.Shown = j.Last.Shown
	if plan.UserIPv6.IsNull() { // of an address that is written only, state has no hash either
		n.Shown.Address = 0
	}

	return n
}

// foreignNote returns the note of somebody else's record.
func foreignNote(since time.Time, held answer.Consent) note {
	at := held.AgreementTime.Value
	return note{Foreign: true, Since: since, At: at}
}

// readNote returns the note in private state; the zero note if it holds none. Of a state that
// was written by hand, nobody knows whose choice it holds: call it before ObjectIn.
func readNote(ctx context.Context, private tfkit.Private) (n note) {
	text, _ := private.GetKey(ctx, noteKey)
	_ = json.Unmarshal(text, &n) // fails without a note

	number, _ := private.GetKey(ctx, tfkit.KeyObject)
	n.Foreign = n.Foreign || len(number) == 0

	return n
}

// write stores the note in private state. The zero note removes it.
func (n note) write(ctx context.Context, private tfkit.Private) diag.Diagnostics {
	if n == (note{}) {
		return private.SetKey(ctx, noteKey, nil)
	}

	text, _ := json.Marshal(n) // fails only for a year after 9999, which RFC 3339 cannot hold
	return private.SetKey(ctx, noteKey, text)
}
