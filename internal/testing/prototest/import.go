// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Move moves an object of another provider to a resource of ours, which the request names.
func (p *Provider) Move(req *tfprotov6.MoveResourceStateRequest) (*State, Diagnostics) {
	p.t.Helper()
	resp := call(p, p.server.MoveResourceState, req)
	return p.stateOf(req.TargetTypeName, resp.TargetState, resp.TargetPrivate, resp.TargetIdentity), resp.Diagnostics
}

// Import imports an object by its ID or, as an import block does since Terraform 1.12, by its resource identity, and
// refreshes it. It returns what was imported even if that cannot be refreshed.
func (p *Provider) Import(name, id string, identity Attributes) (*State, Diagnostics) {
	p.t.Helper()
	resp := call(p, p.server.ImportResourceState, &tfprotov6.ImportResourceStateRequest{TypeName: name, ID: id, Identity: p.packedIdentity(name, identity)})
	if len(resp.ImportedResources) == 0 {
		return nil, resp.Diagnostics
	}

	imported := resp.ImportedResources[0]
	state, diags := p.read(name, p.stateOf(name, imported.State, imported.Private, imported.Identity))

	return state, append(resp.Diagnostics, diags...)
}
