// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"context"
	"fmt"

	dsschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
)

// Ephemeral is the base of every ephemeral resource.
type Ephemeral struct{ *Service }

// Configure stores what the provider block made available.
func (e *Ephemeral) Configure(_ context.Context, req ephemeral.ConfigureRequest, _ *ephemeral.ConfigureResponse) {
	e.Service, _ = req.ProviderData.(*Service)
}

// EphemeralAttributes returns the attributes of a data source for the ephemeral resource
// that reads the same.
func EphemeralAttributes(attributes map[string]dsschema.Attribute) map[string]schema.Attribute {
	converted := make(map[string]schema.Attribute, len(attributes))
	for name, attribute := range attributes {
		switch a := attribute.(type) {
		case dsschema.StringAttribute:
			converted[name] = schema.StringAttribute(a)
		case dsschema.BoolAttribute:
			converted[name] = schema.BoolAttribute(a)
		default:
			panic(fmt.Sprintf("attributes of type %T are not converted", a))
		}
	}

	return converted
}
