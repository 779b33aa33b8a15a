// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
)

// Timeouts is the block timeouts of a model. Validators have accepted its values, so that the
// diagnostics of its methods are always empty.
type Timeouts = timeouts.Value

// timeoutText describes the block timeouts.
const timeoutText = "How long to wait for the service: a duration such as `90s`, `5m` or `1h30m`, and at most `24h`."

// DefaultTimeout limits a wait if timeouts is not configured. The service promises a time for profiles alone, which are
// usually updated within 60 seconds (interface, section 8).
const DefaultTimeout = 10 * time.Minute

// timeoutDefault ends the descriptions of the attributes of the block timeouts.
const timeoutDefault = " Defaults to `10m`."

// TimeoutsBlock returns the block timeouts with create and update.
func TimeoutsBlock() schema.Block {
	return schema.SingleNestedBlock{
		MarkdownDescription: timeoutText,
		CustomType: timeouts.Type{ObjectType: types.ObjectType{
			AttrTypes: map[string]attr.Type{"create": types.StringType, "update": types.StringType},
		}},
		Attributes: map[string]schema.Attribute{
			"create": schema.StringAttribute{Optional: true, Validators: []validator.String{formats.Timeout}, MarkdownDescription: "How long a create waits." + timeoutDefault},
			"update": schema.StringAttribute{Optional: true, Validators: []validator.String{formats.Timeout}, MarkdownDescription: "How long an update waits." + timeoutDefault},
		},
	}
}

// StartedDay returns the day that utc_date names. It adds an error if the value is not a date, or if
// the day has not begun.
func StartedDay(value types.String, today time.Time, diags *diag.Diagnostics) (day time.Time, ok bool) {
	at := path.Root("utc_date")
	formats.Day.Check(value, at, diags)
	day, ok = formats.Day.Value(value)
	if ok && day.After(today) {
		Problem{
			Summary: "A day in the future",
			Detail:  "The day has not begun: it is " + client.FormatDay(today) + " in UTC. No request was sent.",
			Do:      "choose a day that is over. The service recommends 02:00 UTC of the day after it, or later.",
			At:      at,
		}.AddError(diags)
		return day, false
	}

	return day, ok
}
