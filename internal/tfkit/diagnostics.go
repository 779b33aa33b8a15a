package tfkit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// What is in state when an operation has failed.
const (
	NothingSaved = "nothing; this object was not created as far as Terraform knows"
	PriorKept    = "this object as it was before; nothing of it was changed or removed"
	NotInState   = "a data source has no state of its own; nothing was changed"
)

// AddError turns an error of the client into a diagnostic: what happened, what is
// in state now, what to do next. inState completes the sentence "In state now: …".
// Errors about a field go to the attribute of that name where there is one.
func AddError(diags *diag.Diagnostics, err error, inState string, attributes ...string) {
	var e *client.Error
	if !errors.As(err, &e) {
		diags.AddError("Internal error", "The provider failed in a way that it does not explain; please report this to its maintainers.\n\nIn state now: "+inState+".")
		return
	}
	detail := Describe(e) + "\n\nIn state now: " + inState + ".\nWhat to do: " + Advice(e)
	mapped := false
	if slices.Contains(attributes, e.Attribute) {
		mapped = true
		diags.AddAttributeError(path.Root(e.Attribute), e.Title(), detail)
	}
	for _, f := range e.Fields {
		if slices.Contains(attributes, f.Field) {
			mapped = true
			diags.AddAttributeError(path.Root(f.Field), e.Title(),
				"The service says of this attribute: "+strconv.Quote(f.Message)+".\n\n"+detail)
		}
	}
	if !mapped {
		diags.AddError(e.Title(), detail)
	}
}

// Describe returns what is known of a failure, one fact on each line: operation, status,
// the words of the service, attempts.
func Describe(e *client.Error) string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if e.Detail != "" {
		add("%s.", upperFirst(e.Detail))
	}
	if e.Operation != "" {
		add("Operation: %s", strings.TrimSpace(e.Operation+": "+e.Method+" "+e.Template))
	}
	if e.Status != 0 {
		add("HTTP status: %d", e.Status)
	}
	if e.Code != "" && e.Class != client.ClassNotJSON {
		add("Code of the service: %s", strconv.Quote(e.Code))
	}
	if e.Message != "" {
		add("The service says: %s", strconv.Quote(e.Message))
	}
	for _, f := range e.Fields {
		add("About the field %s: %s", strconv.Quote(f.Field), strconv.Quote(f.Message))
	}
	if e.RetryAfter > 0 {
		add("The service last asked to wait: %s", e.RetryAfter)
	}
	if e.Attempts > 0 {
		add("Attempts: %d", e.Attempts)
	}
	if e.Ambiguous {
		add("The service may have carried the request out all the same.")
	}
	return strings.Join(lines, "\n")
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

var advices = map[client.ErrorClass]string{
	client.ClassInternal:         "report this to the maintainers of the provider.",
	client.ClassInvalid:          "correct the value.",
	client.ClassReadOnly:         "remove read_only from the provider block (or ANALYTICS_READ_ONLY from the environment) where writing is intended.",
	client.ClassCancelled:        "run again; repeating the same operation does no harm.",
	client.ClassUnreachable:      "check base_url, the network and proxy settings, then run again.",
	client.ClassTimeout:          "run again; raise request_timeout where the service is known to be slow.",
	client.ClassConnectionLost:   "run again; where it happens again, look for a proxy or load balancer that cuts connections.",
	client.ClassTLS:              "check that base_url names the right host, and set ca_cert_file where the service uses a private authority.",
	client.ClassProxyAuth:        "put the proxy's user and password into HTTPS_PROXY, or exclude the service with NO_PROXY.",
	client.ClassRedirect:         "set base_url to the final address of the service: redirects are never followed, because they can lose a write or carry credentials elsewhere.",
	client.ClassLoginAnswer:      "check base_url and wire.login_parameters_in; an answer to a login holds a field token with a JSON Web Token.",
	client.ClassAuthentication:   "check the credentials of the provider block (email and password, token, or api_secret_key). A JWT is valid for one hour; a token that was given has to be renewed by whoever gave it.",
	client.ClassForbidden:        "ask an administrator of the project for the role that allows this operation; the credentials themselves were accepted.",
	client.ClassNotFound:         "check identity_id and the scope (org_id and project_id, or account_id).",
	client.ClassRejected:         "correct what the service names; where it names nothing, compare wire.login_parameters_in, wire.consent_parameters_in and wire.agreement_time_format with what your service expects.",
	client.ClassConflict:         "run plan again to see the service's present values, then decide.",
	client.ClassRateLimited:      "wait, then run again; lower max_concurrency or set requests_per_second in the provider block.",
	client.ClassServer:           "run again later; where it stays, show the operation and the time to the operator of the service.",
	client.ClassNotJSON:          "check base_url; a login portal, a proxy or a maintenance page may have answered in the place of the service.",
	client.ClassEmpty:            "run again; where it stays, the service or something before it drops the body.",
	client.ClassTruncated:        "run again; where it stays, look for a proxy that cuts answers short.",
	client.ClassTooLarge:         "ask the operator of the service why this answer is so large.",
	client.ClassPayload:          "compare the version of the provider with that of the service; the field that is named has another form than expected.",
	client.ClassNotReady:         "run again later; for an export, once the day is over and the service has prepared it.",
	client.ClassUnknownOutcome:   "run plan: it reads what the service holds now, and the next apply writes only what is missing.",
	client.ClassRequestTooLarge:  "make the value of that attribute smaller, or ask the operator of the service for its limit.",
	client.ClassEndpointNotFound: "check base_url (without /v1), and whether the other path family is right for this service: org_id and project_id, or account_id.",
}

// Advice returns what to do about a failure, by its class.
func Advice(e *client.Error) string {
	if e.Class == client.ClassUnknownOutcome && e.Queued {
		return adviceQueued
	}
	return advices[e.Class]
}

// adviceQueued is for a request that may be in the service's queue: reading shows less
// of it than of a value.
const adviceQueued = "look at analytics_pending_requests before you apply again. The next apply takes over what is pending by then; where the request was carried out already, it sends another one."
