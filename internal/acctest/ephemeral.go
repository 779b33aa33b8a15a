package acctest

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Open validates and opens an ephemeral resource, and returns its values.
func (p *Provider) Open(name string, config Attributes) (Attributes, Diagnostics) {
	p.t.Helper()
	schema := p.schemas.EphemeralResourceSchemas[name]
	if schema == nil {
		p.t.Fatalf("there is no ephemeral resource %s", name)
	}
	packed := pack(p.t, toValue(p.t, schema.ValueType(), config))

	validated, err := p.server.ValidateEphemeralResourceConfig(p.t.Context(), &tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: name, Config: packed})
	if err != nil {
		p.t.Fatal(err)
	}
	diags := Diagnostics(validated.Diagnostics)
	if len(diags.Errors()) > 0 {
		return nil, diags
	}

	resp, err := p.server.OpenEphemeralResource(p.t.Context(), &tfprotov6.OpenEphemeralResourceRequest{TypeName: name, Config: packed})
	if err != nil {
		p.t.Fatal(err)
	}
	if resp.Deferred != nil || !resp.RenewAt.IsZero() {
		p.t.Errorf("%s is deferred or asks to be renewed", name)
	}
	diags = append(diags, resp.Diagnostics...)
	if len(diags.Errors()) > 0 {
		return nil, diags
	}

	values, _ := fromValue(p.t, unpack(p.t, schema.ValueType(), resp.Result)).(Attributes)
	return values, diags
}
