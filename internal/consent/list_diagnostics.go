// SPDX-License-Identifier: MPL-2.0

package consent

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// failure returns the diagnostics of a person who could not be read: a warning with the
// place of the person, or an error if the list as a whole has failed.
func (l *listing) failure(a answer) (diags diag.Diagnostics) {
	problem := tfkit.ProblemOf(a.err, "")
	if transport.IsClass(a.err, concernEveryone...) {
		problem.AddError(&diags)
		return diags
	}

	l.failed++
	problem.Detail = "The consent of " + fmt.Sprintf(l.placed, a.place) + " could not be read, so this person is not listed.\n\n" +
		problem.Summary + ". " + problem.Detail
	if l.failed < mostFailures {
		problem.Summary = "A person could not be read"
		problem.AddWarning(&diags)

		return diags
	}

	problem.Summary = "Too many people could not be read"
	problem.Detail = fmt.Sprintf("The list ended at the %dth person who could not be read. %s", mostFailures, problem.Detail)
	problem.AddError(&diags)

	return diags
}

// warnLimit warns that the list ended at its limit before everybody was looked up.
func warnLimit(limit int64, diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "The list ends at its limit",
		Detail:  "The list ended at its limit of " + people(limit) + ", and its source has more people, who were not looked up.",
		Do:      "raise limit in the list block to see more of them.",
	}.AddWarning(diags)
}

// addTooManyPeople reports that a list has ended before the people of its day.
func addTooManyPeople(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "Too many people for one list",
		Detail:  "The day has more than " + people(limitDayPeople) + ", and a list takes no more. The others were not looked up.",
		Do:      "export the day with analytics_export_file, and list its people by identity_ids; or manage them with analytics_consent_batch.",
		At:      tfkit.AtUTCDate,
	}.AddError(diags)
}

// warnMissing warns of people who have no consent record.
func warnMissing(missing int, diags *diag.Diagnostics) {
	if missing == 0 {
		return
	}

	tfkit.Problem{
		Summary: "People without a consent record",
		Detail:  "The service has no consent record of " + people(missing) + " in the source, so there is nothing to list or to import.",
	}.AddWarning(diags)
}

// addDayNotOver refuses the current day.
func addDayNotOver(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "The day is not over",
		Detail:  tfkit.WhyNotOver + " No request was sent.",
		Do:      "list the people of a day that is over.",
		At:      tfkit.AtUTCDate,
	}.AddError(diags)
}

// addListInterrupted reports a list that was cancelled. Without an error, Terraform takes
// what was listed so far for the whole list.
func addListInterrupted(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "The list was interrupted",
		Detail:  "The run was interrupted before all people were looked up.",
		Do:      "run the query again.",
	}.AddError(diags)
}

// report reports records that were not taken for people.
func (d *dayReader) report(diags *diag.Diagnostics) {
	if d.unnamed > 0 && d.unnamed == d.persons {
		tfkit.Problem{
			Summary: "No Person record holds an identity",
			Detail:  d.describeUnnamed(),
			Do:      "set identity_field to the member that holds the identity.",
			At:      path.Root("identity_field"),
		}.AddError(diags)

		return
	}

	if d.unnamed > 0 {
		tfkit.Problem{
			Summary: "Person records without an identity",
			Detail:  d.describeUnnamed(),
			Do:      "if another member holds the identity, set identity_field to its name.",
		}.AddWarning(diags)
	}

	if d.unknown > 0 {
		tfkit.Problem{
			Summary: "Records of an unknown kind",
			Detail:  "The records that were read include " + strconv.Itoa(d.unknown) + " that do not state their kind, so they were not taken for people.",
			Do:      "nothing, or set wire.export_kind_parameter in the provider block if your service selects the kind by a parameter.",
		}.AddWarning(diags)
	}
}

// describeUnnamed returns how many Person records have no usable identity, and the names of
// the members of one of them.
func (d *dayReader) describeUnnamed() string {
	var looked []string
	for _, field := range d.fields {
		looked = append(looked, strconv.Quote(field))
	}

	text := fmt.Sprintf("%d of the %d Person records that were read are skipped, because they have no usable identity in %s.",
		d.unnamed, d.persons, strings.Join(looked, " or "))
	if d.example != "" {
		text += " The first one has none there" + d.example + "."
	}

	return text
}

// people returns a number of people for messages.
func people[N int | int64](n N) string {
	if n == 1 {
		return "1 person"
	}
	return fmt.Sprintf("%d people", n)
}
