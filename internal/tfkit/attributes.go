// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	actionschema "github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	dsschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	rsschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
)

// Scope is the part of every model that overrides the provider's scope. In a resource, it is the scope in effect.
type Scope struct {
	OrgID     types.String `tfsdk:"org_id"`
	ProjectID types.String `tfsdk:"project_id"`
	AccountID types.String `tfsdk:"account_id"`
}

// TextAttribute is a text attribute of several kinds of objects, for which AddScope and AddPerson take its methods.
type TextAttribute struct {
	isRequired bool
	text       string
	rules      []validator.String
}

// DataSource returns the attribute of a data source.
func (a TextAttribute) DataSource() dsschema.Attribute {
	return dsschema.StringAttribute{Required: a.isRequired, Optional: !a.isRequired, Validators: a.rules, MarkdownDescription: a.text}
}

// List returns the attribute of a list resource.
func (a TextAttribute) List() listschema.Attribute {
	return listschema.StringAttribute{Required: a.isRequired, Optional: !a.isRequired, Validators: a.rules, MarkdownDescription: a.text}
}

// Action returns the attribute of an action.
func (a TextAttribute) Action() actionschema.Attribute {
	return actionschema.StringAttribute{Required: a.isRequired, Optional: !a.isRequired, Validators: a.rules, MarkdownDescription: a.text}
}

// Identity returns the attribute of a resource identity. It has no rules; see Identity.check.
func (a TextAttribute) Identity() identityschema.Attribute {
	return identityschema.StringAttribute{RequiredForImport: a.isRequired, OptionalForImport: !a.isRequired, Description: a.text}
}

// Resource returns the attribute of a resource, which is replaced if it changes; see PlanKeptScope.
func (a TextAttribute) Resource() rsschema.Attribute {
	kept := rsschema.StringAttribute{Required: a.isRequired, Optional: !a.isRequired, Computed: !a.isRequired, Validators: a.rules}
	kept.MarkdownDescription = a.text + " Changing it replaces the resource."
	if a.isRequired {
		kept.PlanModifiers = []planmodifier.String{stringplanmodifier.RequiresReplace()}
	}

	return kept
}

// AddScope adds the attributes of Scope to those of an object. A resource must call PlanKeptScope and ResolveScope.
func AddScope[A any](as func(TextAttribute) A, attributes map[string]A) map[string]A {
	org, project := path.MatchRoot("org_id"), path.MatchRoot("project_id")
	attributes["org_id"] = as(TextAttribute{
		text:  "Organization, in place of that of the provider block. Requires `project_id`.",
		rules: []validator.String{formats.Segment, stringvalidator.AlsoRequires(project)},
	})
	attributes["project_id"] = as(TextAttribute{
		text:  "Project, in place of that of the provider block. Requires `org_id`.",
		rules: []validator.String{formats.Segment, stringvalidator.AlsoRequires(org)},
	})
	attributes["account_id"] = as(TextAttribute{
		text:  "Account of the older path family. Conflicts with `org_id` and `project_id`.",
		rules: []validator.String{formats.Segment, stringvalidator.ConflictsWith(org, project)},
	})

	return attributes
}

// AddPerson adds identity_id and the attributes of Scope to those of an object.
func AddPerson[A any](as func(TextAttribute) A, attributes map[string]A) map[string]A {
	return addPerson(as, attributes, "Identifier of the person at the service, often a database ID or an e-mail address.")
}

func addPerson[A any](as func(TextAttribute) A, attributes map[string]A, text string) map[string]A {
	attributes["identity_id"] = as(TextAttribute{isRequired: true, text: text, rules: []validator.String{formats.Segment}})
	return AddScope(as, attributes)
}

// Timeouts is the block timeouts of a model. Validators have accepted its values, so that the
// diagnostics of its methods are always empty.
type Timeouts = timeouts.Value

