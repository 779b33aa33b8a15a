// SPDX-License-Identifier: MPL-2.0

package prototest

import (
	"fmt"
	"maps"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// proposed merges configuration and prior state as Terraform's core does before it asks for
// a plan: what is configured wins, what is computed and not configured keeps its prior value.
func proposed(schema *tfprotov6.Schema, prior, config Attributes) Attributes {
	if config == nil {
		return nil
	}

	values := maps.Clone(config)
	for _, a := range schema.Block.Attributes {
		if a.Computed && config[a.Name] == nil {
			values[a.Name] = prior[a.Name]
		}
	}

	return values
}

// checkPlan holds a plan, or what was read for a configuration, to the rules of Terraform's core: an attribute is as
// configured, or as it was before if it is configured at all, or computed if it is not. One that is write-only has no
// value. It returns why core would refuse the plan. Nil stands for no object, and no block has a part that is computed.
func checkPlan(schema *tfprotov6.Schema, prior, config, planned Attributes) (reasons []string) {
	if (planned == nil) != (config == nil) {
		return []string{fmt.Sprintf("an object is configured %v, and the result has one %v", config != nil, planned != nil)}
	}

	for _, a := range schema.Block.Attributes {
		value, configured, before := planned[a.Name], config[a.Name], prior[a.Name]
		if a.WriteOnly {
			configured = nil
		}
		isAsBefore := configured != nil && before != nil && cmp.Equal(value, before)
		isComputed := configured == nil && a.Computed
		if !isAsBefore && !isComputed && !cmp.Equal(value, configured) {
			reasons = append(reasons, a.Name+" is neither as configured nor as it was")
		}
	}
	for _, b := range schema.Block.BlockTypes {
		if !cmp.Equal(planned[b.TypeName], config[b.TypeName]) {
			reasons = append(reasons, b.TypeName+" is not as configured")
		}
	}

	return reasons
}

// checkStored returns why Terraform's core would not store an object: a value, or a part of one, is unknown, or a
// write-only attribute has a value, which the framework removes only where there is no error.
func checkStored(schema *tfprotov6.Schema, object Attributes) (reasons []string) {
	for _, a := range schema.Block.Attributes {
		if a.WriteOnly && object[a.Name] != nil {
			reasons = append(reasons, a.Name+" is write-only and has a value")
		}
	}
	for name, v := range object {
		if strings.Contains(fmt.Sprint(v), string(Unknown)) {
			reasons = append(reasons, name+" is still unknown")
		}
	}

	return reasons
}

// checkApplied holds a known new state to the rule of Terraform's core: every value is as planned where the plan knew
// it.
func checkApplied(planned, after Attributes) []string {
	isUnknown := func(x, y any) bool { return x == Unknown || y == Unknown }
	if diff := cmp.Diff(planned, after, cmp.FilterValues(isUnknown, cmp.Ignore())); diff != "" {
		return []string{"the result is not as planned (-planned +after):\n" + diff}
	}
	return nil
}
