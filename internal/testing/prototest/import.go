// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Source is an object in the state of another provider, as Terraform hands it over for a
// moved block.
type Source struct {
	Type          string          `json:"type"`
	Provider      string          `json:"provider"`
	SchemaVersion int64           `json:"schema_version"`
	Attributes    json.RawMessage `json:"attributes"`
}

// Move moves an object of another provider to a resource of ours.
func (p *Provider) Move(from Source, name string) (*State, Diagnostics) {
	p.t.Helper()
	resp := call(p, p.server.MoveResourceState, &tfprotov6.MoveResourceStateRequest{
		SourceProviderAddress: from.Provider, SourceTypeName: from.Type, SourceSchemaVersion: from.SchemaVersion,
		SourceState: &tfprotov6.RawState{JSON: from.Attributes}, TargetTypeName: name,
	})
	return p.stateOf(name, resp.TargetState, resp.TargetPrivate, resp.TargetIdentity), resp.Diagnostics
}

// Import imports an object by its ID and refreshes it, as Terraform does.
func (p *Provider) Import(name, id string) (*State, Diagnostics) {
	p.t.Helper()
	return p.importAndRefresh(&tfprotov6.ImportResourceStateRequest{TypeName: name, ID: id})
}

// ImportByIdentity imports an object by its resource identity and refreshes it, as an import
// block does since Terraform 1.12.
func (p *Provider) ImportByIdentity(name string, identity Attributes) (*State, Diagnostics) {
	p.t.Helper()
	return p.importAndRefresh(&tfprotov6.ImportResourceStateRequest{TypeName: name, Identity: p.packedIdentity(name, identity)})
}

// importAndRefresh returns what was imported even if it cannot be refreshed.
func (p *Provider) importAndRefresh(req *tfprotov6.ImportResourceStateRequest) (*State, Diagnostics) {
	p.t.Helper()
	resp := call(p, p.server.ImportResourceState, req)
	if len(resp.ImportedResources) == 0 {
		return nil, resp.Diagnostics
	}

	imported := resp.ImportedResources[0]
	state, diags := p.read(req.TypeName, p.stateOf(req.TypeName, imported.State, imported.Private, imported.Identity))

	return state, append(resp.Diagnostics, diags...)
}
