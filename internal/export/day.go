package export

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

const dayDescription = "UTC day to export, in the format `YYYY-MM-DD`. It ends at midnight UTC, regardless of the time zone of this machine. A day in the future is refused."

var atUTCDate = path.Root("utc_date")

// dayValidator accepts dates that exist, in the format of the interface.
type dayValidator struct{}

func (dayValidator) Description(context.Context) string { return "a date written YYYY-MM-DD" }

func (v dayValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (dayValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}

	if _, err := client.ParseDay(req.ConfigValue.ValueString()); err != nil {
		addNoDate(err, req.Path, &resp.Diagnostics)
	}
}

// startedDay returns the day that a value names. It adds an error if the value is no date
// or the day has not begun.
func startedDay(value types.String, today time.Time, diags *diag.Diagnostics) (day time.Time, ok bool) {
	day, err := client.ParseDay(value.ValueString())
	if err != nil {
		addNoDate(err, atUTCDate, diags)
		return day, false
	}

	if day.After(today) {
		tfkit.Problem{
			Summary: "A day in the future",
			Detail:  "The day has not begun: it is " + client.FormatDay(today) + " in UTC. Nothing was asked of the service.",
			Do:      "export a day that is over, preferably after 02:00 UTC of the next one.",
			At:      atUTCDate,
		}.AddError(diags)
		return day, false
	}

	return day, true
}

func addNoDate(err error, at path.Path, diags *diag.Diagnostics) {
	tfkit.Problem{Summary: "Not a date", Detail: "The value " + err.Error() + ".", At: at}.AddError(diags)
}

// whyNotOver says what is wrong with exporting the current day.
const whyNotOver = "It is the same day in UTC still, so more records will come. The service advises against exporting it, and recommends 02:00 UTC of the next day."

// addNotOver refuses the current day.
func addNotOver(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "The day is not over",
		Detail:  whyNotOver + " Nothing was asked of the service.",
		Do:      "export a day that is over. To export what there is by now, set allow_incomplete_day = true.",
		At:      atUTCDate,
	}.AddError(diags)
}

// warnNotOver warns about the current day.
func warnNotOver(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "The day is not over",
		Detail:  whyNotOver + " What is exported now is marked with complete = false.",
		At:      atUTCDate,
	}.AddWarning(diags)
}

// warnServiceNotOver warns about a day that is over by the clock of this machine, and not
// by that of the service. date is the time of the service.
func warnServiceNotOver(date time.Time, diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "The day is not over",
		Detail:  "By the service's clock it was " + date.UTC().Format("2006-01-02 15:04") + " UTC when it answered, so more records will come. What is exported now is marked with complete = false.",
		Do:      "read it again once the day is over, and compare the clock of this machine with that of the service.",
		At:      atUTCDate,
	}.AddWarning(diags)
}
