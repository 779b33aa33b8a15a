package consent

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// failure returns the diagnostics of a person who could not be read: a warning with the
// place of the person, or an error if the list as a whole has failed.
func (l *listing) failure(a answer) (diags diag.Diagnostics) {
	problem := tfkit.ProblemOf(a.err, "")
	if client.IsClass(a.err, concernEveryone...) {
		problem.AddError(&diags)
		return diags
	}

	l.failed++
	problem.Detail = "The consent of " + l.source.place(a.position) + " could not be read, so this person is not listed.\n\n" +
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

// warn warns that the list ended at its limit, if more people follow or may follow.
func (f following) warn(limit int64, diags *diag.Diagnostics) {
	more := map[following]string{
		moreFollow:    "and more people follow in its source.",
		moreMayFollow: "and it is not known whether more people follow in its source.",
	}[f]
	if more == "" {
		return
	}

	tfkit.Problem{
		Summary: "The list ends at its limit",
		Detail:  "The list ended at its limit of " + people(limit) + ", " + more,
		Do:      "raise limit in the list block to see more of them.",
	}.AddWarning(diags)
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
		Detail:  tfkit.WhyNotOver + " Nothing was asked of the service.",
		Do:      "list the people of a day that is over.",
		At:      tfkit.AtUTCDate,
	}.AddError(diags)
}

func addListTimeout(diags *diag.Diagnostics) {
	tfkit.Problem{
		Summary: "The list took too long",
		Detail:  "The time limit of the list was reached before all people were looked up.",
		Do:      "raise list in the block timeouts, lower limit, or raise max_concurrency in the provider block.",
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

// report reports why the day could not be read, and records that were not taken for people.
func (d *dayPeople) report(diags *diag.Diagnostics) {
	if d.err != nil {
		tfkit.AddError(diags, d.err, "")
		return
	}

	t := d.tally
	if t.unnamed > 0 && t.unnamed == t.persons {
		tfkit.Problem{
			Summary: "No Person record holds an identity",
			Detail:  t.describeUnnamed(d.fields),
			Do:      "set identity_field to the member that holds the identity.",
			At:      path.Root("identity_field"),
		}.AddError(diags)

		return
	}

	t.warn(d.fields, diags)
}

// warn warns of records that were not taken for people.
func (t dayTally) warn(fields []string, diags *diag.Diagnostics) {
	if t.unnamed > 0 {
		tfkit.Problem{
			Summary: "Person records without an identity",
			Detail:  t.describeUnnamed(fields),
			Do:      "if another member holds the identity, set identity_field to its name.",
		}.AddWarning(diags)
	}

	if t.unknown > 0 {
		tfkit.Problem{
			Summary: "Records of an unknown kind",
			Detail:  "The records that were read include " + strconv.Itoa(t.unknown) + " that do not state their kind, so they were not taken for people.",
			Do:      "if there are Person records among them, set wire.export_kind_parameter in the provider block.",
		}.AddWarning(diags)
	}
}

// describeUnnamed returns how many Person records have no usable identity, and the names of
// the members of one of them.
func (t dayTally) describeUnnamed(fields []string) string {
	var looked []string
	for _, field := range fields {
		looked = append(looked, strconv.Quote(field))
	}

	text := fmt.Sprintf("%d of the %d Person records that were read are skipped, because they have no usable identity in %s.",
		t.unnamed, t.persons, strings.Join(looked, " or "))
	if t.example != "" {
		text += " The first one has none there" + t.example + "."
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
