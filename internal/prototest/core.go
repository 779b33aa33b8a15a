// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// field is an attribute or a block of a schema.
type field struct {
	name                                 string
	optional, computed, writeOnly, block bool
	// nested are the fields of the objects that the field holds; none where it holds none.
	nested []field
}

// fieldsOf returns the fields of a block, such as that of a whole schema.
func fieldsOf(block *tfprotov6.SchemaBlock) []field {
	fields := attributeFields(block.Attributes)
	for _, nested := range block.BlockTypes {
		fields = append(fields, field{name: nested.TypeName, block: true, nested: fieldsOf(nested.Block)})
	}
	return fields
}

func attributeFields(attributes []*tfprotov6.SchemaAttribute) []field {
	var fields []field
	for _, a := range attributes {
		f := field{name: a.Name, optional: a.Optional, computed: a.Computed, writeOnly: a.WriteOnly}
		if a.NestedType != nil {
			f.nested = attributeFields(a.NestedType.Attributes)
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
			continue
		}
		if f.nested == nil || v.IsNull() || !v.IsKnown() {
			continue
		}

		merged, existing := objects(v), objects(old)
		if v.Type().Is(tftypes.Set{}) {
			existing = f.correlated(existing, merged)
		}
		for key, object := range merged {
			merged[key] = proposed(f.nested, existing[key], object)
		}
		values[f.name] = joined(v.Type(), merged)
	}

	return tftypes.NewValue(config.Type(), values)
}

// correlated returns the prior objects of a set by the keys of the configured ones. The
// objects belong together where they differ in computed values alone.
func (f field) correlated(prior, configured map[string]tftypes.Value) map[string]tftypes.Value {
	found := map[string]tftypes.Value{}
	for key, object := range configured {
		config := parts(object)
		for candidate, before := range prior {
			values := parts(before)
			differs := slices.ContainsFunc(f.nested, func(nested field) bool {
				v := config[nested.name]
				return (!nested.computed || !v.IsNull()) && !v.Equal(values[nested.name])
			})
			if !differs {
				found[key] = before
				delete(prior, candidate)
				break
			}
		}
	}

	return found
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
		one.checkObjects(tb, at+f.name, f.nested)
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

// checkObjects holds each object of a field to the rules for a plan. Those of a set cannot
// be told apart, so that only their number counts.
func (c change) checkObjects(tb testing.TB, at string, nested []field) {
	tb.Helper()
	prior, config, planned := objects(c.prior), objects(c.config), objects(c.planned)
	if len(planned) != len(config) {
		tb.Errorf("Terraform would refuse this: %s has %d objects, and %d are configured", at, len(planned), len(config))
		return
	}
	if c.config.Type().Is(tftypes.Set{}) {
		return
	}

	for key, object := range planned {
		configured, ok := config[key]
		if !ok || object.IsNull() != configured.IsNull() || object.IsKnown() != configured.IsKnown() {
			tb.Errorf("Terraform would refuse this: %s.%s is there without being configured, or the reverse", at, key)
			continue
		}
		change{prior[key], configured, object}.check(tb, at+"."+key+".", nested)
	}
}

// checkWriteOnly fails the test where a write-only attribute has a value.
func checkWriteOnly(tb testing.TB, at string, fields []field, object tftypes.Value) {
	tb.Helper()
	values := parts(object)
	for _, f := range fields {
		if f.writeOnly && !values[f.name].IsNull() {
			tb.Errorf("Terraform would refuse this: %s%s is write-only and has a value", at, f.name)
		}
		if f.nested == nil {
			continue
		}
		for key, nested := range objects(values[f.name]) {
			checkWriteOnly(tb, at+f.name+"."+key+".", f.nested, nested)
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

// fits reports whether a value is as planned, wherever the plan knew it.
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
	if planned.Type().Is(tftypes.Set{}) {
		return sameSet(want, got)
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

// sameSet reports whether each planned value of a set is there, and each that is there was
// planned. Several planned ones may have become equal.
func sameSet(planned, after map[string]tftypes.Value) bool {
	met := map[string]bool{}
	for _, want := range planned {
		found := false
		for key, v := range after {
			if fits(want, v) {
				found, met[key] = true, true
			}
		}
		if !found {
			return false
		}
	}

	return len(met) == len(after) && len(after) <= len(planned)
}
