// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// Identity is the resource identity of an object that concerns one person: the scope in
// effect and the person. Models of such resources embed it, so that the identity and the
// attributes in state are the same values.
type Identity struct {
	Scope
	IdentityID types.String `tfsdk:"identity_id"`
}

// NewIdentity returns the identity of a person in a scope.
func NewIdentity(scope client.Scope, person string) Identity {
	return Identity{Scope: newScope(scope), IdentityID: types.StringValue(person)}
}

// IdentitySchema returns the schema of Identity.
func IdentitySchema() identityschema.Schema {
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"org_id": identityschema.StringAttribute{
			OptionalForImport: true,
			Description:       "Organization of the person. Requires project_id. Defaults to the scope of the provider block.",
		},
		"project_id": identityschema.StringAttribute{
			OptionalForImport: true,
			Description:       "Project of the person. Requires org_id.",
		},
		"account_id": identityschema.StringAttribute{
			OptionalForImport: true,
			Description:       "Account of the person, in the older account path family. Conflicts with org_id and project_id.",
		},
		"identity_id": identityschema.StringAttribute{
			RequiredForImport: true,
			Description:       "Identifier of the person, not encoded. Terraform prints it during an import.",
		},
	}}
}

// attributes returns the values by attribute name.
func (m *Identity) attributes() map[string]*types.String {
	values := m.Scope.attributes()
	values["identity_id"] = &m.IdentityID

	return values
}

// write sets the attributes of a state.
func (m Identity) write(ctx context.Context, to attributeWriter, diags *diag.Diagnostics) {
	m.Scope.write(ctx, to, diags)
	diags.Append(to.SetAttribute(ctx, path.Root("identity_id"), m.IdentityID)...)
}

// Identify sets m to the stored identity of an object, because the object is where it was
// written, and no change of the provider block moves it. An object without a stored
// identity gets one: the person in m, with the scope of m or else the provider's. Update must
// call it on a copy of the plan, whose attributes are final. stored is the identity in the
// response.
func (s *Service) Identify(ctx context.Context, m *Identity, stored *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	isStored := !stored.Raw.IsFullyNull()
	if isStored {
		diags.Append(stored.Get(ctx, m)...)
	}

	s.ResolveScope(&m.Scope)
	if !isStored {
		diags.Append(stored.Set(ctx, *m)...)
	}
}

// ReadIdentity is Identify for Read, which must call it on the state before anything is sent.
func (s *Service) ReadIdentity(ctx context.Context, m *Identity, stored *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	s.hasRead.Store(true)
	s.Identify(ctx, m, stored, diags)
}

// importNotBegun is what is in state if an import is refused.
const importNotBegun = "nothing; the import was not begun"

// ImportIdentity reads the import ID or the resource identity that an import names. It sets
// the complete identity, and in state the person and the scope. A scope that equals the
// provider's is left out of state; the first refresh sets it. It reports an error, and sets
// nothing, if the ID or the identity cannot be used.
func (s *Service) ImportIdentity(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) bool {
	named, ok := namedIdentity(ctx, req, &resp.Diagnostics)
	if !ok {
		return false
	}

	_, scope, ok := s.ClientAndScope(named.Scope, &resp.Diagnostics)
	if !ok {
		return false
	}

	complete := NewIdentity(scope, named.IdentityID.ValueString())
	resp.Diagnostics.Append(resp.Identity.Set(ctx, complete)...)

	if scope == s.DefaultScope {
		named.Scope = Scope{}
	}
	named.write(ctx, &resp.State, &resp.Diagnostics)

	return !resp.Diagnostics.HasError()
}

// namedIdentity returns the identity that an import names, or reports why it cannot be used.
func namedIdentity(ctx context.Context, req resource.ImportStateRequest, diags *diag.Diagnostics) (Identity, bool) {
	if req.ID == "" && !req.Identity.Raw.IsFullyNull() {
		return givenIdentity(ctx, *req.Identity, diags)
	}

	identity, err := parseImportID(req.ID)
	if err != nil {
		Problem{
			Summary: "Unusable import id",
			Detail: "The import id " + err.Error() + ".\n\nAccepted forms: org/project/identity, account/identity, or identity alone with the scope of the provider block. " +
				"Each part is percent-encoded where it contains a slash, a percent sign or a space.\n" +
				"Examples: org-demo/web/user-1001, org-demo/web/jane%40example.com, acct-7/user-1001, user-1001.",
			InState: importNotBegun,
		}.AddError(diags)

		return Identity{}, false
	}

	return identity, true
}

// givenIdentity returns the identity of an import block, or reports why it cannot be used.
// An attribute that is null counts as absent, because generated configuration names them all.
func givenIdentity(ctx context.Context, given tfsdk.ResourceIdentity, diags *diag.Diagnostics) (m Identity, ok bool) {
	diags.Append(given.Get(ctx, &m)...)

	refuse := func(name, reason string) {
		Problem{
			Summary: "Unusable import identity",
			Detail: "The attribute " + name + " of the identity " + reason + ".\n\nAccepted forms: identity_id alone with the scope of the provider block; org_id, project_id and identity_id; account_id and identity_id. " +
				"The values are not encoded.",
			InState: importNotBegun,
			At:      path.Root(name),
		}.AddError(diags)
	}

	values := m.attributes()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if values[name].IsNull() && name != "identity_id" {
			continue
		}
		if err := client.ValidateSegment(values[name].ValueString()); err != nil {
			refuse(name, err.Error())
		}
	}

	if m.OrgID.IsNull() != m.ProjectID.IsNull() {
		refuse("org_id", "needs project_id, and project_id needs org_id")
	}
	if !m.AccountID.IsNull() && (!m.OrgID.IsNull() || !m.ProjectID.IsNull()) {
		refuse("account_id", "cannot be combined with org_id and project_id")
	}

	return m, !diags.HasError()
}

// parseImportID returns the identity in an import ID. The error completes a sentence about
// the ID and never holds it.
func parseImportID(id string) (Identity, error) {
	parts := strings.Split(id, "/")
	if len(parts) > 3 {
		return Identity{}, fmt.Errorf("has %d parts separated by slashes", len(parts))
	}

	for i, part := range parts {
		decoded, err := url.PathUnescape(part)
		if err != nil {
			return Identity{}, fmt.Errorf("has a percent sign in part %d that encodes nothing", i+1)
		}
		if err := client.ValidateSegment(decoded); err != nil {
			return Identity{}, fmt.Errorf("has a part %d that %w", i+1, err)
		}
		parts[i] = decoded
	}

	switch len(parts) {
	case 1:
		return NewIdentity(client.Scope{}, parts[0]), nil
	case 2:
		return NewIdentity(client.Scope{AccountID: parts[0]}, parts[1]), nil
	}

	return NewIdentity(client.Scope{OrgID: parts[0], ProjectID: parts[1]}, parts[2]), nil
}
