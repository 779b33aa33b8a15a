// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Problem is a diagnostic in the form that all of them share: what happened, what is in
// state now, and what to do. It must not hold secrets or personal data.
type Problem struct {
	Summary string    // a headline of at most 60 characters, without a full stop
	Detail  string    // what happened, in whole sentences
	InState string    // completes "In state now: …", without its full stop; empty if the state does not matter
	Do      string    // completes "What to do: …", with its full stop; empty for nothing
	At      path.Path // the attribute that the problem is about; empty for none
}

// AddError reports the problem as an error.
func (p Problem) AddError(diags *diag.Diagnostics) { p.add(diags, diag.SeverityError) }

// AddWarning reports the problem as a warning.
func (p Problem) AddWarning(diags *diag.Diagnostics) { p.add(diags, diag.SeverityWarning) }

func (p Problem) add(diags *diag.Diagnostics, severity diag.Severity) {
	var more []string
	if p.InState != "" {
		more = append(more, "In state now: "+p.InState+".")
	}
	if p.Do != "" {
		more = append(more, "What to do: "+p.Do)
	}
	detail := strings.TrimSpace(p.Detail + "\n\n" + strings.Join(more, "\n"))

	var d diag.Diagnostic = diag.NewErrorDiagnostic(p.Summary, detail)
	if severity == diag.SeverityWarning {
		d = diag.NewWarningDiagnostic(p.Summary, detail)
	}
	if len(p.At.Steps()) > 0 { // with an empty path, Terraform does not show where the object is configured
		d = diag.WithPath(p.At, d)
	}
	diags.Append(d)
}

// What is in state when an operation has failed.
const (
	NothingSaved = "nothing: Terraform has not recorded this resource"
	PriorKept    = "this resource as it was before; nothing of it was changed or removed"
	NotInState   = "nothing; this was only read"
)

// ProblemOf returns the problem of an error of the client, at the first of attributes that the service
// names. The text of any other error is left out, since it may hold a URL.
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
	for _, f := range slices.Backward(e.Fields) {
		for _, attribute := range attributes {
			if jsonvalue.Fold(attribute) == jsonvalue.Fold(f.Field) { // clause1Consent too
				p.At = path.Root(attribute)
			}
		}
	}

	return p
}

// What to do in several situations.
const (
	// AdviceApplyAgain applies where the service may hold something else than Terraform knows.
	AdviceApplyAgain = "apply again: the plan reads what the service holds now, and only what is missing is written."

	adviceSlower   = "wait, then run again; lower max_concurrency or set requests_per_second in the provider block."
	adviceOperator = "run again later. If the failure persists, tell the operator of the service the operation and the time."
	adviceQueued   = "look at analytics_pending_requests before you run again. The next run takes over an equal request that is pending by then. If the request was already carried out, it sends another one."
	adviceNobody   = "if other people can be read, set wire.absent to the answers that mean that there is nothing about a person; the message shows the value. If nobody can, check base_url (without /v1), whether the other path family is right for this service, and whether it offers the early preview."
	adviceConsent  = "add the setting that the message names, if it names one. The provider reads an object with clause_1_consent to clause_5_consent, alone or in other objects; wire.consent.at points to it where there are several."
)

// Advice returns what to do about a failure: one or more sentences that begin in lower case.
func Advice(e *transport.Error) string {
	if isUnsent := e.Status == 0; isUnsent && e.Class == transport.ClassConflict { // another request prevents it
		return "run again once the other request is carried out; analytics_pending_requests shows it."
	}

	return cmp.Or(advices[failure{e.Class, e.Operation}], advices[failure{class: e.Class}], adviceOperator)
}

// failure is a class of failure, of one operation or of every other one.
type failure struct {
	class     transport.ErrorClass
	operation string
}

