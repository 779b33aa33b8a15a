// SPDX-License-Identifier: MPL-2.0

// Package consent implements the resource and the data source analytics_consent, the
// consent of one person.
package consent

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/customtypes"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// recordModel holds the consent record (interface, section 2) as attributes.
type recordModel struct {
	Clause1       types.Bool            `tfsdk:"clause_1_consent"`
	Clause2       types.Bool            `tfsdk:"clause_2_consent"`
	Clause3       types.Bool            `tfsdk:"clause_3_consent"`
	Clause4       types.Bool            `tfsdk:"clause_4_consent"`
	Clause5       types.Bool            `tfsdk:"clause_5_consent"`
	UserIPv6      customtypes.IPAddress `tfsdk:"user_ipv6"`
	AgreementTime customtypes.Instant   `tfsdk:"agreement_time"`
	Manual        types.Bool            `tfsdk:"manual"`
}

// clauseTexts are what a person consents to with each clause.
var clauseTexts = [answer.Clauses]string{"application diagnostics", "feature usage", "browser information", "user information", "user behaviour interaction"}

func (m *recordModel) clauses() []*types.Bool {
	return []*types.Bool{&m.Clause1, &m.Clause2, &m.Clause3, &m.Clause4, &m.Clause5}
}

// otherClauses returns the names of the clauses that are not equal.
func (m *recordModel) otherClauses(other recordModel) (names []string) {
	for i, c := range m.clauses() {
		if !c.Equal(*other.clauses()[i]) {
			names = append(names, answer.ClauseNames[i])
		}
	}

	return names
}

// agreed returns the agreement_time; the zero Time if it is not set, or no time.
func (m *recordModel) agreed() time.Time {
	at, _ := m.AgreementTime.Value()
	return at
}

// fromAPI sets all attributes from an answer. A field that the answer lacks becomes null.
func (m *recordModel) fromAPI(held answer.Consent) {
	for i, c := range m.clauses() {
		*c = boolOf(held.Clauses[i])
	}

	m.UserIPv6 = customtypes.IPAddress{}
	if text, ok := held.UserIPv6.Get(); ok && text != "" {
		m.UserIPv6 = customtypes.NewIPAddress(text)
	}

	m.AgreementTime = customtypes.Instant{}
	if t, ok := held.AgreementTime.Get(); ok {
		m.AgreementTime = customtypes.NewInstant(t)
	}

	m.Manual = boolOf(held.Manual)
}

func boolOf(o answer.Optional[bool]) types.Bool {
	if v, ok := o.Get(); ok {
		return types.BoolValue(v)
	}
	return types.BoolNull()
}

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
	m.UserIPv6.Check(path.Root("user_ipv6"), diags)
	m.UserIPv6WO.Check(path.Root("user_ipv6_wo"), diags)
	m.AgreementTime.Check(path.Root("agreement_time"), diags)
}

// choice returns the clauses and manual.
func (m *resourceModel) choice() client.Choice {
	choice := client.Choice{Manual: m.Manual.ValueBool()}
	for i, c := range m.clauses() {
		choice.Clauses[i] = c.ValueBool()
	}

	return choice
}

// written returns the choice in state if this object has written it. It returns nil if a
// choice of the person stands, or a clause is not known.
func (m *resourceModel) written(note choiceNote) *client.Choice {
	isUnknown := slices.ContainsFunc(m.clauses(), func(c *types.Bool) bool { return c.IsNull() })
	if note != (choiceNote{}) || isUnknown {
		return nil
	}

	choice := m.choice()
	return &choice
}

// updateWith returns the update that writes the record. The address of a write-only
// attribute is in the configuration alone.
func (m *resourceModel) updateWith(config resourceModel) client.ConsentUpdate {
	choice := m.choice()
	u := client.ConsentUpdate{Clauses: choice.Clauses, Manual: choice.Manual, AgreementTime: m.agreed()}
	u.UserIPv6, _ = m.UserIPv6.Value()
	if address, ok := config.UserIPv6WO.Value(); ok {
		u.UserIPv6 = address
	}

	return u
}

