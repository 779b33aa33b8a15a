package acctest

import "github.com/hashicorp/terraform-plugin-go/tftypes"

// Resolve makes values of a plan known that were unknown when it was made, as
// Terraform does before it applies.
func (p *Provider) Resolve(name string, plan Plan, values Attributes) Plan {
	p.t.Helper()
	typ, ok := p.resourceSchema(name).ValueType().(tftypes.Object)
	if !ok {
		p.t.Fatalf("%s is no object", name)
	}
	for _, in := range []*tftypes.Value{&plan.raw, &plan.config} {
		members := as[map[string]tftypes.Value](p.t, *in)
		for attribute, v := range values {
			members[attribute] = toValue(p.t, typ.AttributeTypes[attribute], v)
		}
		*in = tftypes.NewValue(typ, members)
	}
	plan.Attributes = plan.With(values)
	return plan
}
