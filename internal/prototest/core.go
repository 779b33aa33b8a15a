package prototest

import (
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// change is a change of an object, or of one attribute.
type change struct {
	prior, config, planned tftypes.Value
}

// proposed merges configuration and prior state as Terraform's core does before it
// asks for a plan: what is configured wins, what is computed and not configured
// keeps its prior value, what is write-only is null.
func proposed(tb testing.TB, schema *tfprotov6.Schema, prior, config tftypes.Value) tftypes.Value {
	tb.Helper()
	if config.IsNull() {
		return config
	}

	configured, before := members(tb, config), members(tb, prior)
	merged := maps.Clone(configured)
	for _, attribute := range schema.Block.Attributes {
		v, existed := before[attribute.Name]
		if existed && attribute.Computed && configured[attribute.Name].IsNull() {
			merged[attribute.Name] = v
		}
		if attribute.WriteOnly {
			merged[attribute.Name] = tftypes.NewValue(attribute.Type, nil)
		}
	}

	return tftypes.NewValue(config.Type(), merged)
}

// checkPlan holds a plan to the rules of Terraform's core.
func checkPlan(tb testing.TB, schema *tfprotov6.Schema, c change) {
	tb.Helper()
	if c.config.IsNull() {
		if !c.planned.IsNull() {
			tb.Error("Terraform would refuse this plan: a destroyed object is planned to exist")
		}
		return
	}

	prior, config, planned := members(tb, c.prior), members(tb, c.config), members(tb, c.planned)
	for _, attribute := range schema.Block.Attributes {
		name := attribute.Name
		if reason := refusal(attribute, change{prior[name], config[name], planned[name]}); reason != "" {
			tb.Errorf("Terraform would refuse this plan: %s is %s", name, reason)
		}
	}
}

// refusal returns why Terraform's core refuses the planned value of an attribute, or
// nothing.
func refusal(attribute *tfprotov6.SchemaAttribute, c change) string {
	if attribute.WriteOnly && !c.planned.IsNull() {
		return "write-only and planned"
	}
	if !attribute.WriteOnly && !c.allowed(attribute.Computed) {
		return "neither as configured nor as it was"
	}
	return ""
}

// allowed reports whether a value is planned as configured. A configured one may also
// keep its prior value, and one that is not configured may be computed.
func (c change) allowed(computed bool) bool {
	if c.planned.Equal(c.config) {
		return true
	}
	if c.config.IsNull() {
		return computed
	}
	return !c.prior.IsNull() && c.planned.Equal(c.prior)
}

// checkApplied holds a new state to the rule of Terraform's core that every value is
// known, and as planned where the plan knew it.
func checkApplied(tb testing.TB, planned, after tftypes.Value) {
	tb.Helper()
	if planned.IsNull() != after.IsNull() {
		tb.Errorf("Terraform would call this result inconsistent: planned to exist %v, exists %v", !planned.IsNull(), !after.IsNull())
		return
	}

	got := members(tb, after)
	for name, want := range members(tb, planned) {
		if want.IsFullyKnown() && !want.Equal(got[name]) {
			tb.Errorf("Terraform would call this result inconsistent: %s is not as planned", name)
		}
		if !got[name].IsFullyKnown() {
			tb.Errorf("Terraform would refuse this result: %s is still unknown", name)
		}
	}
}

// members returns the attributes of an object; none where it is null.
func members(tb testing.TB, object tftypes.Value) map[string]tftypes.Value {
	tb.Helper()
	if object.IsNull() {
		return nil
	}
	return as[map[string]tftypes.Value](tb, object)
}
