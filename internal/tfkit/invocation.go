// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
)

// Invocation is a deferred request that an action submits. An action has no state: another
// invocation is another request, unless one is pending and adopted.
type Invocation struct {
	Run

	Progress Progress
	Diags    *diag.Diagnostics
	Name     string // of the request in messages, such as "deletion"
	Waits    bool   // the action waits for the request
	// AfterUnknown says what another invocation does after one whose outcome is unknown.
	AfterUnknown string

	person string // of the request
}

// Invocation returns the invocation of an action. name is that of its request.
func (a *Action) Invocation(m *PersonActionModel, resp *action.InvokeResponse, name string) *Invocation {
	return &Invocation{
		Run:      Run{Engine: a.Deferred},
		Progress: ProgressOf(resp),
		Diags:    &resp.Diagnostics,
		Name:     name,
		Waits:    m.Waits(),
		person:   m.IdentityID.ValueString(),

		AfterUnknown: "It takes over an equal request that is pending by then. If the request was already carried out, it sends another one.",
	}
}

// Submit submits a request. Its errors are those of deferred.Engine.Submit.
func (i *Invocation) Submit(ctx context.Context, request deferred.Request) error {
	err := i.Run.Submit(ctx, request, deferred.Submission{})
	WarnNotUnderstood(i.Diags, i.what(), i.Report)

	return err
}

// SayAccepted says under which ID the service has the request. Actions must call it
// directly after Submit: it may be all that the user learns of an interrupted one.
func (i *Invocation) SayAccepted() {
	as := "as a request without an id"
	if i.Submission.ID != "" {
		as = "as request " + QuoteID(i.Submission.ID, i.person)
	}

	if !i.Report.Adopted && !i.Report.Known {
		i.Progress.Say("The service accepted the " + i.Name + " " + as + ". It cannot be cancelled.")
		return
	}

	waits := ""
	if i.Waits && i.Submission.State.IsOpen() {
		waits = "it is waited for, and "
	}
	since := "is pending already, "
	if i.Report.Known {
		since = "of this person was submitted in this run, "
	}
	i.Progress.Say("A " + i.Name + " " + since + as + "; " + waits + "no other is sent.")
}

// Await waits until an accepted request is no longer pending, for the limit at most, if
// the action waits. It reports whether the request is fulfilled.
func (i *Invocation) Await(ctx context.Context, request deferred.Request, limit time.Duration) (fulfilled bool) {
	if i.Waits && i.Submission.State.IsOpen() {
		i.Progress.During(ctx, func() {
			i.Run.Await(ctx, request, limit)
		}, func(since string) string { return "Still pending after " + since + "." })
	}

	return i.Submission.State == deferred.Fulfilled
}

// Finish waits for the request and reports how it ended. It says done if the request is
// fulfilled. A request that is still pending is a warning, because invoking the action
// again would not help, and one that came to nothing is an error.
func (i *Invocation) Finish(ctx context.Context, request deferred.Request, limit time.Duration, done string) {
	fulfilled := i.Await(ctx, request, limit)
	i.WarnStatus()
	if fulfilled {
		i.Progress.Say(done)
		return
	}
	if i.AddOver(request) || !i.Waits {
		return
	}

	i.Unfinished().AddWarning(i.Diags)
}

// AddSubmitError reports an error of Submit.
func (i *Invocation) AddSubmitError(err error) {
	problem := ProblemOf(err, "")
	if transport.IsClass(err, transport.ClassUnknownOutcome) {
		problem.Do = "look at analytics_pending_requests before you invoke the action again. " + i.AfterUnknown
	}

	problem.AddError(i.Diags)
}

// Unfinished returns the problem of an accepted request that is not known to be carried out
// after a wait.
func (i *Invocation) Unfinished() Problem { return Unfinished(i.what(), i.Report) }

// Unfinished returns the problem of an accepted request that is not known to be carried out
// after a wait, and for which no object in state stands. what names the request, such as "the
// deletion".
func Unfinished(what string, report deferred.Report) Problem {
	pending := Problem{
		Summary: "Accepted and still pending",
		Detail:  "The service has accepted " + what + " and has not fulfilled it within the time that timeouts allows." + describeGap(report.Gap),
		Do:      "look at analytics_pending_requests later; the request stands and must not be repeated.",
	}

	if report.Unproven {
		pending = unproven(what)
		pending.Do = adviceOperator
	}
	if report.Interrupted {
		pending.Summary = "Interrupted while waiting"
		pending.Detail = "The service has accepted " + what + ", and the run ended before it was fulfilled."
	}
	if report.Err != nil {
		unwatched := ProblemOf(report.Err, "")
		pending.Summary = "Accepted, and could not be watched"
		pending.Detail = "The service has accepted " + what + ". Waiting for it failed: " + unwatched.Summary + ".\n" + unwatched.Detail
	}

	return pending
}

// adviceOperator applies to a request that came to nothing, or that nothing shows.
const adviceOperator = "ask the operator of the service about the request. Invoking the action again sends another one."

// AddOver reports a request that came to nothing, or returns false if it did not.
func (i *Invocation) AddOver(request deferred.Request) bool {
	if i.Submission.State == deferred.Failed {
		AddError(i.Diags, request.Rejection(i.Submission, i.Report), "")
		return true
	}
	if i.Submission.State != deferred.Dropped {
		return false
	}

	Problem{
		Summary: "The request left the list without its effect",
		Detail:  "The service had accepted " + i.what() + ". It is no longer pending, and its effect cannot be seen: the service has dropped it, or new data has come in since.",
		Do:      adviceOperator,
	}.AddError(i.Diags)

	return true
}

// WarnStatus warns that the service gives the request a status that is not known.
func (i *Invocation) WarnStatus() {
	if i.Report.UnknownStatus {
		WarnUnknownStatus(i.Diags, i.what())
	}
}

// what names the request in a sentence.
func (i *Invocation) what() string {
	return NameRequest("the "+i.Name, i.Submission.ID, i.person)
}
