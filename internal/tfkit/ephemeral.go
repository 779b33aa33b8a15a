package tfkit

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/ephemeral/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	dsschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// openTimeout is how long an ephemeral resource takes to open at most, unless its block
// timeouts says otherwise.
const openTimeout = time.Minute

// Ephemeral is the base of every ephemeral resource.
type Ephemeral struct{ *Service }

// Configure stores what the provider block made available.
func (e *Ephemeral) Configure(_ context.Context, req ephemeral.ConfigureRequest, _ *ephemeral.ConfigureResponse) {
	e.Service, _ = req.ProviderData.(*Service)
}

// OpenTimeouts is the block timeouts of an ephemeral resource's model.
type OpenTimeouts = timeouts.Value

// OpenTimeoutsBlock returns the block timeouts of an ephemeral resource.
func OpenTimeoutsBlock() schema.Block {
	return schema.SingleNestedBlock{
		MarkdownDescription: "Limits how long to wait for the service.",
		CustomType:          timeouts.Type{ObjectType: types.ObjectType{AttrTypes: map[string]attr.Type{"open": types.StringType}}},
		Attributes: map[string]schema.Attribute{
			"open": schema.StringAttribute{
				Optional:            true,
				Validators:          []validator.String{durationValidator{}},
				MarkdownDescription: describeTimeout("How long to wait when the value is read.", openTimeout),
			},
		},
	}
}

// WithOpenTimeout returns a context that ends after the configured time.
func WithOpenTimeout(ctx context.Context, t OpenTimeouts) (context.Context, context.CancelFunc) {
	limit, _ := t.Open(ctx, openTimeout)
	return context.WithTimeout(ctx, limit)
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
