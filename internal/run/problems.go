// SPDX-License-Identifier: MPL-2.0

package run

import (
	"strconv"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// Messages are how a run names its request and what it advises about it.
type Messages struct {
	Name    string // of the request, such as "deletion"
	InState string // what is in state while the request is not fulfilled
	Advice  Advice
}

// Advice is what to do about a request that is not fulfilled, as the field Do of a Problem.
type Advice struct {
	Pending  string // after the time for it is over
	Unproven string // nothing shows whether it was carried out
	Over     string // it came to nothing
	Void     string // that of somebody else, which was adopted, came to nothing
	Unknown  string // it is not known whether the service has it; empty for what the error advises
}

// NotFulfilled is what is in state of an object whose request is not fulfilled.
const NotFulfilled = "the resource with fulfilled = false"

// What to do about the request of an object.
const (
	AdviceLater       = "apply again later: it looks for the same request, and sends nothing. A longer wait can be set in timeouts."
	AdviceEachRefresh = "ask the operator of the service about the request. Each refresh looks again, and nothing is sent."
	AdviceVoid        = "apply again: the next apply sends one."
	adviceSetting     = "if the message names a setting, and what it says is right for your service, set it in the provider block. Otherwise, "
)

// AdviceInvoked is the advice about the request of an action.
var AdviceInvoked = Advice{
	Pending:  "look at analytics_pending_requests later; the request stands and must not be repeated.",
	Unproven: "ask the operator of the service about the request. Invoking the action again sends another one.",
	Over:     "ask the operator of the service about the request. Invoking the action again sends another one.",
	Void:     "invoke the action again, which sends one.",
	Unknown:  "look at analytics_pending_requests before you invoke the action again. It takes over an equal request that is pending by then. If the request was already carried out, it sends another one.",
}

// ProblemOf returns the problem that an error of Submit is.
func (r *Run) ProblemOf(err error) tfkit.Problem {
	p := tfkit.ProblemOf(err, "")
	if r.Advice.Unknown != "" && transport.IsClass(err, transport.ClassUnknownOutcome) {
		p.Do = r.Advice.Unknown
	}
	return p
}

// problem returns what is to be said of a request that has come to nothing or, if speaksOfOpen is set, of one that
// is not known to be carried out; nil if there is nothing to say.
//
// What is accepted is never an error of an object: an error beside a saved state would make Terraform
// destroy the object and send the request again.
func (r *Run) problem(speaksOfOpen bool) *tfkit.Problem {
	p := tfkit.Problem{InState: r.InState}
	switch {
	case r.Submission.State == deferred.Failed:
		p.Summary, p.Detail, p.Do = r.failed()
	case r.Submission.IsOpen() && speaksOfOpen:
		p.Summary, p.Detail, p.Do = r.open()
	default:
		return nil
	}

	return &p
}

// accepted returns the beginning of a sentence about the request.
func (r *Run) accepted() string {
	return "The service has accepted the " + r.Name + " (" + r.request() + ")"
}

// request returns the identifier of the request as it is shown.
func (r *Run) request() string {
	return "request " + deferred.QuoteID(r.Submission.ShownID(), r.Request.Identity)
}

// failed returns what is said of a request that came to nothing.
func (r *Run) failed() (summary, detail, do string) {
	switch s := r.Submission; {
	case s.Adopted:
		return "The request of somebody else came to nothing",
			"Terraform took over a pending " + r.Name + " of this person that somebody else had sent (" + r.request() + "), and sent nothing. It is over now, and was not carried out.", r.Advice.Void
	case s.Dropped:
		return "The request is gone, and its effect cannot be seen",
			r.accepted() + ". It is no longer pending, and its effect cannot be seen: the service has dropped it, or new data has come in since.", r.Advice.Over
	}

	detail = r.accepted() + " and then failed it."
	if code := r.Submission.Code; code != "" {
		detail += " Code of the service: " + strconv.Quote(code) + "."
	}

	return "The service failed the request", detail, r.Advice.Over
}

// open returns what is said of a request that is accepted and not known to be carried out.
func (r *Run) open() (summary, detail, do string) {
	accepted, gap := r.accepted(), r.Observed.Gap
	switch seen := r.Observed; {
	case seen.Err != nil:
		cause := tfkit.ProblemOf(seen.Err, "")
		return "Accepted, but waiting for it failed", accepted + ". Waiting for the request failed: " + cause.Summary + ".\n" + cause.Detail, cause.Do
	case seen.Unproven:
		if gap != "" {
			gap = " Before, the list did not tell: " + gap + "."
		}
		return "Accepted, and nothing shows what became of it",
			accepted + ". The list of pending requests does not show it, and no effect of it can be seen, so that it may be carried out, pending or lost." + gap, r.Advice.Unproven
	case gap != "":
		return "The pending list does not tell", accepted + ", and the list of pending requests does not show what became of it: " + gap + ".",
			adviceSetting + r.Advice.Unproven
	case r.Submission.Interrupted:
		return "Interrupted while waiting", accepted + ", and the run ended before it was fulfilled.", r.Advice.Pending
	}

	return "Accepted and still pending", accepted + " and has not fulfilled it within the time that timeouts allows.", r.Advice.Pending
}

// report says that nothing was sent because the request was known or pending before, or under which ID the service
// has the request of an action: it may be all that the user learns of an interrupted one.
func (r *Run) report() {
	var others []string
	for _, id := range r.Observed.Others {
		others = append(others, deferred.QuoteID(id, r.Request.Identity))
	}

	p := tfkit.Problem{Detail: "The service accepted the " + r.Name + " as " + r.request() + ". It cannot be cancelled."}
	switch {
	case r.Observed.Known:
		p.Summary = "No second " + r.Name + " was sent"
		p.Detail = "A " + r.Name + " of this person was submitted in this run, as " + r.request() + "; no other is sent."
		p.Do = "nothing. To send another one, change triggers."
	case r.Observed.Adopted:
		p.Summary = "A pending " + r.Name + " was taken over"
		p.Detail = "A " + r.Name + " of this person is pending already, as " + r.request() + "; no other is sent. If it comes to nothing, none is sent in its place in this run."
	}
	if len(others) > 0 {
		p.Detail += " More requests are pending, which are left alone: " + strings.Join(others, ", ") + "."
	}

	if r.invoked != nil {
		tfkit.Say(r.invoked, p.Detail)
	} else if p.Summary != "" {
		p.AddWarning(r.Diags)
	}
}
