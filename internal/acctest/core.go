package acctest

import (
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// proposed merges configuration and prior state as Terraform's core does before it
// asks for a plan: what is configured wins, what is computed and not configured
// keeps its prior value, what is write-only is not there.
func proposed(tb testing.TB, schema *tfprotov6.Schema, prior, config tftypes.Value) tftypes.Value {
	tb.Helper()
	if config.IsNull() {
		return config
	}
	members := as[map[string]tftypes.Value](tb, config)
	before := map[string]tftypes.Value{}
	if !prior.IsNull() {
		before = as[map[string]tftypes.Value](tb, prior)
	}
	merged := map[string]tftypes.Value{}
	maps.Copy(merged, members)
	for _, attribute := range schema.Block.Attributes {
		switch v, existed := before[attribute.Name]; {
		case attribute.WriteOnly:
			merged[attribute.Name] = tftypes.NewValue(attribute.Type, nil)
		case attribute.Computed && existed && members[attribute.Name].IsNull():
			merged[attribute.Name] = v
		}
	}
	return tftypes.NewValue(config.Type(), merged)
}

// checkPlan holds a plan to the rule of Terraform's core: a value that is
// configured is planned as configured, or keeps a prior value that was there; a
// value that is not configured is planned only where the provider may compute it.
func checkPlan(tb testing.TB, schema *tfprotov6.Schema, prior, config, planned tftypes.Value) {
	tb.Helper()
	if config.IsNull() {
		if !planned.IsNull() {
			tb.Error("Terraform would refuse this plan: a destroyed object is planned to exist")
		}
		return
	}
	configured, plannedOnes := as[map[string]tftypes.Value](tb, config), as[map[string]tftypes.Value](tb, planned)
	before := map[string]tftypes.Value{}
	if !prior.IsNull() {
		before = as[map[string]tftypes.Value](tb, prior)
	}
	for _, attribute := range schema.Block.Attributes {
		name := attribute.Name
		c, p := configured[name], plannedOnes[name]
		b, existed := before[name]
		switch {
		case attribute.WriteOnly:
			if !p.IsNull() {
				tb.Errorf("Terraform would refuse this plan: %s is write-only and planned", name)
			}
		case p.Equal(c):
		case existed && p.Equal(b) && !b.IsNull() && !c.IsNull():
		case attribute.Computed && c.IsNull():
		default:
			tb.Errorf("Terraform would refuse this plan: %s is neither as configured nor as it was", name)
		}
	}
}

// checkApplied holds a new state to the other rule: what was planned and known is
// what has to be there.
func checkApplied(tb testing.TB, planned, after tftypes.Value) {
	tb.Helper()
	if planned.IsNull() != after.IsNull() {
		tb.Errorf("Terraform would call this result inconsistent: planned to exist %v, exists %v", !planned.IsNull(), !after.IsNull())
		return
	}
	if planned.IsNull() {
		return
	}
	got := as[map[string]tftypes.Value](tb, after)
	for name, want := range as[map[string]tftypes.Value](tb, planned) {
		if want.IsFullyKnown() && !want.Equal(got[name]) {
			tb.Errorf("Terraform would call this result inconsistent: %s is not as planned", name)
		}
		if !got[name].IsFullyKnown() {
			tb.Errorf("Terraform would refuse this result: %s is still unknown", name)
		}
	}
}