// timeoutText describes the block timeouts.
const timeoutText = "How long to wait for the service: a duration such as `90s`, `5m` or `1h30m`, and at most `24h`."

// DefaultTimeout limits a wait if timeouts is not configured. The service promises a time for profiles alone, which are
// usually updated within 60 seconds (interface, section 8).
const DefaultTimeout = 10 * time.Minute

// timeoutDefault ends the descriptions of the attributes of the block timeouts.
const timeoutDefault = " Defaults to `10m`."

// TimeoutsBlock returns the block timeouts with create and update.
func TimeoutsBlock() rsschema.Block {
	return rsschema.SingleNestedBlock{
		MarkdownDescription: timeoutText,
		CustomType: timeouts.Type{ObjectType: types.ObjectType{
			AttrTypes: map[string]attr.Type{"create": types.StringType, "update": types.StringType},
		}},
		Attributes: map[string]rsschema.Attribute{
			"create": rsschema.StringAttribute{Optional: true, Validators: []validator.String{formats.Timeout}, MarkdownDescription: "How long a create waits." + timeoutDefault},
			"update": rsschema.StringAttribute{Optional: true, Validators: []validator.String{formats.Timeout}, MarkdownDescription: "How long an update waits." + timeoutDefault},
		},
	}
}

// StartedDay returns the day that utc_date names. It adds an error if the value is not a date, or if
// the day has not begun.
func StartedDay(value types.String, today time.Time, diags *diag.Diagnostics) (day time.Time, ok bool) {
	at := path.Root("utc_date")
	formats.Day.Check(value, at, diags)
	day, ok = formats.Day.Value(value)
	if ok && day.After(today) {
		Problem{
			Summary: "A day in the future",
			Detail:  "The day has not begun: it is " + client.FormatDay(today) + " in UTC. No request was sent.",
			Do:      "choose a day that is over. The service recommends 02:00 UTC of the day after it, or later.",
			At:      at,
		}.AddError(diags)
		return day, false
	}

	return day, ok
}

// KnownScope returns the object's own scope, or else the provider's, and whether it is known yet.
func (s *Service) KnownScope(m Scope) (scope client.Scope, known bool) {
	m = cmp.Or(m, s.DefaultScope)
	return client.Scope{OrgID: m.OrgID.ValueString(), ProjectID: m.ProjectID.ValueString(), AccountID: m.AccountID.ValueString()}, !m.isUnknown()
}

// ClientAndScope returns the client and the scope for a request, or reports what is missing.
func (s *Service) ClientAndScope(m Scope, diags *diag.Diagnostics) (c *client.Client, scope client.Scope, ok bool) {
	if m.OrgID.ValueString() == "" && m.AccountID.ValueString() == "" { // not known when it was planned, or absent
		m = s.DefaultScope
	}

	scope = client.Scope{OrgID: m.OrgID.ValueString(), ProjectID: m.ProjectID.ValueString(), AccountID: m.AccountID.ValueString()}
	switch {
	case s.Client == nil:
		addUnknown(diags, strings.Join(s.Unknown, ", "))
	case scope != client.Scope{}: // the request refuses one that is not whole
		return s.Client, scope, true
	case m.isUnknown():
		addUnknown(diags, "org_id, project_id or account_id")
	default:
		addUnusable(diags, scope.Validate())
	}

	return nil, client.Scope{}, false
}

// PlanScope reports a scope that is known in a plan and cannot be used.
func (s *Service) PlanScope(m Scope, diags *diag.Diagnostics) {
	scope, known := s.KnownScope(m)
	if err := scope.Validate(); known && err != nil {
		addUnusable(diags, err)
	}
}

func addUnusable(diags *diag.Diagnostics, why error) {
	Problem{
		Summary: "No usable scope",
		Detail:  "The scope cannot be used: " + why.Error() + ".",
		Do:      "set org_id and project_id, or account_id, in this block, in the provider block, or as ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID, or ANALYTICS_ACCOUNT_ID, in the environment.",
	}.AddError(diags)
}