var advices = map[failure]string{
	{class: transport.ClassInternal}:         "report this to the maintainers of the provider.",
	{class: transport.ClassInvalid}:          "correct the value.",
	{class: transport.ClassReadOnly}:         "if writing is intended, remove read_only from the provider block, or ANALYTICS_READ_ONLY from the environment.",
	{class: transport.ClassCancelled}:        "run again; repeating the operation does no harm.",
	{class: transport.ClassUnreachable}:      "check base_url, the network and proxy settings, then run again.",
	{class: transport.ClassTimeout}:          "run again. If the service is known to be slow, raise request_timeout.",
	{class: transport.ClassConnectionLost}:   "run again. If it happens again, look for a proxy or load balancer that cuts connections.",
	{class: transport.ClassTLS}:              "check that base_url names the right host. If the service uses a private certificate authority, set ca_cert_file.",
	{class: transport.ClassProxyAuth}:        "put the proxy's user and password into HTTPS_PROXY, or exclude the service with NO_PROXY.",
	{class: transport.ClassRedirect}:         "set base_url to the final address of the service; a redirect can lose a write or leak credentials.",
	{class: transport.ClassLoginAnswer}:      "check base_url. The provider reads a JSON Web Token from the member token of an object, at the top or where wire.envelope points to. If your service answers with another one, configure token or api_secret_key in place of email and password.",
	{class: transport.ClassAuthentication}:   "check the credentials of the provider block (email and password, token, or api_secret_key). A JWT is valid for one hour; a configured token is not renewed by the provider: obtain a new one.",
	{class: transport.ClassForbidden}:        "ask an administrator of the project for the role that allows this operation; the credentials themselves were accepted.",
	{class: transport.ClassNotFound}:         "check identity_id and the scope (org_id and project_id, or account_id).",
	{class: transport.ClassRejected}:         "correct what the service names, or ask its operator what the request lacks.",
	{class: transport.ClassConflict}:         AdviceApplyAgain,
	{class: transport.ClassUnknownOutcome}:   AdviceApplyAgain,
	{class: transport.ClassRateLimited}:      adviceSlower,
	{class: transport.ClassOutdated}:         adviceSlower,
	{class: transport.ClassNotJSON}:          "check base_url; a login portal, a proxy or a maintenance page may have answered in place of the service.",
	{class: transport.ClassEmpty}:            "run again. If the failure persists, the service or a proxy in front of it drops the body.",
	{class: transport.ClassTruncated}:        "run again. If the failure persists, look for a proxy that cuts answers short.",
	{class: transport.ClassPayload}:          "if the message names a setting, and what it says is right for your service, add the setting to the provider block. The command doctor of the provider finds out which settings a service needs. Otherwise report the message to the operator of the service.",
	{class: transport.ClassNotReady}:         "run again later; for an export, once the day is over and the service has prepared it.",
	{class: transport.ClassCached}:           "exclude the paths of the service from the cache or proxy in front of it, and run again.",
	{class: transport.ClassRequestTooLarge}:  "make the value of that attribute smaller, or ask the operator of the service for its limit.",
	{class: transport.ClassEndpointNotFound}: "check base_url (without /v1), and whether the other path family is right for this service: org_id and project_id, or account_id.",

	{transport.ClassPayload, "Get consent"}:      adviceConsent,
	{transport.ClassPayload, "Update consent"}:   adviceConsent,
	{transport.ClassPayload, "Get current user"}: "check base_url. The answer must be a JSON object without an error. The rest of the provider does not need it.",
	{transport.ClassPayload, "Get user profile"}: "set wire.profile.at to a pointer to the profile, an object. The message shows the value where it can be found.",

	{transport.ClassRejected, "Log in"}:         "correct email and password. If they are right, compare wire.login.parameters_in with what your service expects.",
	{transport.ClassRejected, "Update consent"}: "correct what the service names. If it names nothing, or misses a clause, which is always sent, compare wire.consent.parameters_in and wire.consent.time_format with what your service expects.",
	{transport.ClassRejected, "Export records"}: "correct what the service names. A parameter that it wants may select the kind of records: wire.export.kind_parameter names it, and wire.export.kind_values has its values.",

	{transport.ClassUnknownOutcome, "Delete all data of a user"}: adviceQueued,
	{transport.ClassUnknownOutcome, "Get all data of a user"}:    adviceQueued,
	{transport.ClassUnknownOutcome, "Update user profile"}:       "run again: the provider reads what the profile has first, and writes only what is missing.",

	{transport.ClassEndpointNotFound, "Get consent"}:      adviceNobody,
	{transport.ClassEndpointNotFound, "Get user profile"}: adviceNobody,
	{transport.ClassEmpty, "Get consent"}:                 adviceNobody,
	{transport.ClassEmpty, "Get user profile"}:            adviceNobody,
}
