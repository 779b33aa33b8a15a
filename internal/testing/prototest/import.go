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
	return p.importAndRefresh(name, &tfprotov6.ImportResourceStateRequest{TypeName: name, ID: id})
}

// ImportOnly returns what an import writes into state before the first refresh.
func (p *Provider) ImportOnly(name, id string) *State {
	p.t.Helper()
	state, diags := p.importOnly(name, &tfprotov6.ImportResourceStateRequest{TypeName: name, ID: id})
	p.NoErrors(diags)
	return state
}

func (p *Provider) importAndRefresh(name string, req *tfprotov6.ImportResourceStateRequest) (*State, Diagnostics) {
	p.t.Helper()
	state, diags := p.importOnly(name, req)
	if state == nil {
		return nil, diags
	}

	state, more := p.read(name, state)
	diags = append(diags, more...)
	if len(diags.Errors()) == 0 {
		p.checkIdentity(name, &State{}, state)
	}

	return state, diags
}

func (p *Provider) importOnly(name string, req *tfprotov6.ImportResourceStateRequest) (*State, Diagnostics) {
	p.t.Helper()
	resp := call(p, p.server.ImportResourceState, req)

	diags := Diagnostics(resp.Diagnostics)
	if len(diags.Errors()) > 0 {
		if len(resp.ImportedResources) > 0 {
			p.t.Fatal("an import that failed left something in state")
		}
		return nil, diags
	}

	if n := len(resp.ImportedResources); n != 1 {
		p.t.Fatalf("Terraform would refuse this import: it has %d objects", n)
	}
	imported := resp.ImportedResources[0]
	if imported.TypeName != name || unpack(p.t, p.resourceSchema(name).ValueType(), imported.State).IsNull() {
		p.t.Fatalf("Terraform would refuse this import: it has an object of %q for %q, or none", imported.TypeName, name)
	}
	if req.Identity != nil && imported.Identity == nil {
		p.t.Error("Terraform would refuse this import by identity: it has none")
	}

	return p.stateOf(name, imported.State, imported.Private, imported.Identity), diags
}

// ImportByIdentity imports an object by its resource identity and refreshes it, as an import
// block does since Terraform 1.12.
func (p *Provider) ImportByIdentity(name string, identity Attributes) (*State, Diagnostics) {
	p.t.Helper()
	packed := pack(p.t, toValue(p.t, p.identities[name].ValueType(), identity))
	return p.importAndRefresh(name, &tfprotov6.ImportResourceStateRequest{
		TypeName: name, Identity: &tfprotov6.ResourceIdentityData{IdentityData: packed},
	})
}
