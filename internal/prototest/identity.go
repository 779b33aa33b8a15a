// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// WithoutIdentity returns the state as a CLI stores it that does not know of identities.
func (s *State) WithoutIdentity() *State {
	forgotten := *s
	forgotten.Identity, forgotten.identity = nil, nil

	return &forgotten
}

// identityOf returns the values of an identity, held to the rules of Terraform's core:
// every value is known, and there is no identity without a schema.
func (p *Provider) identityOf(name string, stored *tfprotov6.ResourceIdentityData) Attributes {
	p.t.Helper()
	if stored == nil {
		return nil
	}
	schema := p.identities[name]
	if schema == nil {
		p.t.Fatalf("%s has an identity without a schema", name)
	}

	v := unpack(p.t, schema.ValueType(), stored.IdentityData)
	if !v.IsFullyKnown() {
		p.t.Error("Terraform would refuse this identity: it has unknown values")
	}
	values, _ := fromValue(p.t, v).(Attributes)
	for _, value := range values {
		if value != nil {
			return values
		}
	}

	return nil
}

// checkIdentity fails the test where an object that still exists has lost its identity, or has
// another one than before. Terraform's core leaves this rule to the framework.
func (p *Provider) checkIdentity(name string, before, after *State) {
	p.t.Helper()
	if p.identities[name] == nil || after == nil {
		return
	}
	if after.Identity == nil {
		p.t.Errorf("%s has no identity", name)
	}
	if before.Identity != nil && !maps.Equal(before.Identity, after.Identity) {
		p.t.Errorf("the identity has changed from %v to %v", before.Identity, after.Identity)
	}
}

// Replace plans a replacement, destroys the object and creates the new one. As with
// Terraform, the plan of the new one begins with the identity of the old one.
func (p *Provider) Replace(name string, prior *State, config Attributes) (*State, Diagnostics) {
	p.t.Helper()
	plan, diags := p.Plan(name, prior, config)
	p.NoErrors(diags)
	if len(plan.Replace) == 0 {
		p.t.Fatal("the plan does not replace the object")
	}

	destroyed, more := p.Destroy(name, prior)
	diags = append(diags, more...)
	if destroyed != nil {
		return destroyed, diags
	}

	none := &State{raw: tftypes.NewValue(p.resourceSchema(name).ValueType(), nil), Private: plan.private, identity: plan.identity}
	state, more := p.planAndApply(name, none, config)

	return state, append(diags, more...)
}
