// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"errors"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
)

// Timeouts is the block timeouts of a model. Its values are those that the block's validators
// have accepted, so that the diagnostics of its methods are always empty.
type Timeouts = timeouts.Value

// TimeoutsBlock returns the block timeouts with create and update. preset is the default that
// the descriptions name.
func TimeoutsBlock(preset time.Duration) schema.Block {
	text, rules := timeoutRules(preset)

	return schema.SingleNestedBlock{
		MarkdownDescription: "How long to wait for the service.",
		CustomType: timeouts.Type{ObjectType: types.ObjectType{
			AttrTypes: map[string]attr.Type{"create": types.StringType, "update": types.StringType},
		}},
		Attributes: map[string]schema.Attribute{
			"create": schema.StringAttribute{Optional: true, Validators: rules, MarkdownDescription: "How long a create waits." + text},
			"update": schema.StringAttribute{Optional: true, Validators: rules, MarkdownDescription: "How long an update waits." + text},
		},
	}
}

// timeoutRules returns the rules of an attribute of the block timeouts, as text and as
// validators.
func timeoutRules(preset time.Duration) (text string, rules []validator.String) {
	const limit = 24 * time.Hour
	const rule = "must be a duration such as 90s, 5m or 1h30m, more than zero and at most 24h"
	parse := func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 || d > limit {
			return d, errors.New(rule)
		}
		return d, nil
	}

	text = " A duration such as `90s`, `5m` or `1h30m`, greater than zero and at most `24h`. Defaults to `" + ShortDuration(preset) + "`."

	return text, []validator.String{formats.Format[time.Duration]{Summary: "Unusable duration", Rule: rule, Parse: parse}}
}

// ShortDuration returns a duration without its zero parts: 10m, where String returns 10m0s.
func ShortDuration(d time.Duration) string {
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
}