// ResolveScope sets m to the scope in effect. Create must call it on the plan, before anything is sent.
func (s *Service) ResolveScope(m *Scope) {
	if m.OrgID.ValueString() == "" && m.AccountID.ValueString() == "" { // not known when it was planned, or absent
		*m = s.DefaultScope
	}
}

// ReadScope records that the run reads objects, and sets m to the scope in effect. Read must call it, or
// ReadIdentity.
func (s *Service) ReadScope(m *Scope) {
	s.hasRead.Store(true)
	s.ResolveScope(m)
}

// PlanKeptScope sets the scope in effect in resp.Plan, and replaces the object if it changes. It reports
// whether the object moves because the provider's scope has changed, and warns of that: otherwise a changed
// provider block would move every object to another project without a plan that says so.
func (s *Service) PlanKeptScope(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) (isMoved bool) {
	if req.Plan.Raw.IsNull() {
		return false
	}

	diags := &resp.Diagnostics
	var configured, state Scope
	access(ctx, req.Config.GetAttribute, configured.attributes(), diags)
	access(ctx, req.State.GetAttribute, state.attributes(), diags) // all null if the object is new
	s.PlanScope(configured, diags)
	if diags.HasError() {
		return false
	}

	followsProvider, isNew := configured == Scope{}, state == Scope{}
	planned := cmp.Or(configured, s.DefaultScope)
	if followsProvider && planned.isUnknown() {
		planned = cmp.Or(state, planned)
	}
	if !configured.isUnknown() { // otherwise the framework plans all of it as unknown, since it may be the provider's
		access(ctx, resp.Plan.SetAttribute, planned.attributes(), diags)
	}

	if isNew || planned == state {
		return false
	}
	for attribute := range planned.attributes() {
		resp.RequiresReplace.Append(path.Root(attribute))
	}

	return followsProvider && s.explainMove(state, planned, diags)
}

// explainMove warns that an object follows the provider to another scope. In the apply of a saved plan,
// where nothing is read before, that is an error: the plan was made for the scope in state. Of a new
// object, Terraform passes nothing from the plan to the apply, and refuses another scope itself.
func (s *Service) explainMove(state, planned Scope, diags *diag.Diagnostics) (isMoved bool) {
	from, _ := s.KnownScope(state)
	to, _ := s.KnownScope(planned)
	p := Problem{
		Summary: "The scope of the provider has changed",
		Detail:  "This resource has no scope of its own. It was written to " + from.String() + ", and the scope of the provider is now " + to.String() + ".",
		Do:      "if the resource belongs where it was, set its own org_id and project_id, or account_id, to the former scope.",
	}
	if s.Plans() {
		p.With(" The plan replaces it.").AddWarning(diags)
		return true
	}

	p.Summary, p.InState = "The plan is for another scope", PriorKept
	p.Do = "plan again, in the environment that is meant. With -refresh=false, no plan moves a resource to another scope."
	p.With(" Nothing was sent for it.").AddError(diags)

	return false
}

// attributes returns the values by attribute name.
func (m *Scope) attributes() map[string]*types.String {
	return map[string]*types.String{"org_id": &m.OrgID, "project_id": &m.ProjectID, "account_id": &m.AccountID}
}

// isUnknown reports whether a part of the scope is not known yet.
func (m *Scope) isUnknown() bool {
	return m.OrgID.IsUnknown() || m.ProjectID.IsUnknown() || m.AccountID.IsUnknown()
}

// access calls GetAttribute of a configuration, plan or state, or SetAttribute, for each attribute.
func access(ctx context.Context, call func(context.Context, path.Path, any) diag.Diagnostics, attributes map[string]*types.String, diags *diag.Diagnostics) {
	for name, value := range attributes {
		diags.Append(call(ctx, path.Root(name), value)...)
	}
}
