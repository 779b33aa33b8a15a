// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"context"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Timeouts is the block timeouts of a model.
type Timeouts = timeouts.Value

// TimeoutsBlock returns the block timeouts with create and update. preset is the default that
// the descriptions name.
func TimeoutsBlock(preset time.Duration) schema.Block {
	attribute := func(text string) schema.StringAttribute {
		return schema.StringAttribute{
			Optional:            true,
			Validators:          []validator.String{duration()},
			MarkdownDescription: describeTimeout(text, preset),
		}
	}

	return schema.SingleNestedBlock{
		MarkdownDescription: "How long to wait for the service.",
		CustomType: timeouts.Type{ObjectType: types.ObjectType{
			AttrTypes: map[string]attr.Type{"create": types.StringType, "update": types.StringType},
		}},
		Attributes: map[string]schema.Attribute{
			"create": attribute("How long a create waits."),
			"update": attribute("How long an update waits."),
		},
	}
}

// describeTimeout returns the description of an attribute of the block timeouts.
func describeTimeout(description string, preset time.Duration) string {
	return description + " A duration such as `90s`, `5m` or `1h30m`, greater than zero and at most `24h`. " +
		"Defaults to `" + shortDuration(preset) + "`."
}

// CreateTimeout returns the configured timeout for creating, or else preset.
func CreateTimeout(ctx context.Context, t Timeouts, preset time.Duration) time.Duration {
	d, _ := t.Create(ctx, preset)
	return d
}

// UpdateTimeout returns the configured timeout for changing, or else preset.
func UpdateTimeout(ctx context.Context, t Timeouts, preset time.Duration) time.Duration {
	d, _ := t.Update(ctx, preset)
	return d
}

// shortDuration returns a duration without its zero parts: 10m, where String returns 10m0s.
func shortDuration(d time.Duration) string {
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
}
