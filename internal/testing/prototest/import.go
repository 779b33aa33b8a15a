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
		SourceProviderAddress: from.Provider,
		SourceTypeName:        from.Type,
		SourceSchemaVersion:   from.SchemaVersion,
		SourceState:           &tfprotov6.RawState{JSON: from.Attributes},
		TargetTypeName:        name,
	})

	diags := Diagnostics(resp.Diagnostics)
	if len(diags.Errors()) > 0 {
		return nil, diags
	}

	return p.stateOf(name, resp.TargetState, resp.TargetPrivate, resp.TargetIdentity), diags
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

// ImportOnly returns what an import writes into state before the first refresh.
func (p *Provider) ImportOnly(name, id string) *State {
	p.t.Helper()
	state, diags := p.importOnly(&tfprotov6.ImportResourceStateRequest{TypeName: name, ID: id})
	p.NoErrors(diags)
	return state
}

func (p *Provider) importAndRefresh(req *tfprotov6.ImportResourceStateRequest) (*State, Diagnostics) {
	p.t.Helper()
	state, diags := p.importOnly(req)
	if state == nil {
		return nil, diags
	}

	state, more := p.read(req.TypeName, state)

	return state, append(diags, more...)
}

func (p *Provider) importOnly(req *tfprotov6.ImportResourceStateRequest) (*State, Diagnostics) {
	p.t.Helper()
	resp := call(p, p.server.ImportResourceState, req)
	for _, imported := range resp.ImportedResources {
		return p.stateOf(imported.TypeName, imported.State, imported.Private, imported.Identity), resp.Diagnostics
	}
	return nil, resp.Diagnostics
}
