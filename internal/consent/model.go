// SPDX-License-Identifier: MPL-2.0

// Package consent implements analytics_consent, the consent of one person: the resource, the list
// resource, the data source and the ephemeral resource.
package consent

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// resourceModel holds the attributes of the resource analytics_consent. Until the first refresh after an
// import or a move, manual is null.
type resourceModel struct {
	tfkit.Identity
	recordModel
	UserIPv6WO        types.String `tfsdk:"user_ipv6_wo"`
	UserIPv6WOVersion types.Int64  `tfsdk:"user_ipv6_wo_version"`
	KeepLaterChoice   types.Bool   `tfsdk:"keep_later_choice"`
	OnDestroy         types.String `tfsdk:"on_destroy"`
}

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

// addRecord adds the fields of a record to the attributes of the resource.
func addRecord(attributes map[string]schema.Attribute) {
	for _, name := range decode.ClauseNames {
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

// writes reports whether there is anything to write. A field that is not managed, or no longer managed, is not.
func (m *resourceModel) writes(state resourceModel) bool {
	for i, flag := range m.flags() {
		if *flag != *state.flags()[i] {
			return true
		}
	}
	isOtherAddress := cmp.Or(m.UserIPv6, state.UserIPv6) != state.UserIPv6
	isOtherTime := cmp.Or(m.AgreementTime, state.AgreementTime) != state.AgreementTime

	return isOtherAddress || isOtherTime || m.UserIPv6WOVersion != state.UserIPv6WOVersion
}

// caseOf returns what is known before an action reads the service, and the provenance of what is in state: m is what is
// to be there, and state and private what is there. A create has the zero state.
func (m *resourceModel) caseOf(ctx context.Context, action choice.Action, state resourceModel, private tfkit.Private) (*tfkit.ConsentCase, provenance) {
	var was provenance
	text, _ := private.GetKey(ctx, provenanceKey)
	_ = json.Unmarshal(text, &was) // fails without one

	// Nobody knows whose choice a state holds that was written by hand.
	number, _ := private.GetKey(ctx, tfkit.KeyObject)
	was.Foreign = was.Foreign || len(number) == 0

	written := state.record()
	c := &tfkit.ConsentCase{Evidence: choice.Evidence{
		Action: action, Wanted: m.record(), Anew: action == choice.Write,
		Overrules: !m.KeepLaterChoice.ValueBool(), Known: !state.IdentityID.IsNull(),
	}}
	c.Wanted.UserIPv6, _ = formats.Address.Parse(cmp.Or(m.UserIPv6WO, m.UserIPv6).ValueString())

	isRead := !state.Manual.IsNull()
	if isRead && !was.Foreign {
		c.Last = choice.Confirmed{Sent: written.Print(), Shown: was.Shown}
	}

	c.Since = cmp.Or(c.Wanted.AgreementTime, was.Since) // a configuration without a time goes by the one before
	switch {
	case action == choice.Refresh:
		c.Since = cmp.Or(was.Since, c.Since)
		c.Known = isRead // the first one finds out whether there is a record
	case action == choice.Withdraw:
		c.Since = cmp.Or(was.Since, c.Since)
		c.Wanted = c.Wanted.Withdrawal()
	case c.Since.Equal(written.AgreementTime) && c.Wanted.Clauses != written.Clauses:
		c.Since = cmp.Or(was.Since, c.Since) // ignore_changes takes the time of somebody else's record from state
	}

	return c, was
}

// keepsForeign plans somebody else's record, which is in state, if it stands against the plan, and reports
// whether it does. It reports an error if that is not known yet: Terraform plans again once it is, and stops if
// the record that is planned then is another one.
func (m *resourceModel) keepsForeign(c *tfkit.ConsentCase, state resourceModel, was *provenance, diags *diag.Diagnostics) bool {
	if m.AgreementTime.IsUnknown() || m.KeepLaterChoice.IsUnknown() {
		tfkit.Problem{
			Summary: "The plan cannot tell whether the later choice still stands",
			Detail:  "The service holds another record than this resource has written. Whether it stands depends on agreement_time and keep_later_choice, which are known only after apply.",
			Do:      "apply the resources that these values come from first (-target), or write them into the configuration.",
			At:      path.Root("agreement_time"),
		}.AddError(diags)

		return false
	}

	c.Print = was.Theirs // zero in a state that was written by hand: nothing can be compared with it
	if _, act := choice.Judge(c.Evidence); act != choice.Stand {
		return false
	}

	warnStands(diags, c.Evidence)
	m.keepChoice(state.recordModel)
	m.UserIPv6WOVersion = keepPrior(m.UserIPv6WOVersion, state.UserIPv6WOVersion)
	was.Since = c.Since

	return true
}

// refresh takes the record that was judged into state, and returns its provenance.
func (m *resourceModel) refresh(c *tfkit.ConsentCase, was provenance) provenance {
	if c.Act == choice.Take || m.Manual.IsNull() {
		c.Action = choice.Plan
		_, planned := choice.Judge(c.Evidence)
		m.take(c.Record, planned == choice.Stand)
	}

	if was.NoAddress {
		m.UserIPv6 = types.StringNull()
	}
	if !was.Foreign {
		was.Since = c.Since
	}

	return provenance{Foreign: true, Since: was.Since, Theirs: c.Print}
}

// provenanceKey is the key of the provenance in private state.
const provenanceKey = "later_choice"

// provenance holds what is known of the record in state beside its values. The zero provenance belongs to a record of
// ours, shown as it was sent.
type provenance struct {
	// Foreign reports that the record is not known to be ours. Since is the agreement_time that
	// was configured when it came about, and Theirs the record.
	Foreign bool         `json:"foreign,omitzero"`
	Since   time.Time    `json:"since,omitzero"`
	Theirs  choice.Print `json:"theirs,omitzero"`
	// Planned reports that the plan leaves the record alone. The apply cannot tell, since its
	// configuration has what ignore_changes hides.
	Planned bool `json:"planned,omitzero"`
	// Shown is how the service showed what this object wrote last, if not as it was sent.
	Shown choice.Print `json:"shown,omitzero"`
	// NoAddress reports an import by identity until its refresh, which leaves user_ipv6 out of state. Terraform
	// generates a configuration with null for a sensitive attribute then. An address in state would be a change.
	NoAddress bool `json:"no_address,omitzero"`
}

// provenanceAfter returns the provenance after a write, or after one that a record stood against.
func provenanceAfter(c *tfkit.ConsentCase) (p provenance) {
	if c.Act == choice.Stand {
		return provenance{Foreign: true, Since: c.Since, Theirs: c.Print}
	}
	if c.Written.Shown != c.Written.Sent {
		p.Shown = c.Written.Shown
	}

	return p
}

// write stores the provenance of an object in private state. The zero one removes it.
func (p provenance) write(ctx context.Context, m resourceModel, private tfkit.Private) diag.Diagnostics {
	if m.UserIPv6.IsNull() { // without an address in state, there is no hash of it
		p.Shown.Address, p.Theirs.Address = 0, 0
	}
	if p == (provenance{}) {
		return private.SetKey(ctx, provenanceKey, nil)
	}

	text, _ := json.Marshal(p) // fails only for a year after 9999, which RFC 3339 cannot hold

	return private.SetKey(ctx, provenanceKey, text)
}

// flags returns the clauses and manual.
func (m *recordModel) flags() []*types.Bool {
	return []*types.Bool{&m.Clause1, &m.Clause2, &m.Clause3, &m.Clause4, &m.Clause5, &m.Manual}
}

// fromAPI sets all attributes from an answer. A field that the answer lacks becomes null.
func (m *recordModel) fromAPI(held decode.Consent) {
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
	r.Clauses = [...]bool{m.Clause1.ValueBool(), m.Clause2.ValueBool(), m.Clause3.ValueBool(), m.Clause4.ValueBool(), m.Clause5.ValueBool()}
	r.UserIPv6, _ = formats.Address.Parse(m.UserIPv6.ValueString())
	r.AgreementTime, _ = formats.Instant.Parse(m.AgreementTime.ValueString())
	r.Manual = m.Manual.ValueBool()

	return r
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

// take takes the fields of a record into state. A missing field keeps its value, and so does a time of null, or any
// null of a choice that stands. An unmanaged optional attribute stays null, and an equal value keeps its spelling.
func (m *recordModel) take(held decode.Consent, stands bool) {
	before := *m
	m.fromAPI(held)

	for i, flag := range m.flags()[:decode.Clauses] {
		if flag.IsNull() && stands {
			*flag = *before.flags()[i]
		}
	}
	m.Manual = cmp.Or(m.Manual, before.Manual, types.BoolValue(true))
	if before.Manual.IsNull() { // the first refresh takes all
		return
	}

	isAbsent := held.UserIPv6 == (decode.Optional[string]{})
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
