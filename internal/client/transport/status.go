// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
)

// statusError returns the error that an answer without success stands for. The
// interface documents no status codes (section 7): they are read as HTTP defines them,
// and the body is searched for the service's own words.
func (k *Call) statusError(resp *http.Response, body []byte) *Error {
	said, isObject := readComplaint(body)

	e := k.Fail(ClassServer, resp.StatusCode, "")
	k.judgeStatus(e, resp, isObject)
	k.quote(e, said)
	e.RetryAfter = k.retryAfter
	e.Renewed = k.renewed
	e.Ambiguous = k.Op.Effect && e.Class == ClassServer && !staysFailed(resp.StatusCode) && !k.Op.repeatsAfter(resp.StatusCode)

	if !isObject && len(body) > 0 && e.Class != ClassRedirect {
		if e.Detail != "" {
			e.Detail += "; "
		}
		e.Detail += "the answer is " + k.MediaType(resp) + " that begins with " + strconv.Quote(k.Redact.excerpt(body))
	}

	return e
}

// quote puts the service's words into an error, harmless to print.
func (k *Call) quote(e *Error, said complaint) {
	e.Code = k.Redact.Text(said.code, 80)
	e.Message = k.Redact.Text(said.message, limitMessage)

	for _, f := range said.fields {
		e.Fields = append(e.Fields, FieldError{
			Field:   k.Redact.Text(f.Field, 60),
			Message: k.Redact.Text(f.Message, limitMessage),
		})
	}
}

// verdict is what a status means.
type verdict struct {
	class  ErrorClass
	detail string
}

// verdicts are the statuses that mean something else than their hundreds do.
var verdicts = map[int]verdict{
	http.StatusUnauthorized:      {class: ClassAuthentication},
	http.StatusProxyAuthRequired: {class: ClassProxyAuth},
	http.StatusForbidden:         {class: ClassForbidden},

	http.StatusNotFound:             {class: ClassNotFound},
	http.StatusGone:                 {class: ClassNotFound},
	http.StatusMethodNotAllowed:     {class: ClassEndpointNotFound, detail: "there is no operation with this method at this path"},
	http.StatusNotAcceptable:        {class: ClassRejected, detail: wrongFormat},
	http.StatusUnsupportedMediaType: {class: ClassRejected, detail: wrongFormat},

	http.StatusConflict:           {class: ClassConflict},
	http.StatusPreconditionFailed: {class: ClassConflict},
	http.StatusTooManyRequests:    {class: ClassRateLimited},

	http.StatusRequestEntityTooLarge:       {class: ClassRequestTooLarge},
	http.StatusRequestURITooLong:           {class: ClassRequestTooLarge},
	http.StatusRequestHeaderFieldsTooLarge: {class: ClassRequestTooLarge},

	http.StatusRequestTimeout: {class: ClassServer},
	http.StatusTooEarly:       {class: ClassServer},
}

const wrongFormat = "the format of the request or of its answer is not accepted; where all requests about people fail like this, " +
	"the service may offer the other path family only (section 9 of the interface): org_id and project_id, or account_id"

// lastingFailures are the statuses of class 5xx that another attempt meets again, and
// what they mean. The service has not carried out what it answers with one of them.
var lastingFailures = map[int]string{
	http.StatusNotImplemented:                "the service does not offer this operation",
	http.StatusHTTPVersionNotSupported:       "the service, or something in front of it, does not speak this version of HTTP",
	http.StatusVariantAlsoNegotiates:         "the service is misconfigured",
	http.StatusNotExtended:                   "the service asks for an extension of HTTP",
	http.StatusNetworkAuthenticationRequired: "the network asks for a login before it lets requests through",
}

func staysFailed(status int) bool { return lastingFailures[status] != "" }

func verdictOf(status int) verdict {
	if v, ok := verdicts[status]; ok {
		return v
	}

	switch status / 100 {
	case 3:
		return verdict{class: ClassRedirect}
	case 5:
		return verdict{class: ClassServer, detail: lastingFailures[status]}
	}

	return verdict{class: ClassRejected}
}

// judgeStatus sets the class of e, and what is known besides the status. isObject says
// whether the body is a JSON object.
func (k *Call) judgeStatus(e *Error, resp *http.Response, isObject bool) {
	v := verdictOf(resp.StatusCode)
	e.Class, e.Detail = v.class, v.detail

	switch e.Class {
	case ClassRedirect:
		e.Detail = k.redirectDetail(cmp.Or(k.location, resp.Header.Get("Location")))
	case ClassAuthentication:
		e.Detail = k.remark
	case ClassRequestTooLarge:
		k.judgeTooLarge(e)
	case ClassNotFound:
		if !isObject {
			e.Class = ClassEndpointNotFound
			e.Detail = "the answer is not the service's own (no JSON object), so it does not prove that the object is gone"
		}
	}
}

// judgeTooLarge names the attribute that makes the request large: the body's for 413,
// and the identifier in the address otherwise.
func (k *Call) judgeTooLarge(e *Error) {
	if e.Status != http.StatusRequestEntityTooLarge {
		e.Attribute = "identity_id"
		e.Detail = "the address or the header of the request is longer than the service accepts; what is variable in it is identity_id"
		return
	}

	e.Attribute = k.attribute
	e.Detail = "the body of the request has " + strconv.Itoa(k.size) + " bytes, more than the service accepts"
	if k.attribute != "" {
		e.Detail += "; it holds the value of " + k.attribute
	}
}

// redirectDetail says how the target of a redirect differs from base_url, without its path
// and query: they may repeat what was sent.
func (k *Call) redirectDetail(location string) string {
	to, err := url.Parse(location)
	from, fromErr := url.Parse("//" + k.host)

	target := "to another path of the same host"
	switch {
	case err != nil || location == "":
		target = "elsewhere"
	case to.Host == "":
	case fromErr != nil || from.Hostname() != to.Hostname():
		target = "to the host " + k.Redact.Text(to.Host, 100)
	case to.Scheme != "" && to.Scheme != k.scheme:
		target = "to the same host over " + k.Redact.Text(to.Scheme, 10) + ", " + k.Redact.Text(to.Host, 100)
	default:
		target += ", " + k.Redact.Text(to.Host, 100)
	}

	return "the service sent the request " + target +
		", and redirects are never followed; compare base_url with the address that your service has"
}
