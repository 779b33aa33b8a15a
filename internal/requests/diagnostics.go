// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"fmt"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// adviceTriggers applies to an object whose request came to nothing.
const adviceTriggers = "ask the operator of the service about the request. To send another one, change triggers."

// limitOthers is how many further requests a message names.
const limitOthers = 10

// warnTakenOver warns that nothing was sent because the request was known or pending before.
func warnTakenOver(run *tfkit.Run) {
	s, report, person := run.Submission, run.Report, run.Request.Identity

	if report.Known {
		tfkit.Problem{
			Summary: "No second " + run.Name + " was sent",
			Detail: fmt.Sprintf("This run has already submitted a %s of the same person: request %s of %s, for another resource or an action. This resource takes it over, and nothing was sent.",
				run.Name, tfkit.QuoteID(s.ID, person), instant(s.At).ValueString()),
			Do: "nothing. To send another one, change triggers.",
		}.AddWarning(run.Diags)
	}

	if report.Adopted {
		tfkit.Problem{
			Summary: "A pending " + run.Name + " was taken over",
			Detail: fmt.Sprintf("The service already has a pending %s of this person, request %s. This resource takes it over and stands for that request now. Nothing was sent.",
				run.Name, tfkit.QuoteID(s.ID, person)) + describeOthers(run),
		}.AddWarning(run.Diags)
	}
}

// sayAccepted is SayAccepted of an action. It warns of pending requests that are left alone,
// because the action has taken over another one.
func sayAccepted(run *tfkit.Run) {
	run.SayAccepted()
	if len(run.Report.Others) > 0 {
		tfkit.Problem{
			Summary: "More requests are pending",
			Detail:  "The action has taken over one pending request." + describeOthers(run),
		}.AddWarning(run.Diags)
	}
}

// describeOthers returns a paragraph about further pending requests of the same type about
// the person; empty if there are none.
func describeOthers(run *tfkit.Run) string {
	ids := run.Report.Others
	if len(ids) == 0 {
		return ""
	}

	var names []string
	for _, id := range ids[:min(len(ids), limitOthers)] {
		names = append(names, tfkit.QuoteID(id, run.Request.Identity))
	}
	if len(ids) > limitOthers {
		names = append(names, "…")
	}

	return fmt.Sprintf("\n\n%d more requests of the same type are pending for this person. Terraform leaves them alone: %s.", len(ids), strings.Join(names, ", "))
}
