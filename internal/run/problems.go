// SPDX-License-Identifier: MPL-2.0

package run

import (
	"strconv"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
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
)

// AdviceInvoked is the advice about the request of an action.
var AdviceInvoked = Advice{
	Pending:  "look at analytics_pending_requests later; the request stands and must not be repeated.",
	Unproven: "ask the operator of the service about the request. Invoking the action again sends another one.",
	Over:     "ask the operator of the service about the request. Invoking the action again sends another one.",
	Void:     "invoke the action again, which sends one.",
	Unknown:  "look at analytics_pending_requests before you invoke the action again. It takes over an equal request that is pending by then. If the request was already carried out, it sends another one.",
}

// QuoteID returns the service's identifier of a request about a person for messages:
// quoted, cut, and without the person and anything that looks like one.
func QuoteID(id, person string) string {
	if id == "" {
		return "without an id"
	}
	return strconv.Quote(client.ShownID(id, person))
}

// what names the request in a sentence.
func (r *Run) what() string {
	if r.Submission.ShownID() == "" {
		return "the " + r.Name
	}
	return "the " + r.Name + " (request " + QuoteID(r.Submission.ShownID(), r.Request.Identity) + ")"
}

// ProblemOf returns the problem that an error of Submit is.
func (r *Run) ProblemOf(err error) tfkit.Problem {
	p := tfkit.ProblemOf(err, "")
	if r.Advice.Unknown != "" && transport.IsClass(err, transport.ClassUnknownOutcome) {
		p.Do = r.Advice.Unknown
	}
	return p
}

// Problem returns what is to be said of a request that is not fulfilled, if anything is: that it came to
// nothing, or after a wait or a refresh why it is not known to be carried out.
func (r *Run) Problem() *tfkit.Problem {
	isStuck := r.Observed.Gap != "" || r.Observed.Unproven
	isSaid := r.Waits
	if r.refreshed {
		isSaid = isStuck
	}

	var p tfkit.Problem
	switch {
	case r.Submission.State == deferred.Failed:
		p = r.over()
	case r.Submission.IsOpen() && isSaid:
		p = r.unfinished()
	default:
		return nil
	}

	return &p
}

// over returns the problem of a request that came to nothing.
func (r *Run) over() tfkit.Problem {
	if r.Submission.Adopted {
		return tfkit.Problem{
			Summary: "The request of somebody else came to nothing",
			Detail:  "The service had a pending " + r.Name + " of this person that somebody else had sent, request " + QuoteID(r.Submission.ShownID(), r.Request.Identity) + ". Terraform took it over, and sent nothing. It is over now, and was not carried out.",
			InState: r.InState,
			Do:      r.Advice.Void,
		}
	}
	if r.Submission.Dropped {
		return tfkit.Problem{
			Summary: "The request is gone, and its effect cannot be seen",
			Detail:  "The service had accepted " + r.what() + ". It is no longer pending, and its effect cannot be seen: the service has dropped it, or new data has come in since.",
			InState: r.InState,
			Do:      r.Advice.Over,
		}
	}

	p := tfkit.ProblemOf(r.Request.Rejection(r.Submission), r.InState)
	p.Summary, p.Do = "The service failed the request", r.Advice.Over

	return p
}

// unfinished returns the problem of an accepted request that is not known to be carried out.
// It is never an error of an object: an error beside a saved state would make Terraform
// destroy the object and send the request again.
func (r *Run) unfinished() tfkit.Problem {
	p := tfkit.Problem{InState: r.InState, Do: r.Advice.Pending}
	accepted := "The service has accepted " + r.what()

	switch {
	case r.Submission.Interrupted && !r.refreshed:
		p.Summary = "Interrupted while waiting"
		p.Detail = accepted + ", and the run ended before it was fulfilled."

	case r.Observed.Err != nil:
		cause := tfkit.ProblemOf(r.Observed.Err, "")
		p.Summary = "Accepted, but waiting for it failed"
		p.Detail = accepted + ". Waiting for the request failed: " + cause.Summary + ".\n" + cause.Detail
		p.Do = cause.Do

	case r.Observed.Unproven:
		p.Summary = "Accepted, and nothing shows what became of it"
		p.Detail = accepted + ". The list of pending requests does not show it, and no effect of it can be seen, so that it may be carried out, pending or lost."
		p.Do = r.Advice.Unproven

	case r.Observed.Gap != "":
		p.Summary = "The pending list does not tell"
		p.Detail = accepted + ", and the list of pending requests does not show what became of it: " + r.Observed.Gap + "."
		p.Do = "if the message names a setting, and what it says is right for your service, set it in the provider block. " + r.Advice.Unproven

	default:
		p.Summary = "Accepted and still pending"
		p.Detail = accepted + " and has not fulfilled it within the time that timeouts allows."
	}

	return p
}

// Warn warns of the Problem.
func (r *Run) Warn() {
	if p := r.Problem(); p != nil {
		p.AddWarning(r.Diags)
	}
}

// WarnUnchecked warns that a refresh could not look at the request, or at its effect.
func (r *Run) WarnUnchecked(err error) {
	p := tfkit.ProblemOf(err, r.InState)
	p.Detail = "A refresh could not look at " + r.what() + ": " + p.Summary + ".\n" + p.Detail
	p.Summary = "The request could not be checked"
	p.AddWarning(r.Diags)
}
