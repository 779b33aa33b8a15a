package requests

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// noun is how messages name what a resource requests.
type noun string

const (
	deletion noun = "deletion"
	access   noun = "data access request"
)

// shownID returns the identifier of a request for messages.
func shownID(id string) string {
	if id == "" {
		return "without an id"
	}
	return tfkit.QuoteID(id)
}

// limitOthers is how many further requests a message names.
const limitOthers = 10

// warnSubmitted says where a request came from if it was not sent just now.
func (n noun) warnSubmitted(diags *diag.Diagnostics, s deferred.Submission, report deferred.Report) {
	if report.Known {
		diags.AddWarning("No second "+string(n)+" was sent", fmt.Sprintf(
			"This run has met a %s of the same person with the same triggers before, request %s of %s: that of the object that this one replaces, or of another one for the same person. It was taken over, and nothing was sent.\n\n"+
				"What to do: nothing. To send another one, change triggers.", n, shownID(s.ID), instant(s.At).ValueString()))
	}
	if report.Adopted {
		diags.AddWarning("A pending "+string(n)+" was taken over", fmt.Sprintf(
			"The service has a pending %s of this person already, request %s. It was taken over: nothing was sent, and this object stands for that request now.%s",
			n, shownID(s.ID), n.others("\n\n", report.Others)))
	}
	if report.Adopted && report.Status != "" {
		n.warnStatus(diags, s, report.Status)
	}
}

// others returns a sentence about further requests, behind a separator; empty where
// there are none.
func (n noun) others(separator string, ids []string) string {
	if len(ids) == 0 {
		return ""
	}

	var names []string
	for _, id := range ids[:min(len(ids), limitOthers)] {
		names = append(names, shownID(id))
	}
	if len(ids) > limitOthers {
		names = append(names, "…")
	}
	return fmt.Sprintf("%sBeside it %d more of the same kind are pending for this person, which Terraform leaves alone: %s.", separator, len(ids), strings.Join(names, ", "))
}

// warnRefreshed says what a refresh has found, apart from a fulfilment.
func (n noun) warnRefreshed(diags *diag.Diagnostics, s deferred.Submission, report deferred.Report) {
	switch {
	case s.State == deferred.Failed:
		n.warnFailed(diags, s, report.Code)
	case s.State == deferred.Dropped:
		n.warnDropped(diags, s)
	case report.Status != "":
		n.warnStatus(diags, s, report.Status)
	case report.Gap != "":
		diags.AddWarning("The pending list cannot be read as a whole", fmt.Sprintf(
			"Whether the %s, request %s, is still pending cannot be told from the list: %s.\n\n"+
				"In state now: the request, with fulfilled = false.\nWhat to do: set wire.pending_identity_field in the provider block where the list names the person in a field of its own, or pending_list = \"partial\" in this object.",
			n, shownID(s.ID), report.Gap))
	}
}

func (n noun) warnDropped(diags *diag.Diagnostics, s deferred.Submission) {
	diags.AddWarning("The "+string(n)+" left the list without its effect", fmt.Sprintf(
		"Request %s is no longer pending, and the person's profile is still there: the service has dropped it, or new data has come in since.\n\n"+
			"In state now: the request, with fulfilled = false.\nWhat to do: ask the operator of the service about the request. To send another one, change triggers or replace the object.",
		shownID(s.ID)))
}

func (n noun) warnFailed(diags *diag.Diagnostics, s deferred.Submission, code string) {
	because := ""
	if code != "" {
		because = " with the code " + strconv.Quote(code)
	}
	diags.AddWarning("The "+string(n)+" failed", fmt.Sprintf(
		"The service accepted request %s and then failed it%s.\n\n"+
			"In state now: the request, with fulfilled = false.\nWhat to do: remove the cause, then change triggers or replace the object to send another one.",
		shownID(s.ID), because))
}

func (n noun) warnStatus(diags *diag.Diagnostics, s deferred.Submission, status string) {
	diags.AddWarning("Unknown status of the "+string(n), fmt.Sprintf(
		"The service gives request %s the status %s, which this version of the provider does not know. It is treated as pending.\n\n"+
			"What to do: where this status means that the request is over, name it in ended_statuses.",
		shownID(s.ID), strconv.Quote(status)))
}
