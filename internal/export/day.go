// SPDX-License-Identifier: MPL-2.0

package export

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

const dayDescription = "UTC day to export, such as `2026-01-31`."

// addNotOver refuses the current day.
func addNotOver(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "The day is not over",
		Detail:  tfkit.WhyNotOver + " No request was sent.",
		Do:      "export a day that is over. To export what there is by now, set allow_incomplete_day = true.",
		At:      tfkit.AtUTCDate,
	}.AddError(diags)
}

// markedIncomplete says what an incomplete day means for what has an attribute complete.
const markedIncomplete = "What is exported now is marked with complete = false."

// warnNotOver warns about the current day. outcome says what that means for what is
// exported.
func warnNotOver(outcome string, diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "The day is not over",
		Detail:  tfkit.WhyNotOver + " " + outcome,
		At:      tfkit.AtUTCDate,
	}.AddWarning(diags)
}

// warnServiceNotOver warns about a day that is over by the clock of this machine, and not
// by that of the service. date is the time of the service.
func warnServiceNotOver(date time.Time, diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "The day is not over",
		Detail:  "By the service's clock it was " + date.UTC().Format("2006-01-02 15:04") + " UTC when it answered, so more records will come. " + markedIncomplete,
		Do:      "read it again once the day is over, and compare the clock of this machine with that of the service.",
		At:      tfkit.AtUTCDate,
	}.AddWarning(diags)
}
