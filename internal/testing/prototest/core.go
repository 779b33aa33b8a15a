// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"fmt"
	"maps"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// field is an attribute or a block of a schema. The rules apply to it as a whole.
type field struct {
	computed, writeOnly, block bool
}

// fieldsOf returns the attributes and blocks of a schema. None of the provider has a part that Terraform
// would compute or drop.
func fieldsOf(schema *tfprotov6.Schema) map[string]field {
	fields := map[string]field{}
	for _, a := range schema.Block.Attributes {
		fields[a.Name] = field{computed: a.Computed, writeOnly: a.WriteOnly}
	}
	for _, b := range schema.Block.BlockTypes {
		fields[b.TypeName] = field{block: true}
	}
	return fields
}

// proposed merges configuration and prior state as Terraform's core does before it asks for
// a plan: what is configured wins, what is computed and not configured keeps its prior value.
func proposed(schema *tfprotov6.Schema, prior, config Attributes) Attributes {
	values := maps.Clone(config)
	for name, f := range fieldsOf(schema) {
		if config != nil && f.computed && config[name] == nil {
			values[name] = prior[name]
		}
	}

	return values
}

// change is a change of an object; nil stands for no object.
type change struct {
	prior, config, planned Attributes
}

// checkPlan holds a plan, or what was read for a configuration, to the rules of Terraform's core: every
// field is as configured or, if it is an attribute, as it was before. An attribute that is not
// configured may be computed. It returns why core would refuse the plan.
func checkPlan(schema *tfprotov6.Schema, c change) (reasons []string) {
	if (c.planned == nil) != (c.config == nil) {
		return []string{fmt.Sprintf("an object is configured %v, and the result has one %v", c.config != nil, c.planned != nil)}
	}

	for name, f := range fieldsOf(schema) {
		v, configured, before := c.planned[name], c.config[name], c.prior[name]
		isComputed := f.computed && configured == nil
		isAsBefore := !f.block && configured != nil && before != nil && cmp.Equal(v, before)
		if !f.writeOnly && !isComputed && !isAsBefore && !cmp.Equal(v, configured) {
			reasons = append(reasons, name+" is neither as configured nor as it was")
		}
	}

	return append(reasons, writeOnly(schema, c.planned)...)
}

// writeOnly returns which write-only attributes have a value.
func writeOnly(schema *tfprotov6.Schema, object Attributes) (reasons []string) {
	for name, f := range fieldsOf(schema) {
		if f.writeOnly && object[name] != nil {
			reasons = append(reasons, name+" is write-only and has a value")
		}
	}
	return reasons
}

// checkStored returns why Terraform's core would not store an object: a value, or a part of one, is unknown, or
// a write-only attribute has a value.
func checkStored(schema *tfprotov6.Schema, object Attributes) (reasons []string) {
	for name, v := range object {
		if strings.Contains(fmt.Sprint(v), string(Unknown)) {
			reasons = append(reasons, name+" is still unknown")
		}
	}
	return append(reasons, writeOnly(schema, object)...)
}

// checkApplied holds a new state, whose values are known, to the rule of Terraform's core that every
// value is as planned where the plan knew it.
func checkApplied(planned, after Attributes) []string {
	isUnknown := func(x, y any) bool { return x == Unknown || y == Unknown }
	if diff := cmp.Diff(planned, after, cmp.FilterValues(isUnknown, cmp.Ignore())); diff != "" {
		return []string{"the result is not as planned (-planned +after):\n" + diff}
	}
	return nil
}
