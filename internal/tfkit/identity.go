// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
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
