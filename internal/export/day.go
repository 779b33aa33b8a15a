// Package export is the bulk export of one UTC day in Terraform: small days in plans,
// days of any size in files.
package export

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

const dayDescription = "UTC day to export, written `YYYY-MM-DD`; it ends at midnight UTC, whatever zone this machine is in. A day in the future is refused."

// dayValidator accepts dates that exist, in the one form that the interface has.
type dayValidator struct{}

func (dayValidator) Description(context.Context) string { return "a date written YYYY-MM-DD" }

func (v dayValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (dayValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if _, err := client.ParseDay(req.ConfigValue.ValueString()); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Not a date", "The value "+err.Error()+".")
	}
}

// What to do about a day that is not over yet.
type unfinished int

const (
	refuse unfinished = iota
	warn
)

// checkDay refuses days in the future and judges the one that is not over yet; ok is
// false where there is nothing to export.
func checkDay(value types.String, today time.Time, then unfinished, diags *diag.Diagnostics) (day time.Time, ok bool) {
	at := path.Root("utc_date")
	day, err := client.ParseDay(value.ValueString())
	switch {
	case err != nil:
		diags.AddAttributeError(at, "Not a date", "The value "+err.Error()+".")
		return day, false
	case day.After(today):
		diags.AddAttributeError(at, "A day in the future",
			"The day has not begun: it is "+client.FormatDay(today)+" in UTC. Nothing was asked of the service.\n\nWhat to do: export a day that is over, rather after 02:00 UTC of the next one.")
		return day, false
	case day.Before(today):
		return day, true
	}
	const why = "It is the same day in UTC still, so more records will come. The service advises against exporting it, and recommends 02:00 UTC of the next day."
	if then == warn {
		diags.AddAttributeWarning(at, "The day is not over", why+"\n\nWhat is exported now is marked with complete = false.")
		return day, true
	}
	diags.AddAttributeError(at, "The day is not over", why+" Nothing was asked of the service.\n\n"+
		"What to do: export a day that is over. To export what there is by now, set allow_incomplete_day = true; it is exported again once the day is over.")
	return day, false
}

// warnUnfinished warns of a day that this machine's clock holds to be over, and the
// service's does not.
func warnUnfinished(date time.Time, diags *diag.Diagnostics) {
	diags.AddAttributeWarning(path.Root("utc_date"), "The day is not over",
		"By the service's clock it was "+date.UTC().Format("2006-01-02 15:04")+" UTC when it answered, so more records will come. What is exported now is marked with complete = false.\n\n"+
			"What to do: read it again once the day is over, and compare the clock of this machine with that of the service.")
}
