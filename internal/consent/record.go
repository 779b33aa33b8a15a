// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	dsschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	rsschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/customtypes"
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

// recordAttributes returns the attributes of a record that the resource writes.
func recordAttributes() map[string]rsschema.Attribute {
	attributes := map[string]rsschema.Attribute{
		"user_ipv6": rsschema.StringAttribute{
			Optional:            true,
			Sensitive:           true,
			CustomType:          customtypes.IPAddressType{},
			Validators:          []validator.String{customtypes.IPAddressType{}.Validator(), stringvalidator.ConflictsWith(path.MatchRoot("user_ipv6_wo"))},
			MarkdownDescription: "IP address of the person at the time of consent. The service requires it if it is known. IPv4 is mapped into IPv6. Sensitive, but stored in state.",
		},
		"agreement_time": rsschema.StringAttribute{
			Optional:            true,
			CustomType:          customtypes.InstantType{},
			Validators:          []validator.String{customtypes.InstantType{}.Validator()},
			MarkdownDescription: "Time at which the person agreed, in RFC 3339 format. Set it: without it, the provider cannot recognise a later choice of the person.",
		},
		"manual": rsschema.BoolAttribute{
			Optional:            true,
			Computed:            true,
			Default:             booldefault.StaticBool(true),
			MarkdownDescription: "Whether the consent was obtained by other means than the service's own banner. For audits. Defaults to `true`.",
		},
	}
	for i, name := range answer.ClauseNames {
		attributes[name] = rsschema.BoolAttribute{Required: true, MarkdownDescription: "Whether the person consents to " + clauseTexts[i] + "."}
	}

	return attributes
}

// recordDataAttributes returns the attributes of a record that the data source and the ephemeral
// resource read.
func recordDataAttributes() map[string]dsschema.Attribute {
	attributes := map[string]dsschema.Attribute{
		"user_ipv6": dsschema.StringAttribute{
			Computed:            true,
			Sensitive:           true,
			CustomType:          customtypes.IPAddressType{},
			MarkdownDescription: "IP address of the person at the time of consent, as the service writes it. May be null.",
		},
		"agreement_time": dsschema.StringAttribute{
			Computed:            true,
			CustomType:          customtypes.InstantType{},
			MarkdownDescription: "Time at which the person agreed, in RFC 3339 format and UTC. May be null.",
		},
		"manual": dsschema.BoolAttribute{
			Computed:            true,
			MarkdownDescription: "Whether the consent was obtained by other means than the service's own banner. May be null.",
		},
	}
	for i, name := range answer.ClauseNames {
		attributes[name] = dsschema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the person consents to " + clauseTexts[i] + ". May be null."}
	}

	return attributes
}

func (m *recordModel) clauses() []*types.Bool {
	return []*types.Bool{&m.Clause1, &m.Clause2, &m.Clause3, &m.Clause4, &m.Clause5}
}

// written returns the choice in state if this object has written it. It returns nil if a
// choice of the person stands, or a clause is not known.
func (m *recordModel) written(note choiceNote) *client.Choice {
	if note != (choiceNote{}) {
		return nil
	}

	choice := client.Choice{Manual: m.Manual.ValueBool()}
	for i, c := range m.clauses() {
		if c.IsNull() || c.IsUnknown() {
			return nil
		}
		choice.Clauses[i] = c.ValueBool()
	}

	return &choice
}

// hasClausesOf reports whether every clause that the answer has is equal.
func (m *recordModel) hasClausesOf(held answer.Consent) bool {
	for i, c := range m.clauses() {
		if agreed, ok := held.Clauses[i].Get(); ok && agreed != c.ValueBool() {
			return false
		}
	}

	return true
}

// hasTimeOf reports whether the answer may be the record in state, at a service that keeps
// its time to the second.
func (m *recordModel) hasTimeOf(held answer.Consent) bool {
	own, known := m.AgreementTime.Value()
	at, timed := held.AgreementTime.Get()

	return known && timed && client.SameTime(at, own) && m.hasClausesOf(held)
}

// sameClauses reports whether all clauses are equal.
func (m *recordModel) sameClauses(other recordModel) bool { return len(m.otherClauses(other)) == 0 }

// otherClauses returns the names of the clauses that are not equal.
func (m *recordModel) otherClauses(other recordModel) (names []string) {
	for i, c := range m.clauses() {
		if !c.Equal(*other.clauses()[i]) {
			names = append(names, answer.ClauseNames[i])
		}
	}

	return names
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

// refresh updates the state from an answer. A field that the answer lacks keeps its value; so
// does a null field if keepNulls is set. An optional attribute that is not managed stays
// null.
func (m *recordModel) refresh(held answer.Consent, keepNulls bool) {
	var current recordModel
	current.fromAPI(held)
	keepTime := m.AgreementTime.IsNull() || m.hasTimeOf(held)

	for i, c := range m.clauses() {
		if tells(held.Clauses[i], keepNulls) {
			*c = *current.clauses()[i]
		}
	}

	if !m.UserIPv6.IsNull() && tells(held.UserIPv6, keepNulls) {
		m.UserIPv6 = current.UserIPv6.SpelledLike(m.UserIPv6)
	}
	if !keepTime && tells(held.AgreementTime, keepNulls) {
		m.AgreementTime = current.AgreementTime.SpelledLike(m.AgreementTime)
	}
	if !current.Manual.IsNull() {
		m.Manual = current.Manual
	}
}

// tells reports whether a field of an answer tells what the service holds.
func tells[T any](field answer.Optional[T], keepNulls bool) bool {
	if field.IsNull() {
		return !keepNulls
	}
	return !field.IsAbsent()
}

// update returns the update that writes the record.
func (m *recordModel) update() client.ConsentUpdate {
	u := client.ConsentUpdate{Manual: m.Manual.ValueBool()}
	for i, c := range m.clauses() {
		u.Clauses[i] = c.ValueBool()
	}

	u.AgreementTime, _ = m.AgreementTime.Value()
	u.UserIPv6, _ = m.UserIPv6.Value()

	return u
}

// check reports a configured text that is not what its attribute holds.
func (m *recordModel) check(diags *diag.Diagnostics) {
	m.UserIPv6.Check(path.Root("user_ipv6"), diags)
	m.AgreementTime.Check(path.Root("agreement_time"), diags)
}

// differs reports whether there is anything to write. An attribute that is not managed, or no
// longer managed, is not written.
func (m *recordModel) differs(state recordModel) bool {
	return !m.sameClauses(state) ||
		!m.Manual.Equal(state.Manual) ||
		!m.UserIPv6.IsNull() && !m.UserIPv6.SemanticEquals(state.UserIPv6) ||
		!m.AgreementTime.IsNull() && !m.AgreementTime.SemanticEquals(state.AgreementTime)
}

// keepSpelling plans values as they are spelled in state if they mean the same.
func (m *recordModel) keepSpelling(state recordModel) {
	m.UserIPv6 = m.UserIPv6.SpelledLike(state.UserIPv6)
	m.AgreementTime = m.AgreementTime.SpelledLike(state.AgreementTime)
}

// keepChoice plans the person's choice, which is in state.
func (m *recordModel) keepChoice(state recordModel) {
	for i, c := range m.clauses() {
		*c = keepPrior(*c, *state.clauses()[i])
	}

	m.UserIPv6 = keepPrior(m.UserIPv6, state.UserIPv6)
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
