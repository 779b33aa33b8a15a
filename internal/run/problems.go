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
	request := "request " + deferred.QuoteID(s.ShownID(), r.Request.Identity)
	accepted := "The service has accepted the " + r.Name + " (" + request + ")"
	if s.State == deferred.Failed {
		return r.failure(request, accepted)
	}
	isStuck := seen.Gap != "" || seen.Unproven
	isSaid := r.Waits
	if r.refreshed {
		isSaid = isStuck
	}
	if !isSaid || !s.IsOpen() {
		return nil
	}

	p := &tfkit.Problem{Detail: accepted, InState: r.InState, Do: r.Advice.Pending}
	switch {
	case s.Interrupted && !r.refreshed:
		p.Summary = "Interrupted while waiting"
		p.Detail += ", and the run ended before it was fulfilled."
	case seen.Err != nil:
		cause := tfkit.ProblemOf(seen.Err, "")
		p.Summary, p.Do = "Accepted, but waiting for it failed", cause.Do
		p.Detail += ". Waiting for the request failed: " + cause.Summary + ".\n" + cause.Detail
	case seen.Unproven:
		p.Summary, p.Do = "Accepted, and nothing shows what became of it", r.Advice.Unproven
		p.Detail += ". The list of pending requests does not show it, and no effect of it can be seen, so that it may be carried out, pending or lost."
		if seen.Gap != "" {
			p.Detail += " Before, the list did not tell: " + seen.Gap + "."
		}
	case isStuck:
		p.Summary = "The pending list does not tell"
		p.Detail += ", and the list of pending requests does not show what became of it: " + seen.Gap + "."
		p.Do = "if the message names a setting, and what it says is right for your service, set it in the provider block. Otherwise, " + r.Advice.Unproven
	default:
		p.Summary = "Accepted and still pending"
		p.Detail += " and has not fulfilled it within the time that timeouts allows."
	}

	return p
}

// failure returns the problem of a request that came to nothing, which is named in two ways.
func (r *Run) failure(request, accepted string) *tfkit.Problem {
	p := tfkit.ProblemOf(r.Request.Rejection(r.Submission), r.InState)
	p.Summary, p.Do = "The service failed the request", r.Advice.Over
	switch {
	case r.Submission.Adopted:
		p.Summary, p.Do = "The request of somebody else came to nothing", r.Advice.Void
		p.Detail = "The service had a pending " + r.Name + " of this person that somebody else had sent, " + request + ". Terraform took it over, and sent nothing. It is over now, and was not carried out."
	case r.Submission.Dropped:
		p.Summary = "The request is gone, and its effect cannot be seen"
		p.Detail = accepted + ". It is no longer pending, and its effect cannot be seen: the service has dropped it, or new data has come in since."
	}

	return &p
}

// report says under which ID the service has the request of an action, and warns that nothing was sent for an
// object because the request was known or pending before.
func (r *Run) report() {
	isObject, as := r.invoked == nil, "as request "+deferred.QuoteID(r.Submission.ShownID(), r.Request.Identity)
	switch {
	case r.Observed.Known && isObject:
		tfkit.Problem{
			Summary: "No second " + r.Name + " was sent",
			Detail:  "This run has already submitted a " + r.Name + " of the same person, " + as + " of " + client.FormatInstant(r.Submission.At) + ", for another resource or an action. This resource takes it over, and nothing was sent.",
			Do:      "nothing. To send another one, change triggers.",
		}.AddWarning(r.Diags)
	case r.Observed.Known:
		tfkit.Say(r.invoked, "A "+r.Name+" of this person was submitted in this run, "+as+"; no other is sent.")
	case r.Observed.Adopted && isObject:
		tfkit.Problem{
			Summary: "A pending " + r.Name + " was taken over",
			Detail:  "The service already has a pending " + r.Name + " of this person, " + as + ". This resource takes it over and stands for that request now. Nothing was sent, and if that request comes to nothing, this resource sends none in its place before the next apply.",
		}.AddWarning(r.Diags)
	case r.Observed.Adopted:
		tfkit.Say(r.invoked, "A "+r.Name+" is pending already, "+as+"; no other is sent.")
	default:
		tfkit.Say(r.invoked, "The service accepted the "+r.Name+" "+as+". It cannot be cancelled.")
	}

	if others := r.Observed.Others; len(others) > 0 {
		const limit = 10
		var named []string
		for _, id := range others[:min(len(others), limit)] {
			named = append(named, deferred.QuoteID(id, r.Request.Identity))
		}
		tfkit.Problem{
			Summary: "More requests are pending",
			Detail:  fmt.Sprintf("One pending request was taken over, and %d more of the same type are pending for this person. Terraform leaves them alone: %s.", len(others), strings.Join(named, ", ")),
		}.AddWarning(r.Diags)
	}
}
