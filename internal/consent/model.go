// Package consent is the Terraform side of a person's consent: what the user
// configures, and what the service holds.
package consent

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

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

func (m *recordModel) clauses() [client.Clauses]*types.Bool {
	return [client.Clauses]*types.Bool{&m.Clause1, &m.Clause2, &m.Clause3, &m.Clause4, &m.Clause5}
}

// knowsNoClause reports whether all clauses are null, as in the state that an import
// begins with.
func (m *recordModel) knowsNoClause() bool {
	for _, c := range m.clauses() {
		if !c.IsNull() {
			return false
		}
	}

	return true
}

// update returns the record as it is sent.
func (m *recordModel) update() client.ConsentUpdate {
	var u client.ConsentUpdate
	for i, c := range m.clauses() {
		u.Clauses[i] = c.ValueBool()
	}

	u.UserIPv6, _ = m.UserIPv6.Value()
	u.AgreementTime, _ = m.AgreementTime.Value()
	u.Manual = m.Manual.ValueBool()

	return u
}

// withdrawal returns an update that withdraws all five clauses. A withdrawal carries no
// agreement_time, and makes no record of a person whose data is gone.
func (m *recordModel) withdrawal() client.ConsentUpdate {
	u := client.ConsentUpdate{Manual: m.Manual.ValueBool(), OnlyKnown: true}
	u.UserIPv6, _ = m.UserIPv6.Value()
	return u
}

// written returns the clauses in state as those of our last write; nil where a choice of
// the person stands, or a clause is not known.
func (m *recordModel) written(note laterNote) *[client.Clauses]bool {
	if note.stands() {
		return nil
	}

	var clauses [client.Clauses]bool
	for i, c := range m.clauses() {
		if c.IsNull() || c.IsUnknown() {
			return nil
		}
		clauses[i] = c.ValueBool()
	}

	return &clauses
}

// hasClausesOf reports whether no clause of an answer differs. A clause that the answer
// lacks does not.
func (m *recordModel) hasClausesOf(held client.Consent) bool {
	for i, c := range m.clauses() {
		if agreed, ok := held.Clauses[i].Get(); ok && agreed != c.ValueBool() {
			return false
		}
	}

	return true
}

// sameClauses reports whether five clauses are equal.
func (m *recordModel) sameClauses(other recordModel) bool {
	for i, c := range m.clauses() {
		if !c.Equal(*other.clauses()[i]) {
			return false
		}
	}

	return true
}

// fill takes over all fields of an answer. A field that the answer lacks is null.
func (m *recordModel) fill(held client.Consent) {
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

func boolOf(o client.Optional[bool]) types.Bool {
	if v, ok := o.Get(); ok {
		return types.BoolValue(v)
	}
	return types.BoolNull()
}

// refresh updates the state with an answer. A field that the answer lacks keeps its value,
// and so does a null field with keepNulls. An optional attribute that is not managed stays
// out of state.
func (m *recordModel) refresh(held client.Consent, keepNulls bool) {
	var answered recordModel
	answered.fill(held)

	for i, c := range m.clauses() {
		if !isSilent(held.Clauses[i], keepNulls) {
			*c = *answered.clauses()[i]
		}
	}

	if !m.UserIPv6.IsNull() && !isSilent(held.UserIPv6, keepNulls) && !answered.UserIPv6.SemanticEquals(m.UserIPv6) {
		m.UserIPv6 = answered.UserIPv6
	}
	if !m.AgreementTime.IsNull() && !isSilent(held.AgreementTime, keepNulls) && !answered.AgreementTime.SemanticEquals(m.AgreementTime) {
		m.AgreementTime = answered.AgreementTime
	}
	if !answered.Manual.IsNull() {
		m.Manual = answered.Manual
	}
}

// isSilent reports whether a field says nothing about the value that is known.
func isSilent[T any](field client.Optional[T], keepNulls bool) bool {
	return field.IsAbsent() || keepNulls && field.IsNull()
}

// keepSpelling plans the spelling in state of values that mean the same.
func (m *recordModel) keepSpelling(state recordModel) {
	if m.UserIPv6.SemanticEquals(state.UserIPv6) {
		m.UserIPv6 = state.UserIPv6
	}
	if m.AgreementTime.SemanticEquals(state.AgreementTime) {
		m.AgreementTime = state.AgreementTime
	}
}

// keepChoice plans the person's choice, which is in state. Terraform accepts the prior
// value of a configured attribute in a plan only where both are set.
func (m *recordModel) keepChoice(state recordModel) {
	for i, c := range m.clauses() {
		if prior := *state.clauses()[i]; !prior.IsNull() {
			*c = prior
		}
	}

	if !m.UserIPv6.IsNull() && !state.UserIPv6.IsNull() {
		m.UserIPv6 = state.UserIPv6
	}
	if !m.AgreementTime.IsNull() && !state.AgreementTime.IsNull() {
		m.AgreementTime = state.AgreementTime
	}

	m.Manual = state.Manual
}

// differs reports whether there is anything to send. An attribute that is no longer managed
// is not sent.
func (m *recordModel) differs(state recordModel) bool {
	return !m.sameClauses(state) || !m.Manual.Equal(state.Manual) ||
		!m.UserIPv6.IsNull() && !m.UserIPv6.SemanticEquals(state.UserIPv6) ||
		!m.AgreementTime.IsNull() && !m.AgreementTime.SemanticEquals(state.AgreementTime)
}

// resourceModel holds the attributes of the resource analytics_consent.
type resourceModel struct {
	tfkit.Scope
	IdentityID types.String `tfsdk:"identity_id"`
	recordModel
	KeepLaterChoice types.Bool   `tfsdk:"keep_later_choice"`
	OnDestroy       types.String `tfsdk:"on_destroy"`
}

// standing is a choice of the person that an object leaves alone.
type standing struct {
	laterNote
	chosen time.Time // zero where the record says no time
}

// standingChoice returns the person's choice in state if it stands against what is
// configured, and whether there is one. What is configured is in the configuration, or in
// the note where the configuration no longer says.
func (m *resourceModel) standingChoice(state resourceModel, note laterNote) (standing, bool) {
	configured, ok := m.AgreementTime.Value()
	if !ok {
		configured = note.configured
	}

	choice := standing{laterNote: laterNote{configured, note.untimed}}
	if !m.KeepLaterChoice.ValueBool() || configured.IsZero() {
		return choice, false
	}

	if note.untimed {
		return choice, !m.sameClauses(state.recordModel)
	}

	chosen, known := state.AgreementTime.Value()
	if !known { // no longer managed, and the note says that a later choice stood
		return choice, note.stands()
	}

	choice.chosen = chosen
	return choice, chosen.UnixMilli() > configured.UnixMilli()
}

// adopt takes over everything that the service holds, as an import does, and returns the
// note to store.
func (m *resourceModel) adopt(held client.Consent) laterNote {
	m.fill(held)
	if m.Manual.IsNull() {
		m.Manual = types.BoolValue(true)
	}

	return laterNote{untimed: m.AgreementTime.IsNull()}
}