// differs reports whether there is anything to write. An attribute that is not managed, or no
// longer managed, is not written.
func (m *resourceModel) differs(state resourceModel) bool {
	return len(m.otherClauses(state.recordModel)) > 0 ||
		!m.Manual.Equal(state.Manual) ||
		!m.UserIPv6.IsNull() && !m.UserIPv6.Equal(state.UserIPv6) ||
		!m.AgreementTime.IsNull() && !m.AgreementTime.Equal(state.AgreementTime) ||
		!m.UserIPv6WOVersion.Equal(state.UserIPv6WOVersion)
}

// keepChoice plans the person's choice, which is in state.
func (m *resourceModel) keepChoice(state resourceModel) {
	for i, c := range m.clauses() {
		*c = keepPrior(*c, *state.clauses()[i])
	}

	m.UserIPv6 = keepPrior(m.UserIPv6, state.UserIPv6)
	m.UserIPv6WOVersion = keepPrior(m.UserIPv6WOVersion, state.UserIPv6WOVersion)
	m.AgreementTime = keepPrior(m.AgreementTime, state.AgreementTime)
	m.Manual = state.Manual
}

// keepPrior returns the prior value if both are set, and the planned one otherwise. Terraform
// accepts no other plan for a configured attribute.
func keepPrior[T attr.Value](planned, prior T) T {
	if planned.IsNull() || prior.IsNull() {
		return planned
	}
	return prior
}

// protected returns the time after which a choice of the person stands: the first of times that
// is not zero, or the zero Time if keep_later_choice is false.
func (m *resourceModel) protected(times ...time.Time) time.Time {
	if !m.KeepLaterChoice.ValueBool() {
		return time.Time{}
	}
	return cmp.Or(times...)
}

// since returns the time after which a choice stands against the configuration m. It is the
// noted one if agreement_time is no longer configured.
func (m *resourceModel) since(note choiceNote) time.Time {
	return m.protected(m.agreed(), note.Configured)
}

// comparesNothing reports whether later choices are to stand, and there is no time to compare
// them with.
func (m *resourceModel) comparesNothing(note choiceNote) bool {
	return m.KeepLaterChoice.ValueBool() && !m.AgreementTime.IsUnknown() && m.since(note).IsZero()
}

// leavesAlone reports whether the person's choice in state stands against the configured one,
// and since which time. The time of a choice that stood is no later one: ignore_changes takes
// it from state.
func (m *resourceModel) leavesAlone(state resourceModel, note choiceNote) (since time.Time, stands bool) {
	since, chosen := m.since(note), state.agreed()
	sameClauses := len(m.otherClauses(state.recordModel)) == 0

	switch {
	case since.IsZero(), state.isUnread():
		return since, false
	case note.Untimed:
		return since, !sameClauses
	case chosen.IsZero(): // no longer managed, so only the note tells whether a later choice stood
		return since, note.stands()
	case note.stands() && !sameClauses && chosen.Equal(since):
		since = note.Configured
	}

	isOwn := sameClauses && client.SameTime(chosen, since)

	return since, chosen.UnixMilli() > since.UnixMilli() && !isOwn
}

// isUnread reports whether the state of an import or a move was not refreshed yet.
func (m *resourceModel) isUnread() bool {
	return !slices.ContainsFunc(m.clauses(), func(c *types.Bool) bool { return !c.IsNull() })
}

// hasClausesOf reports whether every clause that the answer has is equal. One that is null is drift
// of the record in state, and no choice.
func (m *resourceModel) hasClausesOf(held answer.Consent) bool {
	for i, c := range m.clauses() {
		if agreed, ok := held.Clauses[i].Get(); ok && agreed != c.ValueBool() {
			return false
		}
	}

	return true
}

// isHeld reports whether the answer may be the record in state, at a service that keeps its
// time to the second.
func (m *resourceModel) isHeld(held answer.Consent) bool {
	at, timed := held.AgreementTime.Get()
	return timed && client.SameTime(at, m.agreed()) && m.hasClausesOf(held)
}

