// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/formats"
)

// AtUTCDate is the path of utc_date.
var AtUTCDate = path.Root("utc_date")

// StartedDay returns the day that utc_date names. It adds an error if the value is not a date, or if
// the day has not begun.
func StartedDay(value types.String, today time.Time, diags *diag.Diagnostics) (day time.Time, ok bool) {
	formats.Day.Check(value, AtUTCDate, diags)
	day, ok = formats.Day.Value(value)
	if ok && day.After(today) {
		Problem{
			Summary: "A day in the future",
			Detail:  "The day has not begun: it is " + client.FormatDay(today) + " in UTC. No request was sent.",
			Do:      "choose a day that is over. The service recommends 02:00 UTC of the day after it, or later.",
			At:      AtUTCDate,
		}.AddError(diags)
		return day, false
	}

	return day, ok
}

// WhyNotOver says what is wrong with exporting the current day.
const WhyNotOver = "It is still that day in UTC, by the clock of this machine or of the service, so more records will come. The service advises against exporting it, and recommends 02:00 UTC of the next day."
