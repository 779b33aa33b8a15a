// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// field is an attribute or a block of a schema.
type field struct {
	name                                 string
	optional, computed, writeOnly, block bool
	// nested are the fields of the object that the field holds; none where it holds none.
	nested []field
}

// fieldsOf returns the fields of a block, such as that of a whole schema. It panics where a
// collection of objects can be configured: Terraform has rules for those that no schema of the
// provider needs, and that the driver does not know.
func fieldsOf(block *tfprotov6.SchemaBlock) []field {
	fields := attributeFields(block.Attributes)
	for _, nested := range block.BlockTypes {
		if nested.Nesting != tfprotov6.SchemaNestedBlockNestingModeSingle {
			panic("the driver does not know the rules for the block " + nested.TypeName)
		}
		fields = append(fields, field{name: nested.TypeName, block: true, nested: fieldsOf(nested.Block)})
	}

	return fields
}

func attributeFields(attributes []*tfprotov6.SchemaAttribute) []field {
	var fields []field
	for _, a := range attributes {
		f := field{name: a.Name, optional: a.Optional, computed: a.Computed, writeOnly: a.WriteOnly}
		if a.NestedType != nil && a.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle {
			f.nested = attributeFields(a.NestedType.Attributes)
		} else if a.NestedType != nil && (a.Optional || a.Required) {
			panic("the driver does not know the rules for the attribute " + a.Name)
		}
		fields = append(fields, f)
	}

	return fields
}

// proposed merges configuration and prior state as Terraform's core does before it asks for
// a plan: what is configured wins, what is computed and not configured keeps its prior value.
func proposed(fields []field, prior, config tftypes.Value) tftypes.Value {
	if config.IsNull() || !config.IsKnown() {
		return config
	}

	values, before := parts(config), parts(prior)
	for _, f := range fields {
		v, old := values[f.name], before[f.name]
		if f.computed && v.IsNull() && !old.IsNull() {
			values[f.name] = old
		} else if f.nested != nil {
			values[f.name] = proposed(f.nested, old, v)
		}
	}

	return tftypes.NewValue(config.Type(), values)
}

// change is a change of an object, or of one field.
type change struct {
	prior, config, planned tftypes.Value
}

// checkPlan holds a plan, or what was read for a configuration, to the rules of Terraform's
// core.
func checkPlan(tb testing.TB, schema *tfprotov6.Schema, c change) {
	tb.Helper()
	if !c.planned.IsKnown() || c.planned.IsNull() != c.config.IsNull() {
		tb.Errorf("Terraform would refuse this: an object is configured %v, and the result has one %v", !c.config.IsNull(), !c.planned.IsNull())
		return
	}

	fields := fieldsOf(schema.Block)
	checkWriteOnly(tb, "", fields, c.planned)
	c.check(tb, "", fields)
}

// check fails the test where a field of an object is not planned as Terraform's core allows.
func (c change) check(tb testing.TB, at string, fields []field) {
	tb.Helper()
	prior, config, planned := parts(c.prior), parts(c.config), parts(c.planned)
	for _, f := range fields {
		one := change{prior[f.name], config[f.name], planned[f.name]}
		if f.writeOnly || one.allowed(f) {
			continue
		}

		if f.nested == nil || one.config.IsNull() || one.planned.IsNull() || !one.config.IsKnown() || !one.planned.IsKnown() {
			tb.Errorf("Terraform would refuse this: %s%s is neither as configured nor as it was", at, f.name)
			continue
		}
		one.check(tb, at+f.name+".", f.nested)
	}
}

// allowed reports whether a field is planned as configured. A configured attribute may also
// keep its prior value, and one that is not configured may be computed.
func (c change) allowed(f field) bool {
	if c.planned.Equal(c.config) || f.computed && (c.config.IsNull() || !f.optional) {
		return true
	}
	return !f.block && !c.config.IsNull() && !c.prior.IsNull() && c.planned.Equal(c.prior)
}

// checkWriteOnly fails the test where a write-only attribute has a value.
func checkWriteOnly(tb testing.TB, at string, fields []field, object tftypes.Value) {
	tb.Helper()
	values := parts(object)
	for _, f := range fields {
		if f.writeOnly && !values[f.name].IsNull() {
			tb.Errorf("Terraform would refuse this: %s%s is write-only and has a value", at, f.name)
		}
		if f.nested != nil {
			checkWriteOnly(tb, at+f.name+".", f.nested, values[f.name])
		}
	}
}

// checkKnown fails the test where a value of a result is unknown.
func checkKnown(tb testing.TB, result tftypes.Value) {
	tb.Helper()
	if !result.IsKnown() {
		tb.Error("Terraform would refuse this result: it is still unknown")
	}
	for name, v := range parts(result) {
		if !v.IsFullyKnown() {
			tb.Errorf("Terraform would refuse this result: %s is still unknown", name)
		}
	}
}

// checkApplied holds a new state to the rule of Terraform's core that every value is as
// planned where the plan knew it.
func checkApplied(tb testing.TB, planned, after tftypes.Value) {
	tb.Helper()
	if planned.IsNull() != after.IsNull() {
		tb.Errorf("Terraform would call this result inconsistent: planned to exist %v, exists %v", !planned.IsNull(), !after.IsNull())
		return
	}

	got := parts(after)
	for name, want := range parts(planned) {
		if !fits(want, got[name]) {
			tb.Errorf("Terraform would call this result inconsistent: %s is not as planned", name)
		}
	}
}

// fits reports whether a value is as planned, wherever the plan knew it. The elements of a set
// have to keep their order, which Terraform does not ask for, and the provider does.
func fits(planned, after tftypes.Value) bool {
	if !planned.IsKnown() {
		return true
	}
	if planned.IsNull() || after.IsNull() || !after.IsKnown() {
		return planned.IsNull() && after.IsNull()
	}

	want, got := parts(planned), parts(after)
	if want == nil {
		return planned.Equal(after)
	}
	if len(want) != len(got) {
		return false
	}
	for key, v := range want {
		if other, ok := got[key]; !ok || !fits(v, other) {
			return false
		}
	}

	return true
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
