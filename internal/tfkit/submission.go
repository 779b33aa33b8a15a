// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"context"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
)

// Keys of private state. KeySubmission holds the submission that the object stands for.
// KeyUnanswered holds one that an apply sent without learning the outcome; the next apply
// continues from it.
const (
	KeySubmission = "submission"
	KeyUnanswered = "unanswered"
)

type (
	// PrivateReader reads private state.
	PrivateReader interface {
		GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	}
	// PrivateWriter writes private state.
	PrivateWriter interface {
		SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
	}
)

// ReadSubmission returns the submission under a key of private state, or false if it holds
// none.
func ReadSubmission(ctx context.Context, private PrivateReader, key string) (deferred.Submission, bool) {
	text, _ := private.GetKey(ctx, key)
	return deferred.Decode(text)
}

// WriteSubmission stores a submission under a key of private state. The zero value removes
// it.
func WriteSubmission(ctx context.Context, private PrivateWriter, key string, s deferred.Submission) diag.Diagnostics {
	if s.State == deferred.Idle {
		return private.SetKey(ctx, key, nil)
	}

	text, err := s.Encode()
	if err != nil {
		var diags diag.Diagnostics
		Problem{Summary: "Internal error", Detail: "The state of a request cannot be written into private state."}.AddError(&diags)

		return diags
	}

	return private.SetKey(ctx, key, text)
}

// QuoteID returns the service's identifier of a request about a person for messages:
// quoted, cut, and without the person and anything that looks like one.
func QuoteID(id, person string) string {
	return strconv.Quote(client.ShownID(id, person))
}

// NameRequest returns how messages name a request about a person, such as a deletion. id is
// the service's identifier; empty if it gave none.
func NameRequest(what, id, person string) string {
	if id == "" {
		return what
	}
	return what + " (request " + QuoteID(id, person) + ")"
}

// WarnUnfinished warns that a request that was waited for is not fulfilled, and why. It is
// never an error: an error beside a saved state would make Terraform destroy the object and
// send the request again. what names the request, as NameRequest does.
func WarnUnfinished(diags *diag.Diagnostics, what string, s deferred.Submission, report deferred.Report) {
	if report.UnknownStatus {
		WarnUnknownStatus(diags, what)
	}
	if !s.State.IsOpen() {
		return
	}

	if report.Interrupted {
		Problem{
			Summary: "Interrupted while waiting",
			Detail:  "The service has accepted " + what + ", and the run ended before it was fulfilled.",
			InState: notFulfilled,
			Do:      adviceLater,
		}.AddWarning(diags)

		return
	}

	if report.Err != nil {
		warnUnwatched(diags, report.Err)
		return
	}

	if report.Unproven {
		WarnUnproven(diags, what)
		return
	}
	warnPending(diags, what, report.Gap)
}

// WarnUnproven warns of an accepted request of which nothing shows whether it was carried
// out. what names the request, such as "the deletion".
func WarnUnproven(diags *diag.Diagnostics, what string) { Unproven(what).AddWarning(diags) }

// Unproven returns the problem of WarnUnproven.
func Unproven(what string) Problem {
	problem := unproven(what)
	problem.InState = notFulfilled
	problem.Do = "ask the operator of the service about the request. Each refresh looks again, and nothing is sent."
	return problem
}

func unproven(what string) Problem {
	return Problem{
		Summary: "Accepted, and nothing shows that it was carried out",
		Detail:  "The service has accepted " + what + ". The list of pending requests has never shown it, and no effect of it can be seen, so that it may be carried out, pending or lost.",
	}
}

// adviceLater applies to a request that is pending.
const adviceLater = "apply again later: it looks for the same request, and sends nothing. A longer wait can be set in timeouts."

// notFulfilled is what is in state while a request is pending.
const notFulfilled = "the object with fulfilled = false"

// WarnUnknownStatus warns of a pending request whose status is not known. what names the
// request, such as "the deletion".
func WarnUnknownStatus(diags *diag.Diagnostics, what string) {
	Problem{
		Summary: "Unknown status of a pending request",
		Detail:  "The service gives " + what + " a status that this provider does not know. It is treated as pending, never as done. The data source analytics_pending_requests shows the status.",
		Do:      "if this status means that the request is over, name it in wire.ended_statuses in the provider block.",
	}.AddWarning(diags)
}

