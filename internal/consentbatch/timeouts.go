package consentbatch

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// presetTimeout is how long an apply may take where nothing is configured.
const presetTimeout = 2 * time.Hour

// timeoutsBlock returns the block timeouts with create, update and delete. It bounds the
// work itself; tfkit.TimeoutsBlock bounds a wait for the service.
func timeoutsBlock() schema.Block {
	return schema.SingleNestedBlock{
		MarkdownDescription: "How long the work may take at most. When the time is over, the work ends as if it were interrupted: what is done stays done, and the next apply goes on with the rest.",
		CustomType: timeouts.Type{ObjectType: types.ObjectType{
			AttrTypes: map[string]attr.Type{"create": types.StringType, "update": types.StringType, "delete": types.StringType},
		}},
		Attributes: map[string]schema.Attribute{
			"create": tfkit.TimeoutAttribute("How long creating the object may take.", presetTimeout),
			"update": tfkit.TimeoutAttribute("How long changing the object may take.", presetTimeout),
			"delete": tfkit.TimeoutAttribute("How long destroying the object may take.", presetTimeout),
		},
	}
}

// deleteTimeout returns the configured time for destroying, or else presetTimeout.
func deleteTimeout(ctx context.Context, t tfkit.Timeouts) time.Duration {
	d, _ := t.Delete(ctx, presetTimeout)
	return d
}
