// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// State is an object as Terraform stores it.
type State struct {
	Attributes

	// Identity is the resource identity; nil if none is stored.
	Identity Attributes
	Private  []byte
}

// Plan is what a plan says about an object.
type Plan struct {
	Attributes

	// Changes reports whether anything differs from the prior state.
	Changes bool
	// Replace names the attributes that force a replacement.
	Replace []string

	config   Attributes
	private  []byte
	identity Attributes
}

// object returns a resource as the protocol has it; nil stands for no object.
func (p *Provider) object(name string, attributes Attributes) *tfprotov6.DynamicValue {
	p.t.Helper()
	return p.packed(p.Schemas.ResourceSchemas[name], attributes)
}

// Validate checks the configuration of a resource.
func (p *Provider) Validate(name string, config Attributes) Diagnostics {
	p.t.Helper()
	return call(p.t.Context(), p, p.server.ValidateResourceConfig, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: name, Config: p.object(name, config),
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	}).Diagnostics
}

// Plan plans a resource: a nil prior creates, a nil config destroys.
func (p *Provider) Plan(name string, prior *State, config Attributes) (Plan, Diagnostics) {
	p.t.Helper()
	before, diags := p.upgraded(name, prior)
	if len(diags.Errors()) > 0 {
		return Plan{}, diags
	}

	schema, configured := p.Schemas.ResourceSchemas[name], p.object(name, config)
	config = unpack(p.t, schema.ValueType(), configured) // with every attribute of the schema
	resp := call(p.t.Context(), p, p.server.PlanResourceChange, &tfprotov6.PlanResourceChangeRequest{
		TypeName: name, PriorState: p.object(name, before.Attributes), PriorPrivate: before.Private, PriorIdentity: p.packedIdentity(name, before.Identity),
		Config: configured, ProposedNewState: p.object(name, proposed(schema, before.Attributes, config)),
	})
	diags = append(diags, resp.Diagnostics...)
	if len(diags.Errors()) > 0 {
		return Plan{}, diags
	}

	planned := unpack(p.t, schema.ValueType(), resp.PlannedState)
	p.refuse(checkPlan(schema, before.Attributes, config, planned))
	plan := Plan{Attributes: planned, config: config, private: resp.PlannedPrivate, identity: p.identityOf(name, resp.PlannedIdentity)}
	plan.Changes = !cmp.Equal(planned, before.Attributes)
	for _, at := range resp.RequiresReplace {
		plan.Replace = append(plan.Replace, strings.Trim(strings.TrimPrefix(at.String(), "AttributeName("), `")`))
	}

	return plan, diags
}

// Resolve sets values that were unknown when a plan was made, as Terraform does before it applies.
func (plan Plan) Resolve(values Attributes) Plan {
	plan.Attributes, plan.config = plan.With(values), plan.config.With(values)
	return plan
}

// Apply carries out a plan. The state is nil where the object is gone, or was not created.
func (p *Provider) Apply(ctx context.Context, name string, prior *State, plan Plan) (*State, Diagnostics) {
	p.t.Helper()
	resp := call(ctx, p, p.server.ApplyResourceChange, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: name, PriorState: p.object(name, prior.orNone().Attributes), PlannedState: p.object(name, plan.Attributes),
		PlannedPrivate: plan.private, PlannedIdentity: p.packedIdentity(name, plan.identity), Config: p.object(name, plan.config),
	})

	state, diags := p.stateOf(name, resp.NewState, resp.Private, resp.NewIdentity), Diagnostics(resp.Diagnostics)
	if len(diags.Errors()) == 0 {
		p.refuse(checkApplied(plan.Attributes, state.orNone().Attributes))
	}

	return state, diags
}

// Update validates, plans and applies a change. A nil prior creates, a nil config destroys.
func (p *Provider) Update(name string, prior *State, config Attributes) (*State, Diagnostics) {
	p.t.Helper()
	var diags Diagnostics
	if config != nil {
		diags = p.Validate(name, config)
	}
	if len(diags.Errors()) > 0 {
		return prior, diags
	}

	plan, more := p.Plan(name, prior, config)
	diags = append(diags, more...)
	if len(more.Errors()) > 0 {
		return prior, diags
	}
	if len(plan.Replace) > 0 && prior != nil {
		p.t.Fatalf("the plan replaces the object because of %v", plan.Replace)
	}

	state, more := p.Apply(p.t.Context(), name, prior, plan)

	return state, append(diags, more...)
}

// Replace plans a replacement, destroys the object and creates the new one. As with
// Terraform, the plan of the new one begins with the identity of the old one.
func (p *Provider) Replace(name string, prior *State, config Attributes) (*State, Diagnostics) {
	p.t.Helper()
	plan, diags := p.MustPlan(name, prior, config)
	if len(plan.Replace) == 0 {
		p.t.Fatal("the plan does not replace the object")
	}

	destroyed, more := p.Update(name, prior, nil)
	diags = append(diags, more...)
	if destroyed != nil {
		return destroyed, diags
	}

	state, more := p.Update(name, &State{Private: plan.private, Identity: plan.identity}, config)

	return state, append(diags, more...)
}

// DestroyUnplanned applies the end of an object as the apply of a saved plan does, in a
// process that was not asked for the plan.
func (p *Provider) DestroyUnplanned(ctx context.Context, name string, prior *State) (*State, Diagnostics) {
	p.t.Helper()
	return p.Apply(ctx, name, prior, Plan{private: prior.Private, identity: prior.Identity})
}

