// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
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

// managedAttributes returns the fields of the record as attributes of the resource.
func managedAttributes() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{
		"user_ipv6": schema.StringAttribute{
			Optional:            true,
			Sensitive:           true,
			Validators:          []validator.String{formats.Address, stringvalidator.ConflictsWith(path.MatchRoot("user_ipv6_wo"))},
			MarkdownDescription: "IP address of the person at the time of consent. The service requires it if it is known. IPv4 is mapped into IPv6. Sensitive, but stored in state.",
		},
		"agreement_time": schema.StringAttribute{
			Optional:            true,
			Validators:          []validator.String{formats.Instant},
			MarkdownDescription: "Time at which the person agreed, in RFC 3339 format. Set it: without it, another record of the person cannot be compared, and stands.",
		},
		"manual": schema.BoolAttribute{
			Optional:            true,
			Computed:            true,
			Default:             booldefault.StaticBool(true),
			MarkdownDescription: "Whether the consent was obtained by other means than the service's own banner. For audits. Defaults to `true`.",
		},
	}
	for i, name := range answer.ClauseNames {
		attributes[name] = schema.BoolAttribute{Required: true, MarkdownDescription: "Whether the person consents to " + clauseTexts[i] + "."}
	}

	return attributes
}

// readAttributes returns the fields of the record as attributes of the data source.
func readAttributes() map[string]datasource.Attribute {
	attributes := map[string]datasource.Attribute{
		"user_ipv6": datasource.StringAttribute{
			Computed:            true,
			Sensitive:           true,
			MarkdownDescription: "IP address of the person at the time of consent, as the service writes it. May be null.",
		},
		"agreement_time": datasource.StringAttribute{
			Computed:            true,
			MarkdownDescription: "Time at which the person agreed, in RFC 3339 format and UTC. May be null.",
		},
		"manual": datasource.BoolAttribute{
			Computed:            true,
			MarkdownDescription: "Whether the consent was obtained by other means than the service's own banner. May be null.",
		},
	}
	for i, name := range answer.ClauseNames {
		attributes[name] = datasource.BoolAttribute{Computed: true, MarkdownDescription: "Whether the person consents to " + clauseTexts[i] + ". May be null."}
	}

	return attributes
}

func (m *recordModel) clauses() [answer.Clauses]*types.Bool {
	return [...]*types.Bool{&m.Clause1, &m.Clause2, &m.Clause3, &m.Clause4, &m.Clause5}
}

// hasClauses reports whether all clauses are equal.
func (m *recordModel) hasClauses(other recordModel) bool {
	for i, c := range m.clauses() {
		if !c.Equal(*other.clauses()[i]) {
			return false
		}
	}
	return true
}

// agreed returns the agreement_time; the zero Time if it is not set, or not a time.
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
	if held.UserIPv6.Value != "" {
		m.UserIPv6 = types.StringValue(held.UserIPv6.Value)
	}

	m.AgreementTime = types.StringNull()
	if held.AgreementTime.Given {
		m.AgreementTime = types.StringValue(client.FormatInstant(held.AgreementTime.Value))
	}

	m.Manual = boolOf(held.Manual)
}

func boolOf(o answer.Optional[bool]) types.Bool {
	if o.Given {
		return types.BoolValue(o.Value)
	}
	return types.BoolNull()
}

// record returns the record to write.
func (m *recordModel) record() choice.Record {
	r := choice.Record{Manual: m.Manual.ValueBool(), AgreementTime: m.agreed()}
	for i, c := range m.clauses() {
		r.Clauses[i] = c.ValueBool()
	}
	r.UserIPv6, _ = formats.Address.Value(m.UserIPv6)

	return r
}

// held returns the record in state, with this time, in the form of an answer. What state has of the
// service may be null, or not an address.
func (m *recordModel) held(at time.Time) answer.Consent {
	r := m.record()
	r.AgreementTime = at
	held := r.Shown()
	if !m.UserIPv6.IsNull() {
		held.UserIPv6 = answer.Some(m.UserIPv6.ValueString())
	}
	for i, c := range m.clauses() {
		if c.IsNull() {
			held.Clauses[i] = answer.Optional[bool]{Null: true}
		}
	}

	return held
}

// differs reports whether there is a field to write. One that is not managed, or no longer managed, is
// not written.
func (m *recordModel) differs(state recordModel) bool {
	otherAddress := !m.UserIPv6.IsNull() && !m.UserIPv6.Equal(state.UserIPv6)
	otherTime := !m.AgreementTime.IsNull() && !m.AgreementTime.Equal(state.AgreementTime)
	otherChoice := !m.hasClauses(state) || !m.Manual.Equal(state.Manual)

	return otherChoice || otherAddress || otherTime
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

// take takes the fields of a record into state. A field that the answer lacks keeps its value, and an
// optional attribute that is not managed stays null. Of a record that is ours, only a null is drift.
// A null of a choice that stands keeps the value. A value that means the same keeps its spelling.
func (m *recordModel) take(held answer.Consent, isOurs, stands bool) {
	var current recordModel
	current.fromAPI(held)

	for i, c := range m.clauses() {
		if isTaken(held.Clauses[i], isOurs, stands) {
			*c = *current.clauses()[i]
		}
	}
	if !m.UserIPv6.IsNull() && isTaken(held.UserIPv6, isOurs, stands) {
		m.UserIPv6 = formats.Address.KeepSpelling(m.UserIPv6, current.UserIPv6)
	}
	if !m.AgreementTime.IsNull() && isTaken(held.AgreementTime, isOurs, stands) {
		m.AgreementTime = formats.Instant.KeepSpelling(m.AgreementTime, current.AgreementTime)
	}
	if !isOurs && !current.Manual.IsNull() {
		m.Manual = current.Manual
	}
}

func isTaken[T any](field answer.Optional[T], isOurs, stands bool) bool {
	if field.Null {
		return !stands
	}
	return field.Given && !isOurs
}
