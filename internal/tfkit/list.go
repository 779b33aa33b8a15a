package tfkit

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/list/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// listTimeout is how long a list resource takes at most, unless its block timeouts says
// otherwise.
const listTimeout = 10 * time.Minute

// ListTimeouts is the block timeouts of a list resource's model.
type ListTimeouts = timeouts.Value

// ListTimeoutsBlock returns the block timeouts of a list resource.
func ListTimeoutsBlock() schema.Block {
	return schema.SingleNestedBlock{
		MarkdownDescription: "Limits how long to wait for the service.",
		CustomType:          timeouts.Type{ObjectType: types.ObjectType{AttrTypes: map[string]attr.Type{"list": types.StringType}}},
		Attributes: map[string]schema.Attribute{
			"list": schema.StringAttribute{
				Optional:            true,
				Validators:          []validator.String{durationValidator{}},
				MarkdownDescription: describeTimeout("How long the whole list may take.", listTimeout),
			},
		},
	}
}

// WithListTimeout returns a context that ends after the configured time.
func WithListTimeout(ctx context.Context, t ListTimeouts) (context.Context, context.CancelFunc) {
	limit, _ := t.List(ctx, listTimeout)
	return context.WithTimeout(ctx, limit)
}

// AddListScope adds org_id, project_id and account_id to the attributes of a list resource.
func AddListScope(attributes map[string]schema.Attribute) map[string]schema.Attribute {
	for _, a := range scopeAttributes() {
		attributes[a.name] = schema.StringAttribute{Optional: true, Validators: a.validators(), MarkdownDescription: a.description}
	}

	return attributes
}
