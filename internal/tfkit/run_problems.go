// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"strconv"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
)

// Messages are how a run names its request and what it advises about it.
type Messages struct {
	Name    string // of the request, such as "deletion"
	InState string // what is in state while the request is not fulfilled
	Advice  RequestAdvice
}

// RequestAdvice is what to do about a request that is not fulfilled, as the field Do of a Problem.
type RequestAdvice struct {
	Pending  string // after the time for it is over
	Unproven string // nothing shows whether it was carried out
	Over     string // it came to nothing
	Unknown  string // it is not known whether the service has it; empty for what the error advises
}

// NotFulfilled is what is in state of an object whose request is not fulfilled.
const NotFulfilled = "the resource with fulfilled = false"

// AdviceInvoked is the advice about the request of an action.
var AdviceInvoked = RequestAdvice{
	Pending:  "look at analytics_pending_requests later; the request stands and must not be repeated.",
	Unproven: "ask the operator of the service about the request. Invoking the action again sends another one.",
	Over:     "ask the operator of the service about the request. Invoking the action again sends another one.",
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
	if r.Submission.ID == "" {
		return "the " + r.Name
	}
	return "the " + r.Name + " (request " + QuoteID(r.Submission.ID, r.Request.Person.Identity) + ")"
}

// ProblemOf returns the problem that an error of Submit is, or of a request that has failed.
func (r *Run) ProblemOf(err error) Problem {
	p := ProblemOf(err, "")
	if transport.IsClass(err, transport.ClassUnknownOutcome) && r.Advice.Unknown != "" {
		p.Do = r.Advice.Unknown
	}
	return p
}

// Problems returns what is to be said of a request that is not fulfilled: that it came to
// nothing, or after a wait or a refresh why it is not known to be carried out.
func (r *Run) Problems() []Problem {
	var found []Problem
	if r.Observed.UnknownStatus {
		found = append(found, Problem{
			Summary: "Unknown status of a pending request",
			Detail:  "The service gives " + r.what() + " a status that this provider does not know. It is treated as pending, never as done. The data source analytics_pending_requests shows the status.",
			Do:      "if this status means that the request is over, name it in wire.pending.statuses in the provider block.",
		})
	}

	switch s := r.Submission; {
	case s.State == deferred.Failed:
		p := ProblemOf(r.Request.Rejection(s, r.Observed), r.InState)
		p.Do = r.Advice.Over
		found = append(found, p)

	case s.State == deferred.Dropped:
		found = append(found, Problem{
			Summary: "The request is gone, and its effect cannot be seen",
			Detail:  "The service had accepted " + r.what() + ". It is no longer pending, and its effect cannot be seen: the service has dropped it, or new data has come in since.",
			InState: r.InState,
			Do:      r.Advice.Over,
		})

	case s.State.IsOpen() && (!r.refreshed && r.Waits || r.refreshed && (r.Observed.Gap != "" || r.Observed.Unproven)):
		found = append(found, r.unfinished())
	}

	return found
}

// unfinished returns the problem of an accepted request that is not known to be carried out.
// It is never an error of an object: an error beside a saved state would make Terraform
// destroy the object and send the request again.
func (r *Run) unfinished() Problem {
	p := Problem{InState: r.InState, Do: r.Advice.Pending}
	accepted := "The service has accepted " + r.what()

	switch {
	case r.Observed.Interrupted:
		p.Summary = "Interrupted while waiting"
		p.Detail = accepted + ", and the run ended before it was fulfilled."

	case r.Observed.Err != nil:
		cause := ProblemOf(r.Observed.Err, "")
		p.Summary = "Accepted, but waiting for it failed"
		p.Detail = accepted + ". Waiting for the request failed: " + cause.Summary + ".\n" + cause.Detail
		p.Do = cause.Do

	case r.Observed.Unproven:
		p.Summary = "Accepted, and nothing shows that it was carried out"
		p.Detail = accepted + ". The list of pending requests has never shown it, and no effect of it can be seen, so that it may be carried out, pending or lost."
		p.Do = r.Advice.Unproven

	case r.refreshed:
		p.Summary = "The pending list cannot be read as a whole"
		p.Detail = "The list of pending requests does not show whether " + r.what() + " is still pending: " + r.Observed.Gap + "."
		p.Do = "if the setting that is named is right for your service, set it in the provider block."

	default:
		p.Summary = "Accepted and still pending"
		p.Detail = accepted + " and has not fulfilled it within the time that timeouts allows."
		if r.Observed.Gap != "" {
			p.Detail += " The list of pending requests could not be read as a whole: " + r.Observed.Gap + "."
		}
	}

	return p
}

// Warn warns of the problems.
func (r *Run) Warn() {
	for _, p := range r.Problems() {
		p.AddWarning(r.Diags)
	}
}

// WarnUnchecked warns that a refresh could not look at the request, or at its effect.
func (r *Run) WarnUnchecked(err error) {
	p := ProblemOf(err, r.InState)
	p.Detail = "A refresh could not look at " + r.what() + ": " + p.Summary + ".\n" + p.Detail
	p.Summary = "The request could not be checked"
	p.AddWarning(r.Diags)
}
