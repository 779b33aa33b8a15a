// SPDX-License-Identifier: MPL-2.0

package run

import (
	"fmt"
	"strings"

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

// ProblemOf returns the problem that an error of Submit is.
func (r *Run) ProblemOf(err error) tfkit.Problem {
	p := tfkit.ProblemOf(err, "")
	if r.Advice.Unknown != "" && transport.IsClass(err, transport.ClassUnknownOutcome) {
		p.Do = r.Advice.Unknown
	}
	return p
}

// problem returns what is to be said of a request that is not fulfilled, if anything is: that it came to
// nothing, or after a wait or a refresh why it is not known to be carried out.
//
// What is accepted is never an error of an object: an error beside a saved state would make Terraform
// destroy the object and send the request again.
func (r *Run) problem() *tfkit.Problem {
	s, seen := r.Submission, r.Observed
	hasFailed := s.State == deferred.Failed
	isSaid := r.Waits
	if r.refreshed {
		isSaid = seen.Gap != "" || seen.Unproven
	}
	request := "request " + deferred.QuoteID(s.ShownID(), r.Request.Identity)
	accepted := "The service has accepted the " + r.Name + " (" + request + ")"

	p := tfkit.Problem{InState: r.InState, Do: r.Advice.Pending}
	switch {
	case hasFailed && s.Adopted:
		p.Summary, p.Do = "The request of somebody else came to nothing", r.Advice.Void
		p.Detail = "The service had a pending " + r.Name + " of this person that somebody else had sent, " + request + ". Terraform took it over, and sent nothing. It is over now, and was not carried out."

	case hasFailed && s.Dropped:
		p.Summary, p.Do = "The request is gone, and its effect cannot be seen", r.Advice.Over
		p.Detail = accepted + ". It is no longer pending, and its effect cannot be seen: the service has dropped it, or new data has come in since."

	case hasFailed:
		p = tfkit.ProblemOf(r.Request.Rejection(s), r.InState)
		p.Summary, p.Do = "The service failed the request", r.Advice.Over

	case !s.IsOpen(), !isSaid:
		return nil

	case s.Interrupted && !r.refreshed:
		p.Summary = "Interrupted while waiting"
		p.Detail = accepted + ", and the run ended before it was fulfilled."

	case seen.Err != nil:
		cause := tfkit.ProblemOf(seen.Err, "")
		p.Summary, p.Do = "Accepted, but waiting for it failed", cause.Do
		p.Detail = accepted + ". Waiting for the request failed: " + cause.Summary + ".\n" + cause.Detail

	case seen.Unproven:
		p.Summary, p.Do = "Accepted, and nothing shows what became of it", r.Advice.Unproven
		p.Detail = accepted + ". The list of pending requests does not show it, and no effect of it can be seen, so that it may be carried out, pending or lost."

	case seen.Gap != "":
		p.Summary = "The pending list does not tell"
		p.Detail = accepted + ", and the list of pending requests does not show what became of it: " + seen.Gap + "."
		p.Do = "if the message names a setting, and what it says is right for your service, set it in the provider block. " + r.Advice.Unproven

	default:
		p.Summary = "Accepted and still pending"
		p.Detail = accepted + " and has not fulfilled it within the time that timeouts allows."
	}

	return &p
}

// WarnUnchecked warns that a refresh could not look at the request, or at its effect.
func (r *Run) WarnUnchecked(err error) {
	p := tfkit.ProblemOf(err, r.InState)
	p.Detail = "A refresh could not look at the " + r.Name + " (request " + deferred.QuoteID(r.Submission.ShownID(), r.Request.Identity) + "): " + p.Summary + ".\n" + p.Detail
	p.Summary = "The request could not be checked"
	p.AddWarning(r.Diags)
}

// warnTakenOver warns that nothing was sent because the request was known or pending before.
func (r *Run) warnTakenOver() {
	request := deferred.QuoteID(r.Submission.ShownID(), r.Request.Identity)
	switch {
	case r.Observed.Known:
		tfkit.Problem{
			Summary: "No second " + r.Name + " was sent",
			Detail:  "This run has already submitted a " + r.Name + " of the same person: request " + request + " of " + client.FormatInstant(r.Submission.At) + ", for another resource or an action. This resource takes it over, and nothing was sent.",
			Do:      "nothing. To send another one, change triggers.",
		}.AddWarning(r.Diags)
	case r.Observed.Adopted:
		tfkit.Problem{
			Summary: "A pending " + r.Name + " was taken over",
			Detail:  "The service already has a pending " + r.Name + " of this person, request " + request + ". This resource takes it over and stands for that request now. Nothing was sent, and if that request comes to nothing, this resource sends none in its place before the next apply.",
		}.AddWarning(r.Diags)
	}
	r.warnOthers()
}

// sayAccepted says under which ID the service has the request of an action.
func (r *Run) sayAccepted() {
	request := "as request " + deferred.QuoteID(r.Submission.ShownID(), r.Request.Identity)
	switch {
	case r.Observed.Known:
		tfkit.Say(r.invoked, "A "+r.Name+" of this person was submitted in this run, "+request+"; no other is sent.")
	case r.Observed.Adopted:
		tfkit.Say(r.invoked, "A "+r.Name+" is pending already, "+request+"; no other is sent.")
	default:
		tfkit.Say(r.invoked, "The service accepted the "+r.Name+" "+request+". It cannot be cancelled.")
	}
	r.warnOthers()
}

// warnOthers warns of pending requests that are left alone, because another one was taken over.
func (r *Run) warnOthers() {
	ids := r.Observed.Others
	if len(ids) == 0 {
		return
	}

	const named = 10
	var names []string
	for _, id := range ids[:min(len(ids), named)] {
		names = append(names, deferred.QuoteID(id, r.Request.Identity))
	}
	if len(ids) > named {
		names = append(names, "…")
	}
	tfkit.Problem{
		Summary: "More requests are pending",
		Detail:  fmt.Sprintf("One pending request was taken over, and %d more of the same type are pending for this person. Terraform leaves them alone: %s.", len(ids), strings.Join(names, ", ")),
	}.AddWarning(r.Diags)
}
