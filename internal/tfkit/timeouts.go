// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"errors"
	"strings"
	"time"

	actiontimeouts "github.com/hashicorp/terraform-plugin-framework-timeouts/action/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	actionschema "github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/customtypes"
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

// InvokeTimeoutsBlock returns the block timeouts of an action. description says what
// happens when the time is over, and preset is the default that it names.
func InvokeTimeoutsBlock(description string, preset time.Duration) actionschema.Block {
	text, rules := timeoutRules(preset)

	return actionschema.SingleNestedBlock{
		MarkdownDescription: "How long to wait for the service. " + description,
		CustomType: actiontimeouts.Type{ObjectType: types.ObjectType{
			AttrTypes: map[string]attr.Type{"invoke": types.StringType},
		}},
		Attributes: map[string]actionschema.Attribute{
			"invoke": actionschema.StringAttribute{Optional: true, Validators: rules, MarkdownDescription: "How long to wait when the action is invoked." + text},
		},
	}
}

// limitTimeout is the longest duration that the block timeouts accepts.
const limitTimeout = 24 * time.Hour

// timeoutRules returns the rules of an attribute of the block timeouts, as text and as
// validators.
func timeoutRules(preset time.Duration) (text string, rules []validator.String) {
	const rule = "must be a duration such as 90s, 5m or 1h30m, more than zero and at most 24h"
	check := func(text string) error {
		if d, err := time.ParseDuration(text); err != nil || d <= 0 || d > limitTimeout {
			return errors.New(rule)
		}
		return nil
	}

	text = " A duration such as `90s`, `5m` or `1h30m`, greater than zero and at most `24h`. Defaults to `" + shortDuration(preset) + "`."

	return text, []validator.String{customtypes.TextValidator{Summary: "Unusable duration", Rule: rule, Check: check}}
}

// shortDuration returns a duration without its zero parts: 10m, where String returns 10m0s.
func shortDuration(d time.Duration) string {
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
}
