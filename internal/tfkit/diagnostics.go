// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"errors"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred"
)

// Problem is a diagnostic in the form that all of them share: what happened, what is in
// state now, and what to do. It must not hold secrets or personal data.
type Problem struct {
	// Summary is a headline of at most 60 characters, without a full stop.
	Summary string
	// Detail says what happened, in whole sentences.
	Detail string
	// InState completes the sentence "In state now: …", without its full stop; empty if
	// the state does not matter.
	InState string
	// Do completes the sentence "What to do: …", with its full stop; empty for nothing.
	Do string
	// At is the attribute that the problem is about; empty for none.
	At path.Path
}

// AddError reports the problem as an error.
func (p Problem) AddError(diags *diag.Diagnostics) {
	p.add(diags, diag.NewErrorDiagnostic(p.Summary, p.text()))
}

// AddWarning reports the problem as a warning.
func (p Problem) AddWarning(diags *diag.Diagnostics) {
	p.add(diags, diag.NewWarningDiagnostic(p.Summary, p.text()))
}

// add adds a diagnostic. With a path that is empty, Terraform would not show where the object is
// configured.
func (p Problem) add(diags *diag.Diagnostics, d diag.Diagnostic) {
	if len(p.At.Steps()) > 0 {
		d = diag.WithPath(p.At, d)
	}
	diags.Append(d)
}

// text returns the detail, followed by a paragraph with the state and what to do, if given.
func (p Problem) text() string {
	text := p.Detail
	if p.InState != "" || p.Do != "" {
		text += "\n"
	}

	if p.InState != "" {
		text += "\nIn state now: " + p.InState + "."
	}
	if p.Do != "" {
		text += "\nWhat to do: " + p.Do
	}

	return text
}

// What is in state when an operation has failed.
const (
	NothingSaved = "nothing: Terraform has not recorded this resource"
	PriorKept    = "this resource as it was before; nothing of it was changed or removed"
	NotInState   = "nothing; this was only read"
)

// ProblemOf returns the problem that an error of the client is to the user, at the first of
// attributes that the service names. The text of any other error is left out, since it may hold a
// URL.
func ProblemOf(err error, inState string, attributes ...string) Problem {
	e, ok := errors.AsType[*transport.Error](err)
	if !ok {
		return Problem{
			Summary: "Internal error",
			Detail:  "The provider failed, and does not know why. Please report this to its maintainers.",
			InState: inState,
		}
	}

	p := Problem{Summary: e.Title(), Detail: e.Describe(), InState: inState, Do: Advice(e)}
	isAttribute := func(f transport.FieldError) bool { return slices.Contains(attributes, f.Field) }
	if i := slices.IndexFunc(e.Fields, isAttribute); i >= 0 {
		p.At = path.Root(e.Fields[i].Field)
	}

	return p
}

