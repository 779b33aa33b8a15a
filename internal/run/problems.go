// SPDX-License-Identifier: MPL-2.0

package run

import (
	"cmp"
	"slices"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// Messages are how a run names its request, and what it advises about one that is not fulfilled.
type Messages struct {
	Name     string // of the request, such as "deletion"
	InState  string // what is in state
	Pending  string // what to do after the time for it is over
	Unproven string // the same if nothing shows whether it was carried out
	Over     string // the same if it came to nothing
	Again    string // what another invocation of an action does
}

// NotFulfilled is what is in state of an object whose request is not fulfilled.
const NotFulfilled = "fulfilled = false"

// What to do about the request of an object.
const (
	AdviceLater       = "apply again later: it looks for the same request, and sends nothing. A longer wait can be set in timeouts."
	AdviceEachRefresh = "ask the operator of the service about the request. Each refresh looks again, and nothing is sent."
	adviceVoid        = "apply again: the next apply sends one. Or invoke the action again, which does so as well."
	adviceSetting     = "set what the message names, or ask the operator of the service about the request."
)

// What to do about the request of an action.
const (
	AdviceStands = "look at analytics_pending_requests later; the request stands and must not be repeated."
	adviceAgain  = " Invoking the action again may send another one."
	adviceAnew   = "ask the operator of the service about the request. Invoking the action again sends another one."
)

// spokenOf are the states of a request of which there is something to say, with open ones or without.
var spokenOf = map[bool][]proof.State{true: {proof.Failed, proof.Accepted, proof.Listed}, false: {proof.Failed}}

// problem returns the Problem of a request that came to nothing; nil if there is none. With speaksOfOpen, a
// request that is not known to be carried out has one too.
//
// What is accepted is never an error of an object: an error beside a saved state would make Terraform destroy
// the object and send the request again.
func (r *Run) problem(speaksOfOpen bool) *tfkit.Problem {
	s, seen, isFailed := r.Submission, r.Observed, r.Submission.State == proof.Failed
	if !slices.Contains(spokenOf[speaksOfOpen], s.State) {
		return nil
	}

	request := "request " + client.ShownID(s.ShownID(), r.Request.Identity)
	accepted, failed := "The "+r.Name+" ("+request+") was accepted", tfkit.Problem{}
	if seen.Err != nil {
		failed = tfkit.ProblemOf(seen.Err, "")
	}

	for _, about := range []struct {
		is                  bool
		summary, detail, do string
	}{
		{isFailed && s.Adopted, "The request of somebody else came to nothing", "Terraform took over a pending " + r.Name + " of this person that somebody else had sent (" + request + "), and sent nothing. It is over now, and was not carried out.", adviceVoid},
		{s.Dropped, "The request is gone, and its effect cannot be seen", accepted + ". It is gone without its effect: the service dropped it, new data came since, or the data were the same.", r.Over},
		{isFailed, "The service failed the request", accepted + ", and the service then failed it. Code of the service: " + cmp.Or(s.Code, "not given") + ".", r.Over},
		{seen.Err != nil, "Accepted, but waiting for it failed", accepted + ". Waiting failed: " + failed.Summary + ".\n" + failed.Detail, failed.Do},
		{seen.Gap != "", "The pending list does not tell", accepted + ", and the list does not tell: " + seen.Gap + ".", adviceSetting + r.Again},
		{seen.Unproven, "Accepted, and nothing shows what became of it", accepted + ". Neither the list nor an effect shows it: it may be carried out, pending or lost.", r.Unproven},
		{s.Interrupted, "Interrupted while waiting", accepted + ", and the run ended before it was fulfilled.", r.Pending},
		{true, "Accepted and still pending", accepted + ", and was not fulfilled within the time that timeouts allows.", r.Pending},
	} {
		if about.is {
			return &tfkit.Problem{Summary: about.summary, Detail: about.detail, Do: about.do, InState: r.InState}
		}
	}

	return nil
}

// report says that nothing was sent because the request was known or pending before, or under which ID the service
// has the request of an action: it may be all that the user learns of an interrupted one.
func (r *Run) report() {
	request := "request " + client.ShownID(r.Submission.ShownID(), r.Request.Identity)
	p := tfkit.Problem{Detail: "The service accepted the " + r.Name + " as " + request + ". It cannot be cancelled."}
	switch {
	case r.Observed.Known:
		p.Summary = "No second " + r.Name + " was sent"
		p.Detail = "A " + r.Name + " of this person was submitted in this run, as " + request + "; no other is sent."
		p.Do = "nothing. To send another one, change triggers."
	case r.Observed.Adopted:
		p.Summary = "A pending " + r.Name + " was taken over"
		p.Detail = "A " + r.Name + " of this person is pending already, as " + request + "; no other is sent. If it comes to nothing, none is sent in its place in this run."
	case !r.Submission.IsOpen(): // the values or the data are there
		return
	}
	for _, other := range r.Observed.Others {
		p.Detail += " Another one is pending, which is left alone: " + client.ShownID(other.ID, r.Request.Identity) + "."
	}

	if r.invoked != nil {
		tfkit.Say(r.invoked, p.Detail)
		return
	}
	p.AddWarning(r.Diags)
}
