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

// change is a change of an object; nil stands for no object.
type change struct {
	prior, config, planned Attributes
}

// checkPlan holds a plan, or what was read for a configuration, to the rules of Terraform's core. It
// returns why core would refuse it. None of the provider's blocks has a part that core would compute.
func checkPlan(schema *tfprotov6.Schema, c change) (reasons []string) {
	if (c.planned == nil) != (c.config == nil) {
		return []string{fmt.Sprintf("an object is configured %v, and the result has one %v", c.config != nil, c.planned != nil)}
	}

	for _, a := range schema.Block.Attributes {
		if !c.isAllowed(a) {
			reasons = append(reasons, a.Name+" is neither as configured nor as it was")
		}
	}
	for _, b := range schema.Block.BlockTypes {
		if !cmp.Equal(c.planned[b.TypeName], c.config[b.TypeName]) {
			reasons = append(reasons, b.TypeName+" is not as configured")
		}
	}

	return reasons
}

// isAllowed reports whether an attribute may be planned so: as it is configured or, if it is configured at all, as it
// was before. An attribute that is not configured may be computed. One that is write-only has no value.
func (c change) isAllowed(a *tfprotov6.SchemaAttribute) bool {
	planned, configured, before := c.planned[a.Name], c.config[a.Name], c.prior[a.Name]
	switch {
	case a.WriteOnly:
		return planned == nil
	case configured == nil:
		return planned == nil || a.Computed
	case cmp.Equal(planned, configured):
		return true
	}

	return before != nil && cmp.Equal(planned, before)
}

// checkStored returns why Terraform's core would not store an object: a value, or a part of one, is unknown.
func checkStored(object Attributes) (reasons []string) {
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
