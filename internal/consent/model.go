// SPDX-License-Identifier: MPL-2.0

// Package consent implements the resource and the data source analytics_consent, the
// consent of one person.
package consent

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// recordModel holds the consent record (interface, section 2) as attributes.
type recordModel struct {
	Clause1       types.Bool   `tfsdk:"clause_1_consent"`
	Clause2       types.Bool   `tfsdk:"clause_2_consent"`
	Clause3       types.Bool   `tfsdk:"clause_3_consent"`
	Clause4       types.Bool   `tfsdk:"clause_4_consent"`
	Clause5       types.Bool   `tfsdk:"clause_5_consent"`
	UserIPv6      types.String `tfsdk:"user_ipv6"`
	AgreementTime types.String `tfsdk:"agreement_time"`
	Manual        types.Bool   `tfsdk:"manual"`
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
	at, _ := formats.Instant.Value(m.AgreementTime)
	return at
}

// fromAPI sets all attributes from an answer. A field that the answer lacks becomes null.
func (m *recordModel) fromAPI(held answer.Consent) {
	for i, c := range m.clauses() {
		*c = boolOf(held.Clauses[i])
	}

	m.UserIPv6 = types.StringNull()
	if text, ok := held.UserIPv6.Get(); ok && text != "" {
		m.UserIPv6 = types.StringValue(text)
	}

	m.AgreementTime = types.StringNull()
	if t, ok := held.AgreementTime.Get(); ok {
		m.AgreementTime = types.StringValue(client.FormatInstant(t))
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

// record returns the record to write. The address of a write-only attribute is in the
// configuration alone.
func (m *resourceModel) record(config resourceModel) choice.Record {
	r := choice.Record{Manual: m.Manual.ValueBool(), AgreementTime: m.agreed()}
	for i, c := range m.clauses() {
		r.Clauses[i] = c.ValueBool()
	}
	r.UserIPv6, _ = formats.Address.Value(m.UserIPv6)
	if address, ok := formats.Address.Value(config.UserIPv6WO); ok {
		r.UserIPv6 = address
	}

	return r
}

// held returns the record in state in the form of an answer.
func (m *resourceModel) held(n note) answer.Consent {
	held := answer.Consent{Manual: optionalOf(m.Manual)}
	for i, c := range m.clauses() {
		held.Clauses[i] = optionalOf(*c)
	}
	if !m.UserIPv6.IsNull() {
		held.UserIPv6 = answer.Some(m.UserIPv6.ValueString())
	}
	at := m.agreed()
	if n.Foreign {
		at = n.At
	}
	if !at.IsZero() {
		held.AgreementTime = answer.Some(at)
	}

	return held
}

func optionalOf(v types.Bool) answer.Optional[bool] {
	if v.IsNull() {
		return answer.Null[bool]()
	}
	return answer.Some(v.ValueBool())
}

// last returns the write that the state comes from; zero if somebody else's record is in state.
func (m *resourceModel) last(n note) choice.Confirmed {
	if n.Foreign || m.isUnread() {
		return choice.Confirmed{}
	}
	return choice.Confirmed{Sent: choice.PrintOf(m.held(n)), Shown: n.Shown}
}

// differs reports whether there is anything to write. An attribute that is not managed, or no
// longer managed, is not written.
func (m *resourceModel) differs(state resourceModel) bool {
	otherAddress := !m.UserIPv6.IsNull() && !m.UserIPv6.Equal(state.UserIPv6)
	otherTime := !m.AgreementTime.IsNull() && !m.AgreementTime.Equal(state.AgreementTime)
	otherVersion := !m.UserIPv6WOVersion.Equal(state.UserIPv6WOVersion)
	otherChoice := len(m.otherClauses(state.recordModel)) > 0 || !m.Manual.Equal(state.Manual)

	return otherChoice || otherAddress || otherTime || otherVersion
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

// since returns the time that the record in state is compared with. A configuration without a time
// goes by the one before. The time of somebody else's record is no configured one, although
// ignore_changes takes it from state.
func (m *resourceModel) since(state resourceModel, n note) time.Time {
	since := m.agreed()
	if !n.Foreign || n.Since.IsZero() {
		return since
	}

	isTheirs := since.Equal(state.agreed()) && len(m.otherClauses(state.recordModel)) > 0
	if since.IsZero() || isTheirs {
		return n.Since
	}

	return since
}

// isUnread reports whether the state of an import or a move was not refreshed yet.
func (m *resourceModel) isUnread() bool {
	return !slices.ContainsFunc(m.clauses(), func(c *types.Bool) bool { return !c.IsNull() })
}

// refresh updates the state by a judgement and returns the note to store.
func (m *resourceModel) refresh(j tfkit.Judged, n note) note {
	since := n.Since
	switch {
	case m.isUnread():
		m.takeAll(j.Held)
	case j.Act == choice.Take:
		if !n.Foreign {
			since = m.agreed()
		}
		m.take(j.Held, j.Verdict.On(choice.Plan) == choice.Stand)
	case !n.Foreign:
		if n.Shown == (choice.Print{}) {
			m.hold(j.Held)
		}
		return n
	}

	return foreignNote(since, j.Held)
}

// noteAfter returns the note after a write, or after one that a record stood against.
func noteAfter(j tfkit.Judged, plan resourceModel) note {
	if j.Act == choice.Stand {
		return foreignNote(j.Since, j.Held)
	}
	return noteOf(j.Last, plan)
}

// hold takes over which fields have become null: that is drift of a record that is ours otherwise.
func (m *resourceModel) hold(held answer.Consent) {
	for i, c := range m.clauses() {
		if held.Clauses[i].IsNull() {
			*c = types.BoolNull()
		}
	}
	if held.UserIPv6.IsNull() {
		m.UserIPv6 = types.StringNull()
	}
	if held.AgreementTime.IsNull() {
		m.AgreementTime = types.StringNull()
	}
}

// take takes somebody else's record into state. A field that the answer lacks keeps its value, as
// does a null field of a choice that stands, and an optional attribute that is not managed stays
// null. A value that means the same keeps its spelling.
func (m *resourceModel) take(held answer.Consent, stands bool) {
	var current recordModel
	current.fromAPI(held)

	for i, c := range m.clauses() {
		if tells(held.Clauses[i], stands) {
			*c = *current.clauses()[i]
		}
	}
	if !m.UserIPv6.IsNull() && tells(held.UserIPv6, stands) {
		m.UserIPv6 = formats.Address.KeepSpelling(m.UserIPv6, current.UserIPv6)
	}
	if !m.AgreementTime.IsNull() && tells(held.AgreementTime, stands) {
		m.AgreementTime = formats.Instant.KeepSpelling(m.AgreementTime, current.AgreementTime)
	}
	if !current.Manual.IsNull() {
		m.Manual = current.Manual
	}
}

// takeAll takes the first record after an import into state.
func (m *resourceModel) takeAll(held answer.Consent) {
	m.fromAPI(held)
	if m.Manual.IsNull() {
		m.Manual = types.BoolValue(true)
	}
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

// noteOf returns the note after a write.
func noteOf(last choice.Confirmed, m resourceModel) note {
	if last.Shown == (choice.Print{}) || last.Shown == last.Sent {
		return note{}
	}

	n := note{Shown: last.Shown}
	if m.UserIPv6.IsNull() { // of an address that is written only, state has no hash either
		n.Shown.Address = 0
	}

	return n
}

// foreignNote returns the note of somebody else's record.
func foreignNote(since time.Time, held answer.Consent) note {
	at, _ := held.AgreementTime.Get()
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
