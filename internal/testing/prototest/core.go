// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"fmt"
	"maps"
	"strings"
	"testing"

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
// configured may be computed.
func checkPlan(tb testing.TB, schema *tfprotov6.Schema, c change) {
	tb.Helper()
	if (c.planned == nil) != (c.config == nil) {
		tb.Errorf("Terraform would refuse this: an object is configured %v, and the result has one %v", c.config != nil, c.planned != nil)
		return
	}

	checkWriteOnly(tb, schema, c.planned)
	for name, f := range fieldsOf(schema) {
		v, configured, before := c.planned[name], c.config[name], c.prior[name]
		switch {
		case f.writeOnly: // checked above
		case cmp.Equal(v, configured):
		case f.computed && configured == nil:
		case !f.block && configured != nil && before != nil && cmp.Equal(v, before):
		default:
			tb.Errorf("Terraform would refuse this: %s is neither as configured nor as it was", name)
		}
	}
}

// checkWriteOnly fails the test where a write-only attribute has a value.
func checkWriteOnly(tb testing.TB, schema *tfprotov6.Schema, object Attributes) {
	tb.Helper()
	for name, f := range fieldsOf(schema) {
		if f.writeOnly && object[name] != nil {
			tb.Errorf("Terraform would refuse this: %s is write-only and has a value", name)
		}
	}
}

// checkKnown fails the test where a value of a result, or a part of one, is unknown.
func checkKnown(tb testing.TB, result Attributes) {
	tb.Helper()
	for name, v := range result {
		if strings.Contains(fmt.Sprint(v), string(Unknown)) {
			tb.Errorf("Terraform would refuse this result: %s is still unknown", name)
		}
	}
}

// checkApplied holds a new state, whose values are known, to the rule of Terraform's core that every
// value is as planned where the plan knew it.
func checkApplied(tb testing.TB, planned, after Attributes) {
	tb.Helper()
	isUnknown := func(x, y any) bool { return x == Unknown || y == Unknown }
	if diff := cmp.Diff(planned, after, cmp.FilterValues(isUnknown, cmp.Ignore())); diff != "" {
		tb.Errorf("Terraform would call this result inconsistent: it is not as planned (-planned +after):\n%s", diff)
	}
}
