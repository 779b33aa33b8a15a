// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	actionschema "github.com/hashicorp/terraform-plugin-framework/action/schema"
	dsschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	ephemeralschema "github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	listschema "github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// Scope is the part of every model that overrides the provider's scope.
type Scope struct {
	OrgID     types.String `tfsdk:"org_id"`
	ProjectID types.String `tfsdk:"project_id"`
	AccountID types.String `tfsdk:"account_id"`
}

// addScope adds the attributes of Scope. Their rules allow both attributes of one path family,
// or the one of the other.
func addScope[A any](attributes map[string]A, attribute func(text string, rules []validator.String) A) map[string]A {
	org, project := path.MatchRoot("org_id"), path.MatchRoot("project_id")
	add := func(name, text string, rule validator.String) {
		attributes[name] = attribute(text, []validator.String{Segment(), rule})
	}

	add("org_id", "Organization, in place of that of the provider block. Requires `project_id`.", stringvalidator.AlsoRequires(project))
	add("project_id", "Project, in place of that of the provider block. Requires `org_id`.", stringvalidator.AlsoRequires(org))
	add("account_id", "Account of the older path family. Conflicts with `org_id` and `project_id`.", stringvalidator.ConflictsWith(org, project))

	return attributes
}

// AddDataSourceScope adds org_id, project_id and account_id to a data source's attributes.
func AddDataSourceScope(attributes map[string]dsschema.Attribute) map[string]dsschema.Attribute {
	return addScope(attributes, func(text string, rules []validator.String) dsschema.Attribute {
		return dsschema.StringAttribute{Optional: true, Validators: rules, MarkdownDescription: text}
	})
}

// AddActionScope adds org_id, project_id and account_id to the attributes of an action.
func AddActionScope(attributes map[string]actionschema.Attribute) map[string]actionschema.Attribute {
	return addScope(attributes, func(text string, rules []validator.String) actionschema.Attribute {
		return actionschema.StringAttribute{Optional: true, Validators: rules, MarkdownDescription: text}
	})
}

// AddListScope adds org_id, project_id and account_id to the attributes of a list resource.
func AddListScope(attributes map[string]listschema.Attribute) map[string]listschema.Attribute {
	return addScope(attributes, func(text string, rules []validator.String) listschema.Attribute {
		return listschema.StringAttribute{Optional: true, Validators: rules, MarkdownDescription: text}
	})
}

// EphemeralAttributes returns the attributes of a data source for the ephemeral resource
// that reads the same.
func EphemeralAttributes(attributes map[string]dsschema.Attribute) map[string]ephemeralschema.Attribute {
	converted := make(map[string]ephemeralschema.Attribute, len(attributes))
	for name, attribute := range attributes {
		switch a := attribute.(type) {
		case dsschema.StringAttribute:
			converted[name] = ephemeralschema.StringAttribute(a)
		case dsschema.BoolAttribute:
			converted[name] = ephemeralschema.BoolAttribute(a)
		default:
			panic(fmt.Sprintf("attributes of type %T are not converted", a))
		}
	}

	return converted
}

// own returns the object's own scope; zero if it has none.
func (m Scope) own() client.Scope {
	return client.Scope{OrgID: m.OrgID.ValueString(), ProjectID: m.ProjectID.ValueString(), AccountID: m.AccountID.ValueString()}
}

// isSet reports whether the object has a known scope of its own.
func (m Scope) isSet() bool { return !m.own().IsZero() }

func (m Scope) isUnknown() bool {
	return m.OrgID.IsUnknown() || m.ProjectID.IsUnknown() || m.AccountID.IsUnknown()
}

// effective returns the object's own scope, or else the provider's; never a mixture.
func (s *Service) effective(m Scope) client.Scope {
	if own := m.own(); !own.IsZero() {
		return own
	}
	return s.DefaultScope
}

// ScopeOf returns the scope for a request, or reports what is missing.
func (s *Service) ScopeOf(m Scope, diags *diag.Diagnostics) (client.Scope, bool) {
	if !m.isSet() && len(s.UnknownScope) > 0 {
		s.addUnknown(diags, s.UnknownScope)
		return client.Scope{}, false
	}

	scope := s.effective(m)
	if err := scope.Validate(); err != nil {
		Problem{
			Summary: "No usable scope",
			Detail:  "The scope cannot be used: " + err.Error() + ".",
			Do:      "set org_id and project_id, or account_id, in this block, in the provider block, or as ANALYTICS_ORG_ID and ANALYTICS_PROJECT_ID, or ANALYTICS_ACCOUNT_ID, in the environment.",
		}.AddError(diags)

		return client.Scope{}, false
	}

	return scope, true
}

// KnownScope returns the scope in effect, or false if that is not known yet.
func (s *Service) KnownScope(m Scope) (client.Scope, bool) {
	if m.isUnknown() || !m.isSet() && len(s.UnknownScope) > 0 {
		return client.Scope{}, false
	}

	return s.effective(m), true
}
