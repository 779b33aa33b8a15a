package tfkit

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// WorkTimeoutsBlock is the block timeouts of an object that has much to do itself,
// with create, update and delete. preset is as for TimeoutsBlock.
func WorkTimeoutsBlock(preset time.Duration) schema.Block {
	return schema.SingleNestedBlock{
		MarkdownDescription: "How long the work may take at most. When the time is over, the work ends as if it were interrupted: what is done stays done, and the next apply goes on with the rest.",
		CustomType: timeouts.Type{ObjectType: types.ObjectType{
			AttrTypes: map[string]attr.Type{"create": types.StringType, "update": types.StringType, "delete": types.StringType},
		}},
		Attributes: map[string]schema.Attribute{
			"create": timeoutAttribute("How long creating the object may take.", preset),
			"update": timeoutAttribute("How long changing the object may take.", preset),
			"delete": timeoutAttribute("How long destroying the object may take.", preset),
		},
	}
}

// DeleteTimeout is the configured time for destroying, or else preset.
func DeleteTimeout(ctx context.Context, t Timeouts, preset time.Duration) time.Duration {
	d, _ := t.Delete(ctx, preset)
	return d
}
