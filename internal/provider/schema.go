// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func (p *analyticsProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	attributes, wire := map[string]schema.Attribute{}, map[string]schema.Attribute{}
	for _, s := range settings {
		if name, isWire := strings.CutPrefix(s.name, "wire_"); isWire {
			wire[name] = s.attribute()
		} else {
			attributes[s.name] = s.attribute()
		}
	}

	attributes["wire"] = schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: "Settings for what the interface description leaves open. `doctor` prints those that your service needs. Each has an environment variable `ANALYTICS_WIRE_…`.",
		Attributes:          wire,
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Manages the consent, the profiles and the data requests of people at a product analytics service, and exports its records.",
		Attributes:          attributes,
	}
}

// attribute returns the attribute of a setting. Its values are checked by the setting itself.
func (s setting) attribute() schema.Attribute {
	text := s.text + " Environment variable: `" + s.variable() + "`." + s.inVariable

	switch s.typ {
	case types.BoolType:
		return schema.BoolAttribute{Optional: true, MarkdownDescription: text}
	case types.NumberType:
		return schema.NumberAttribute{Optional: true, MarkdownDescription: text}
	case textMap:
		return schema.MapAttribute{Optional: true, Sensitive: s.sensitive, ElementType: types.StringType, MarkdownDescription: text}
	case textSet:
		return schema.SetAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: text}
	}

	return schema.StringAttribute{Optional: true, Sensitive: s.sensitive, MarkdownDescription: text}
}
