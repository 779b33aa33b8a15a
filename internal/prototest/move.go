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
	resp, err := p.server.MoveResourceState(p.t.Context(), &tfprotov6.MoveResourceStateRequest{
		SourceProviderAddress: from.Provider,
		SourceTypeName:        from.Type,
		SourceSchemaVersion:   from.SchemaVersion,
		SourceState:           &tfprotov6.RawState{JSON: from.Attributes},
		TargetTypeName:        name,
	})
	if err != nil {
		p.t.Fatal(err)
	}

	diags := Diagnostics(resp.Diagnostics)
	if len(diags.Errors()) > 0 {
		return nil, diags
	}

	return p.stateOf(name, resp.TargetState, resp.TargetPrivate, resp.TargetIdentity), diags
}