// refresh updates the state from an answer and returns the note to store. The first answer
// after an import is taken over as a whole. Later, a field that the answer lacks keeps its
// value, as does a null field while a choice stands, and an optional attribute that is not
// managed stays null. The framework keeps the spelling of a value that means the same.
func (m *resourceModel) refresh(held answer.Consent, prior choiceNote) choiceNote {
	if m.isUnread() {
		m.fromAPI(held)
		if m.Manual.IsNull() {
			m.Manual = types.BoolValue(true)
		}
		return choiceNote{Untimed: m.AgreementTime.IsNull()}
	}

	note := prior.after(*m, held)
	keepNulls := note.stands()
	keepTime := m.AgreementTime.IsNull() || m.isHeld(held)
	var current recordModel
	current.fromAPI(held)

	for i, c := range m.clauses() {
		if tells(held.Clauses[i], keepNulls) {
			*c = *current.clauses()[i]
		}
	}
	if !m.UserIPv6.IsNull() && tells(held.UserIPv6, keepNulls) {
		m.UserIPv6 = current.UserIPv6
	}
	if !keepTime && tells(held.AgreementTime, keepNulls) {
		m.AgreementTime = current.AgreementTime
	}
	if !current.Manual.IsNull() {
		m.Manual = current.Manual
	}

	return note
}

// tells reports whether a field of an answer tells what the service holds.
func tells[T any](field answer.Optional[T], keepNulls bool) bool {
	if field.IsNull() {
		return !keepNulls
	}
	return !field.IsAbsent()
}

// noteKey is the key of the note in private state.
const noteKey = "later_choice"

// choiceNote records in private state that the service holds a choice that this object has
// not written. State then holds the person's own values, so comparing it with the
// configuration would not show that. The zero note means that no such choice is known.
type choiceNote struct {
	// Configured is the agreement_time of the configuration; zero if there was none.
	Configured time.Time `json:"configured,omitzero"`
	// Untimed reports that the record has no agreement_time, and other clauses than this
	// object has written. It may be a later choice, so it stands.
	Untimed bool `json:"untimed,omitzero"`
	// Unconfigured reports that the record has other clauses than this object has written,
	// and a time, while there is none after which a choice is to stand. It does not stand.
	Unconfigured bool `json:"unconfigured,omitzero"`
	// Planned reports that the plan leaves the choice alone. The apply cannot tell, since its
	// configuration has what ignore_changes hides.
	Planned bool `json:"planned,omitzero"`
}

// readNote returns the note in private state; the zero note if it holds none. Of a state that
// was written by hand, nobody knows whose choice it holds: call it before ObjectIn.
func readNote(ctx context.Context, private tfkit.Private) (n choiceNote) {
	text, _ := private.GetKey(ctx, noteKey)
	_ = json.Unmarshal(text, &n) // fails without a note

	number, _ := private.GetKey(ctx, tfkit.KeyObject)
	n.Untimed = n.Untimed || len(number) == 0

	return n
}

// write stores the note in private state. The zero note removes it.
func (n choiceNote) write(ctx context.Context, private tfkit.Private) diag.Diagnostics {
	if n == (choiceNote{}) {
		return private.SetKey(ctx, noteKey, nil)
	}

	text, _ := json.Marshal(n) // fails only for a year after 9999, which RFC 3339 cannot hold
	return private.SetKey(ctx, noteKey, text)
}

// stands reports whether a choice of the person is known to stand.
func (n choiceNote) stands() bool { return n.Untimed || !n.Configured.IsZero() }

// after returns the note to store after a refresh of state.
func (n choiceNote) after(state resourceModel, held answer.Consent) choiceNote {
	protected := state.protected(n.Configured, state.agreed())
	isOwn := n == choiceNote{} && state.hasClausesOf(held)

	switch {
	case !isOwn && held.IsUntimed():
		return choiceNote{Configured: protected, Untimed: true}
	case !isOwn && protected.IsZero():
		return choiceNote{Unconfigured: true}
	case protected.IsZero() || !held.LaterThan(protected) || isOwn && state.isHeld(held):
		return choiceNote{}
	}

	return choiceNote{Configured: protected}
}
