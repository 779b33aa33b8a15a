// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// Identity is the resource identity of an object that concerns one person. Models of such resources embed
// it, so that the identity and the attributes in state are the same values.
type Identity struct {
	Scope
	IdentityID types.String `tfsdk:"identity_id"`
}

// IdentitySchema returns the schema of Identity.
func IdentitySchema() identityschema.Schema {
	return identityschema.Schema{
		Attributes: addPerson(TextAttribute.Identity, map[string]identityschema.Attribute{}, "Identifier of the person, not encoded. Terraform prints it during an import."),
	}
}

// attributes returns the values by attribute name.
func (m *Identity) attributes() map[string]*types.String {
	values := m.Scope.attributes()
	values["identity_id"] = &m.IdentityID

	return values
}

// ReadIdentity is ReadScope for an object with an identity: it sets m to the identity that the response
// has, since the object is where it was written. An object without one, of an older CLI, gets that of m.
func (s *Service) ReadIdentity(ctx context.Context, m *Identity, stored *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	s.hasRead.Store(true)
	if !stored.Raw.IsFullyNull() {
		diags.Append(stored.Get(ctx, m)...)
		return
	}

	m.Scope = cmp.Or(m.Scope, s.DefaultScope)
	diags.Append(stored.Set(ctx, *m)...)
}

// ImportIdentity reads the import ID or the resource identity that an import names, and sets the
// complete identity, and the person and the scope in state. It reports an error, and sets
// nothing, if the ID or the identity cannot be used.
func (s *Service) ImportIdentity(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) bool {
	named, err := parseImportID(req.ID)
	what := "id"
	if req.ID == "" && !req.Identity.Raw.IsFullyNull() {
		what = "identity"
		resp.Diagnostics.Append(req.Identity.Get(ctx, &named)...)
		err = named.check()
	}

	if err != nil {
		Problem{
			Summary: "Unusable import " + what,
			Detail: "The import " + what + " cannot be used: " + err.Error() + ".\n\n" +
				"Accepted forms of an id: org/project/identity, account/identity, or identity alone with the scope of the provider block. Each part is percent-encoded where it contains a slash, a percent sign or a space.\n" +
				"Examples: org-demo/web/user-1001, org-demo/web/jane%40example.com, acct-7/user-1001, user-1001.\n" +
				"Accepted forms of an identity: org_id, project_id and identity_id; account_id and identity_id; or identity_id alone. The values are not encoded.",
			InState: "nothing; the import was not begun",
		}.AddError(&resp.Diagnostics)

		return false
	}

	if _, _, ok := s.ClientAndScope(named.Scope, &resp.Diagnostics); !ok {
		return false
	}

	s.ResolveScope(&named.Scope)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, named)...)
	access(ctx, resp.State.SetAttribute, named.attributes(), &resp.Diagnostics)

	return !resp.Diagnostics.HasError()
}

// parseImportID returns the identity in an import ID. The error never holds a part of the ID.
func parseImportID(id string) (m Identity, err error) {
	var values []types.String
	for i, part := range strings.Split(id, "/") {
		decoded, err := url.PathUnescape(part)
		if err != nil {
			return m, fmt.Errorf("a percent sign in part %d encodes nothing", i+1)
		}
		values = append(values, types.StringValue(decoded))
	}

	switch len(values) {
	case 1:
		m.IdentityID = values[0]
	case 2:
		m.AccountID, m.IdentityID = values[0], values[1]
	case 3:
		m.OrgID, m.ProjectID, m.IdentityID = values[0], values[1], values[2]
	default:
		return m, fmt.Errorf("it has %d parts separated by slashes", len(values))
	}

	return m, m.check()
}

// check returns an error if an identity cannot be imported. It names attributes, and never a value.
func (m *Identity) check() error {
	if err := client.ValidateSegment(m.IdentityID.ValueString()); err != nil {
		return fmt.Errorf("identity_id %w", err)
	}
	if m.Scope == (Scope{}) {
		return nil
	}
	scope, _ := new(Service).KnownScope(m.Scope)

	return scope.Validate()
}

// StateMovers returns the mover for resources of generic providers with a path that ends with last,
// such as "consent". It takes over the person and the scope; begin has the other attributes of the
// moved state. A resource with another path is left alone, and Terraform says that it cannot be moved.
// The provider is not configured then: the first refresh reads what the service holds.
func StateMovers(last string, begin map[string]any) []resource.StateMover {
	move := func(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
		found := personPath.FindStringSubmatch(genericPath(req))
		if len(found) != 5 || found[4] != last {
			return
		}

		// Without an organization, the second part is the account.
		identity, err := parseImportID(strings.TrimPrefix(strings.Join(found[1:4], "/"), "/"))
		if err != nil {
			Problem{
				Summary: "The path cannot be moved",
				Detail:  "The path in the state of the " + req.SourceTypeName + " cannot be used: " + err.Error() + ".",
				InState: "the resource of the other provider; nothing was moved",
				Do:      "remove the moved block, and put the block of the " + req.SourceTypeName + " back: without it, a plan destroys what that resource manages.",
			}.AddError(&resp.Diagnostics)

			return
		}

		access(ctx, resp.TargetState.SetAttribute, identity.attributes(), &resp.Diagnostics)
		resp.Diagnostics.Append(resp.TargetIdentity.Set(ctx, identity)...)
		ObjectIn(ctx, resp.TargetPrivate, req.SourceTypeName)
		for name, value := range begin {
			resp.Diagnostics.Append(resp.TargetState.SetAttribute(ctx, path.Root(name), value)...)
		}
	}

	return []resource.StateMover{{StateMover: move}}
}

// genericPath returns the path of the requests of a generic provider's resource; empty for any
// other resource. Everything else in its state stays behind: bodies, answers and credentials.
func genericPath(req resource.MoveStateRequest) string {
	var state struct {
		ID       string `json:"id"`
		ObjectID string `json:"object_id"`
		Path     string `json:"path"`
		ReadPath string `json:"read_path"`
	}
	if req.SourceRawState == nil || json.Unmarshal(req.SourceRawState.JSON, &state) != nil {
		return ""
	}

	// OpenTofu before 1.12.4 passes a wrong host and namespace, so only the last part of the
	// provider's address counts.
	address := req.SourceProviderAddress
	switch address[strings.LastIndex(address, "/")+1:] + "." + req.SourceTypeName {
	case "restful.restful_resource": // the ID is the path that is read
		return cmp.Or(state.ID, state.Path)
	case "restapi.restapi_object":
		return strings.ReplaceAll(cmp.Or(state.ReadPath, state.Path+"/{id}"), "{id}", cmp.Or(state.ObjectID, state.ID))
	}

	return ""
}

// personPath matches the path of a person in either path family (interface, section 4). What
// stands before /v1/, and a query, do not count.
var personPath = regexp.MustCompile(`^(?:[^?#]*/)?v1/(?:org/([^/?#]+)/project|account)/([^/?#]+)/compliance/user/([^/?#]+)/([^/?#]+)/?(?:[?#].*)?$`)