// Refresh reads an object that is stored or has just been imported; the state is nil where the object is gone.
func (p *Provider) Refresh(name string, stored *State) (*State, Diagnostics) {
	p.t.Helper()
	before, diags := p.upgraded(name, stored)
	if len(diags.Errors()) > 0 {
		return stored, diags
	}

	resp := call(p.t.Context(), p, p.server.ReadResource, &tfprotov6.ReadResourceRequest{
		TypeName: name, CurrentState: p.object(name, before.Attributes),
		Private: before.Private, CurrentIdentity: p.packedIdentity(name, before.Identity),
	})
	diags = append(diags, resp.Diagnostics...)
	if len(diags.Errors()) > 0 {
		return stored, diags
	}

	return p.stateOf(name, resp.NewState, resp.Private, resp.NewIdentity), diags
}

// upgraded returns what the provider makes of an object that is read from a state file, as Terraform's core asks it to
// before it uses the object, even in the same version. Core asks for an upgrade of the identity in older versions only,
// and there are no older versions.
func (p *Provider) upgraded(name string, stored *State) (*State, Diagnostics) {
	p.t.Helper()
	if stored.orNone().Attributes == nil {
		return stored.orNone(), nil
	}

	file, _ := json.Marshal(stored.Attributes) // which were unpacked
	resp := call(p.t.Context(), p, p.server.UpgradeResourceState, &tfprotov6.UpgradeResourceStateRequest{
		TypeName: name, Version: p.Schemas.ResourceSchemas[name].Version, RawState: &tfprotov6.RawState{JSON: file},
	})
	if diags := Diagnostics(resp.Diagnostics); len(diags.Errors()) > 0 {
		return nil, diags
	}

	return p.stateOf(name, resp.UpgradedState, stored.Private, p.packedIdentity(name, stored.Identity)), resp.Diagnostics
}

// Move moves an object of another provider to a resource of ours, which the request names.
func (p *Provider) Move(req *tfprotov6.MoveResourceStateRequest) (*State, Diagnostics) {
	p.t.Helper()
	resp := call(p.t.Context(), p, p.server.MoveResourceState, req)
	return p.stateOf(req.TargetTypeName, resp.TargetState, resp.TargetPrivate, resp.TargetIdentity), resp.Diagnostics
}

// Import imports an object by its ID or, as an import block does since Terraform 1.12, by its resource identity, and
// refreshes it. It returns what was imported even if that cannot be refreshed.
func (p *Provider) Import(name, id string, identity Attributes) (*State, Diagnostics) {
	p.t.Helper()
	resp := call(p.t.Context(), p, p.server.ImportResourceState, &tfprotov6.ImportResourceStateRequest{TypeName: name, ID: id, Identity: p.packedIdentity(name, identity)})
	if len(resp.ImportedResources) == 0 {
		return nil, resp.Diagnostics
	}

	imported := resp.ImportedResources[0]
	state, diags := p.Refresh(name, p.stateOf(name, imported.State, imported.Private, imported.Identity))

	return state, append(resp.Diagnostics, diags...)
}

// MustRefresh is Refresh of an object that still exists.
func (p *Provider) MustRefresh(name string, state *State) (*State, Diagnostics) {
	p.t.Helper()
	state, diags := p.Refresh(name, state)
	p.NoErrors(diags)
	if state == nil {
		p.t.Fatal("the refresh removed the object")
	}
	return state, diags
}

// MustUpdate is Update without an error.
func (p *Provider) MustUpdate(name string, state *State, config Attributes) (*State, Diagnostics) {
	p.t.Helper()
	state, diags := p.Update(name, state, config)
	p.NoErrors(diags)
	return state, diags
}

// MustPlan is Plan without an error.
func (p *Provider) MustPlan(name string, state *State, config Attributes) (Plan, Diagnostics) {
	p.t.Helper()
	plan, diags := p.Plan(name, state, config)
	p.NoErrors(diags)
	return plan, diags
}

// WantEmptyPlan fails the test where the plan has changes, and returns its diagnostics.
func (p *Provider) WantEmptyPlan(name string, state *State, config Attributes) Diagnostics {
	p.t.Helper()
	plan, diags := p.MustPlan(name, state, config)
	if plan.Changes {
		p.t.Errorf("the plan is not empty:\n%v\nto\n%v", state.Attributes, plan.Attributes)
	}
	return diags
}

// stateOf returns the state of an object from a response; nil where the object is gone.
func (p *Provider) stateOf(name string, packed *tfprotov6.DynamicValue, private []byte, identity *tfprotov6.ResourceIdentityData) *State {
	p.t.Helper()
	attributes := unpack(p.t, p.Schemas.ResourceSchemas[name].ValueType(), packed)
	if attributes == nil {
		return nil
	}
	p.refuse(checkStored(p.Schemas.ResourceSchemas[name], attributes))

	return &State{Attributes: attributes, Identity: p.identityOf(name, identity), Private: private}
}

// orNone returns the state, or that of an object that does not exist.
func (s *State) orNone() *State {
	if s == nil {
		return &State{}
	}
	return s
}

// identityOf returns the values of an identity; nil where there is none. That an object keeps its
// identity is a rule of the framework, and not of Terraform's core.
func (p *Provider) identityOf(name string, packed *tfprotov6.ResourceIdentityData) Attributes {
	p.t.Helper()
	if packed == nil {
		return nil
	}
	return unpack(p.t, p.Identities[name].ValueType(), packed.IdentityData)
}

func (p *Provider) packedIdentity(name string, identity Attributes) *tfprotov6.ResourceIdentityData {
	p.t.Helper()
	if identity == nil {
		return nil
	}
	return &tfprotov6.ResourceIdentityData{IdentityData: pack(p.t, p.Identities[name].ValueType(), identity)}
}
