// SPDX-License-Identifier: MPL-2.0

package requests

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// requestType is what a resource requests, as messages name it.
type requestType string

const (
	deletion requestType = "deletion"
	access   requestType = "data access request"
)

// What is in state when an accepted request was not carried out.
const requestKept = "the request, with fulfilled = false"

// shownID returns the identifier of a request about a person for messages.
func shownID(id, person string) string {
	if id == "" {
		return "without an id"
	}
	return tfkit.QuoteID(id, person)
}

// limitOthers is how many further requests a message names.
const limitOthers = 10

// warnSubmitted adds a warning if nothing was sent because the request was known or
// pending before.
func (t requestType) warnSubmitted(diags *diag.Diagnostics, person string, s deferred.Submission, report deferred.Report) {
	if report.Known {
		tfkit.Problem{
			Summary: "No second " + string(t) + " was sent",
			Detail: fmt.Sprintf("This run has already submitted a %s of the same person: request %s of %s, for another object or an action. This object takes it over, and nothing was sent.",
				t, shownID(s.ID, person), instant(s.At).ValueString()),
			Do: "nothing. To send another one, change triggers.",
		}.AddWarning(diags)
	}

	if report.Adopted {
		tfkit.Problem{
			Summary: "A pending " + string(t) + " was taken over",
			Detail: fmt.Sprintf("The service already has a pending %s of this person, request %s. This object takes it over and stands for that request now. Nothing was sent.",
				t, shownID(s.ID, person)) + describeOthers(report.Others, person),
		}.AddWarning(diags)
	}

	if report.Adopted && report.UnknownStatus {
		t.warnStatus(diags, person, s)
	}
	tfkit.WarnNotUnderstood(diags, "the "+string(t), report)
}

// describeOthers returns a paragraph about further pending requests of the same type
// about a person;
// empty if there are none.
func describeOthers(ids []string, person string) string {
	if len(ids) == 0 {
		return ""
	}

	var names []string
	for _, id := range ids[:min(len(ids), limitOthers)] {
		names = append(names, shownID(id, person))
	}
	if len(ids) > limitOthers {
		names = append(names, "…")
	}

	return fmt.Sprintf("\n\n%d more requests of the same type are pending for this person. Terraform leaves them alone: %s.", len(ids), strings.Join(names, ", "))
}

// warnRefreshed adds a warning about what a refresh found, unless the request is
// fulfilled or plainly pending.
func (t requestType) warnRefreshed(diags *diag.Diagnostics, person string, s deferred.Submission, report deferred.Report) {
	if s.State.IsOver() {
		t.warnOver(diags, person, s, report.Code)
		return
	}
	if report.UnknownStatus {
		t.warnStatus(diags, person, s)
		return
	}
	if report.Gap != "" && s.State.IsOpen() {
		t.warnGap(diags, person, s, report.Gap)
	}
	if report.Unproven && s.State.IsOpen() {
		t.warnUnproven(diags, person, s)
	}
}

// warnAwaited adds a warning that says why a request that was waited for is not
// fulfilled.
func (t requestType) warnAwaited(diags *diag.Diagnostics, person string, s deferred.Submission, report deferred.Report) {
	if s.State.IsOver() {
		t.warnOver(diags, person, s, report.Code)
		return
	}
	if report.Unproven && !report.Interrupted && report.Err == nil {
		t.warnUnproven(diags, person, s)
		return
	}
	tfkit.WarnUnfinished(diags, tfkit.NameRequest("the "+string(t), s.ID, person), s, report)
}

// warnUnproven warns that nothing shows whether a request was carried out. The data itself
// would show it.
func (t requestType) warnUnproven(diags *diag.Diagnostics, person string, s deferred.Submission) {
	problem := tfkit.Unproven(tfkit.NameRequest("the "+string(t), s.ID, person))
	if t == access {
		problem.Do += " If the service answers with the data at once, name a member that the data has at its top in wire.all_data_member."
	}
	problem.AddWarning(diags)
}

// warnOver warns of a request that came to nothing. code is the service's code of a
// failure; empty if it gave none.
func (t requestType) warnOver(diags *diag.Diagnostics, person string, s deferred.Submission, code string) {
	if s.State == deferred.Dropped {
		tfkit.Problem{
			Summary: "The " + string(t) + " left the list without its effect",
			Detail:  "Request " + shownID(s.ID, person) + " is no longer pending, and the person's profile is still there: the service has dropped the request, or new data has come in since.",
			InState: requestKept,
			Do:      "ask the operator of the service about the request. To send another one, change triggers.",
		}.AddWarning(diags)
		return
	}

	with := ""
	if code != "" {
		with = " with the code " + strconv.Quote(code)
	}

	tfkit.Problem{
		Summary: "The " + string(t) + " failed",
		Detail:  "The service accepted request " + shownID(s.ID, person) + " and then failed it" + with + ".",
		InState: requestKept,
		Do:      "remove the cause, then change triggers to send another one.",
	}.AddWarning(diags)
}

func (t requestType) warnStatus(diags *diag.Diagnostics, person string, s deferred.Submission) {
	tfkit.WarnUnknownStatus(diags, "the "+string(t)+", request "+shownID(s.ID, person)+",")
}

func (t requestType) warnGap(diags *diag.Diagnostics, person string, s deferred.Submission, gap string) {
	tfkit.Problem{
		Summary: "The pending list cannot be read as a whole",
		Detail:  "The list of pending requests does not show whether the " + string(t) + ", request " + shownID(s.ID, person) + ", is still pending: " + gap + ".",
		InState: requestKept,
		Do:      "if the setting that is named is right for your service, set it in the provider block.",
	}.AddWarning(diags)
}
