// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"errors"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/customtypes"
)

// AtUTCDate is the path of utc_date.
var AtUTCDate = path.Root("utc_date")

// Segment is the validator of identifiers, which applies client.ValidateSegment.
var Segment = customtypes.TextValidator{
	Summary: "Unusable identifier",
	Rule:    "must be usable as one path segment, without blanks around it and characters that cannot be seen",
	Check:   client.ValidateSegment,
}

// Day is the validator of UTC dates that exist, in the format of the interface.
var Day = customtypes.TextValidator{Summary: "Not a date", Rule: "must be a date written YYYY-MM-DD", Check: func(text string) error {
	_, err := client.ParseDay(text)
	return err
}}

// StartedDay returns the day that a value at utc_date names. It adds an error if the value
// is no date, or if the day has not begun.
func StartedDay(value types.String, today time.Time, diags *diag.Diagnostics) (day time.Time, ok bool) {
	day, err := client.ParseDay(value.ValueString())
	if err != nil {
		Problem{Summary: "Not a date", Detail: "The value " + err.Error() + ".", At: AtUTCDate}.AddError(diags)
		return day, false
	}

	if day.After(today) {
		Problem{
			Summary: "A day in the future",
			Detail:  "The day has not begun: it is " + client.FormatDay(today) + " in UTC. No request was sent.",
			Do:      "choose a day that is over. The service recommends 02:00 UTC of the day after it, or later.",
			At:      AtUTCDate,
		}.AddError(diags)
		return day, false
	}

	return day, true
}

// WhyNotOver says what is wrong with exporting the current day.
const WhyNotOver = "It is still that day in UTC, so more records will come. The service advises against exporting it, and recommends 02:00 UTC of the next day."

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
	check := func(text string) error {
		if d, err := time.ParseDuration(text); err != nil || d <= 0 || d > limit {
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