// WarnNotUnderstood warns of a request whose answer is not understood, if there is such an
// answer. what names the request, such as "the deletion".
func WarnNotUnderstood(diags *diag.Diagnostics, what string, report deferred.Report) {
	if report.NotUnderstood == "" {
		return
	}

	Problem{
		Summary: "Sent, and the answer is not understood",
		Detail:  "The service answered " + what + " with a status of success and " + report.NotUnderstood + ", which does not show that it accepted the request. It is never sent again. It counts as fulfilled only once the pending list or its effect shows that.",
		Do:      "look at analytics_pending_requests for it. If the answer is all data of the person, name a member that it has at its top in wire.all_data_member.",
	}.AddWarning(diags)
}

// warnUnwatched warns that a request was accepted, and that waiting for it failed.
func warnUnwatched(diags *diag.Diagnostics, err error) {
	problem := ProblemOf(err, notFulfilled+"; the request itself was accepted")
	problem.Detail = "Waiting for the request failed: " + problem.Summary + ".\n" + problem.Detail
	problem.Summary = "Accepted, and could not be watched"

	problem.AddWarning(diags)
}

// WarnUnchecked warns that a refresh could not look at a request that was accepted. It is not
// an error, which would block every plan of the workspace. what names the request, such as
// "the deletion".
func WarnUnchecked(diags *diag.Diagnostics, what string, err error) {
	problem := ProblemOf(err, notFulfilled+"; the request itself was accepted")
	problem.Detail = "A refresh could not look at " + what + ": " + problem.Summary + ".\n" + problem.Detail
	problem.Summary = "The request could not be checked"

	problem.AddWarning(diags)
}

// warnPending warns that a request was accepted and that the time for it is over. gap says
// what could not be read of the list of pending requests; empty for nothing.
func warnPending(diags *diag.Diagnostics, what, gap string) {
	Problem{
		Summary: "Accepted and still pending",
		Detail:  "The service has accepted " + what + " and has not fulfilled it within the time that timeouts allows." + describeGap(gap),
		InState: notFulfilled,
		Do:      adviceLater,
	}.AddWarning(diags)
}

// describeGap returns a sentence about what could not be read of the list of pending
// requests; empty for nothing.
func describeGap(gap string) string {
	if gap == "" {
		return ""
	}
	return " The list of pending requests could not be read as a whole: " + gap + "."
}

// Response is the part of the responses to Create, Read and Update that holds an object
// which stands for a deferred request.
type Response struct {
	State   *tfsdk.State
	Private PrivateWriter
	Diags   *diag.Diagnostics
}

// ResponseToCreate returns the part of a response to Create that holds the object.
func ResponseToCreate(resp *resource.CreateResponse) Response {
	return Response{State: &resp.State, Private: resp.Private, Diags: &resp.Diagnostics}
}

// ResponseToRead returns the part of a response to Read that holds the object.
func ResponseToRead(resp *resource.ReadResponse) Response {
	return Response{State: &resp.State, Private: resp.Private, Diags: &resp.Diagnostics}
}

// ResponseToUpdate returns the part of a response to Update that holds the object.
func ResponseToUpdate(resp *resource.UpdateResponse) Response {
	return Response{State: &resp.State, Private: resp.Private, Diags: &resp.Diagnostics}
}

// Restore puts back the object of a failed Update, and the submission that it stood for.
func (r Response) Restore(ctx context.Context, state tfsdk.State, s deferred.Submission) {
	r.State.Raw = state.Raw
	r.Diags.Append(WriteSubmission(ctx, r.Private, KeySubmission, s)...)
}

// Save writes a model into state, and the submission that it stands for into private state
// under KeySubmission.
func (r Response) Save(ctx context.Context, model any, s deferred.Submission) {
	r.Diags.Append(r.State.Set(ctx, model)...)
	r.Diags.Append(WriteSubmission(ctx, r.Private, KeySubmission, s)...)
}