var advices = map[transport.ErrorClass]string{
	transport.ClassInternal:         "report this to the maintainers of the provider.",
	transport.ClassInvalid:          "correct the value.",
	transport.ClassReadOnly:         "if writing is intended, remove read_only from the provider block, or ANALYTICS_READ_ONLY from the environment.",
	transport.ClassCancelled:        "run again; repeating the operation does no harm.",
	transport.ClassUnreachable:      "check base_url, the network and proxy settings, then run again.",
	transport.ClassTimeout:          "run again. If the service is known to be slow, raise request_timeout.",
	transport.ClassConnectionLost:   "run again. If it happens again, look for a proxy or load balancer that cuts connections.",
	transport.ClassTLS:              "check that base_url names the right host. If the service uses a private certificate authority, set ca_cert_file.",
	transport.ClassProxyAuth:        "put the proxy's user and password into HTTPS_PROXY, or exclude the service with NO_PROXY.",
	transport.ClassRedirect:         "set base_url to the final address of the service: redirects are never followed, because they can lose a write or carry credentials elsewhere.",
	transport.ClassLoginAnswer:      "check base_url. The provider reads a JSON Web Token from the member token of an object, and no setting reads another form. If your service answers with another one, configure token or api_secret_key in place of email and password.",
	transport.ClassAuthentication:   "check the credentials of the provider block (email and password, token, or api_secret_key). A JWT is valid for one hour; a configured token is not renewed by the provider: obtain a new one.",
	transport.ClassForbidden:        "ask an administrator of the project for the role that allows this operation; the credentials themselves were accepted.",
	transport.ClassNotFound:         "check identity_id and the scope (org_id and project_id, or account_id).",
	transport.ClassRejected:         "correct what the service names. If it names nothing, compare wire.login_parameters_in, wire.consent_parameters_in and wire.agreement_time_format with what your service expects.",
	transport.ClassConflict:         AdviceApplyAgain,
	transport.ClassRateLimited:      "wait, then run again; lower max_concurrency or set requests_per_second in the provider block.",
	transport.ClassServer:           "run again later. If the failure persists, tell the operator of the service the operation and the time.",
	transport.ClassNotJSON:          "check base_url; a login portal, a proxy or a maintenance page may have answered in place of the service.",
	transport.ClassEmpty:            "run again. If the failure persists, the service or a proxy in front of it drops the body.",
	transport.ClassTruncated:        "run again. If the failure persists, look for a proxy that cuts answers short.",
	transport.ClassTooLarge:         "ask the operator of the service why this answer is so large.",
	transport.ClassPayload:          "if the message names a setting, and what it says is right for your service, add the setting to the provider block. The command doctor of the provider finds out which settings a service needs. Otherwise report the message to the operator of the service.",
	transport.ClassNotReady:         "run again later; for an export, once the day is over and the service has prepared it.",
	transport.ClassUnknownOutcome:   AdviceApplyAgain,
	transport.ClassRequestTooLarge:  "make the value of that attribute smaller, or ask the operator of the service for its limit.",
	transport.ClassEndpointNotFound: "check base_url (without /v1), and whether the other path family is right for this service: org_id and project_id, or account_id.",
}

// Advice returns what to do about a failure: one or more sentences that begin in lower case.
func Advice(e *transport.Error) string {
	own, found := adviceByOperation[e.Operation]
	switch {
	case e.Class == transport.ClassUnknownOutcome && e.Queued:
		return adviceQueued
	case e.Class == transport.ClassConflict && e.Status == 0: // nothing was sent
		return adviceConflict
	case e.Class == transport.ClassPayload && found:
		return own
	}

	return advices[e.Class]
}

// What to do in situations that the class of a failure does not tell, or that several share.
const (
	// AdviceApplyAgain applies where the service may hold something else than Terraform knows.
	AdviceApplyAgain = "apply again: the plan reads what the service holds now, and only what is missing is written."
	// AdviceLater applies to an object whose request is pending.
	AdviceLater = "apply again later: it looks for the same request, and sends nothing. A longer wait can be set in timeouts."
	// AdviceEachRefresh applies to an object of whose request nothing shows that it was carried out.
	AdviceEachRefresh = "ask the operator of the service about the request. Each refresh looks again, and nothing is sent."
	// adviceConflict applies to a request that another one prevents.
	adviceConflict = "run again once the other request is carried out; analytics_pending_requests shows it."
	// adviceQueued applies to a request that may be in the service's queue: reading shows less
	// of a request than of a value.
	adviceQueued = "look at analytics_pending_requests before you apply again. The next apply takes over a request that is pending by then. If the request was already carried out, it sends another one."
	// adviceConsent applies to an answer that no setting admits.
	adviceConsent = "compare the answer with what the provider reads: an object with clause_1_consent to clause_5_consent, alone or in other objects. No setting reads another form; report yours to the maintainers of the provider, with the message."
)

// adviceByOperation apply to answers that are not recognised, by operation: those that no
// setting admits, or only one.
var adviceByOperation = map[string]string{
	"Get consent":      adviceConsent,
	"Update consent":   adviceConsent,
	"Get current user": "check base_url. The answer must be a JSON object without an error, and no setting reads another form. The rest of the provider does not need it.",
	"Get user profile": "set wire.profile_member if the profile is in a member of the answer. The answer must be a JSON object, and no other setting reads another form.",
}

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
	return "the " + r.Name + " (request " + QuoteID(r.Submission.ID, r.Request.Identity) + ")"
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
			Do:      "if this status means that the request is over, name it in wire.ended_statuses in the provider block.",
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
