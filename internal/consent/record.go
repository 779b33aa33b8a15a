// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"cmp"

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

// fieldTexts describe the fields of a record.
var fieldTexts = map[string]string{
	"clause_1_consent": "Whether the person consents to application diagnostics.",
	"clause_2_consent": "Whether the person consents to feature usage.",
	"clause_3_consent": "Whether the person consents to browser information.",
	"clause_4_consent": "Whether the person consents to user information.",
	"clause_5_consent": "Whether the person consents to user behaviour interaction.",
	"user_ipv6":        "IP address of the person at the time of consent.",
	"agreement_time":   "Time at which the person agreed, in RFC 3339 format.",
	"manual":           "Whether the consent was obtained by other means than the service's own banner.",
}

// addManaged adds the fields of the record to the attributes of the resource.
func addManaged(attributes map[string]schema.Attribute) {
	for _, name := range answer.ClauseNames {
		attributes[name] = schema.BoolAttribute{Required: true, MarkdownDescription: fieldTexts[name]}
	}

	attributes["user_ipv6"] = schema.StringAttribute{
		Optional:            true,
		Sensitive:           true,
		Validators:          []validator.String{formats.Address, stringvalidator.ConflictsWith(path.MatchRoot("user_ipv6_wo"))},
		MarkdownDescription: fieldTexts["user_ipv6"] + " The service requires it if it is known. IPv4 is mapped into IPv6. Sensitive, but stored in state.",
	}
	attributes["agreement_time"] = schema.StringAttribute{
		Optional:            true,
		Validators:          []validator.String{formats.Instant},
		MarkdownDescription: fieldTexts["agreement_time"] + " Set it: without it, another record of the person cannot be compared, and stands.",
	}
	attributes["manual"] = schema.BoolAttribute{
		Optional:            true,
		Computed:            true,
		Default:             booldefault.StaticBool(true),
		MarkdownDescription: fieldTexts["manual"] + " For audits. Defaults to `true`.",
	}
}

// addRead adds the fields of the record to the attributes of the data source.
func addRead(attributes map[string]datasource.Attribute) {
	for name, text := range fieldTexts {
		text += " May be null."
		switch new(choice.Record).Field(name).(type) {
		case *bool:
			attributes[name] = datasource.BoolAttribute{Computed: true, MarkdownDescription: text}
		default:
			attributes[name] = datasource.StringAttribute{Computed: true, Sensitive: name == "user_ipv6", MarkdownDescription: text}
		}
	}
}

// flags returns the clauses and manual.
func (m *recordModel) flags() []*types.Bool {
	return []*types.Bool{&m.Clause1, &m.Clause2, &m.Clause3, &m.Clause4, &m.Clause5, &m.Manual}
}

// fromAPI sets all attributes from an answer. A field that the answer lacks becomes null.
func (m *recordModel) fromAPI(held answer.Consent) {
	*m = recordModel{}
	fields := append(held.Clauses[:], held.Manual)
	for i, flag := range m.flags() {
		if fields[i].Given {
			*flag = types.BoolValue(fields[i].Value)
		}
	}
	if held.UserIPv6.Value != "" {
		m.UserIPv6 = types.StringValue(held.UserIPv6.Value)
	}
	if held.AgreementTime.Given {
		m.AgreementTime = types.StringValue(client.FormatInstant(held.AgreementTime.Value))
	}
}

// record returns the record to write.
func (m *recordModel) record() (r choice.Record) {
	for i, flag := range m.flags()[:answer.Clauses] {
		r.Clauses[i] = flag.ValueBool()
	}
	r.UserIPv6, _ = formats.Address.Value(m.UserIPv6)
	r.AgreementTime, _ = formats.Instant.Value(m.AgreementTime)
	r.Manual = m.Manual.ValueBool()

	return r
}

// differs reports whether there is a field to write. One that is not managed, or no longer managed, is
// not written.
func (m *recordModel) differs(state recordModel) bool {
	for i, flag := range m.flags() {
		if !flag.Equal(*state.flags()[i]) {
			return true
		}
	}
	isOtherAddress := !m.UserIPv6.IsNull() && !m.UserIPv6.Equal(state.UserIPv6)
	isOtherTime := !m.AgreementTime.IsNull() && !m.AgreementTime.Equal(state.AgreementTime)

	return isOtherAddress || isOtherTime
}

// keepChoice plans the person's choice, which is in state.
func (m *recordModel) keepChoice(state recordModel) {
	for i, flag := range m.flags() {
		*flag = keepPrior(*flag, *state.flags()[i])
	}
	m.UserIPv6 = keepPrior(m.UserIPv6, state.UserIPv6)
	m.AgreementTime = keepPrior(m.AgreementTime, state.AgreementTime)
}

// keepPrior returns the prior value if both are set, and the planned one otherwise. Terraform
// accepts no other plan for a configured attribute.
func keepPrior[T attr.Value](planned, prior T) T {
	if planned.IsNull() || prior.IsNull() {
		return planned
	}
	return prior
}

// take takes the fields of a record into state. A field that the answer lacks keeps its value, and so does
// a time of null, or any null of a choice that stands. An address that is shown as an empty text is gone. An
// optional attribute that is not managed stays null, except in the first refresh. A value that means the same
// keeps its spelling.
func (m *recordModel) take(held answer.Consent, stands bool) {
	before := *m
	isFirst := before.Manual.IsNull()
	m.fromAPI(held)

	for i, flag := range m.flags()[:answer.Clauses] {
		if flag.IsNull() && stands {
			*flag = *before.flags()[i]
		}
	}
	m.Manual = cmp.Or(m.Manual, before.Manual, types.BoolValue(true))
	if isFirst {
		return
	}

	isAbsent := held.UserIPv6 == (answer.Optional[string]{})
	m.UserIPv6 = taken(formats.Address, before.UserIPv6, m.UserIPv6, stands || isAbsent)
	m.AgreementTime = taken(formats.Instant, before.AgreementTime, m.AgreementTime, true)
}

// taken returns the text that a refresh takes into state.
func taken[V any](f formats.Format[V], before, shown types.String, keepsNull bool) types.String {
	isKept := shown.IsNull() && keepsNull
	if isKept || before.IsNull() {
		return before
	}

	return f.KeepSpelling(before, shown)
}
