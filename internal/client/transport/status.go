// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"net/http"
	"net/url"
	"strconv"
)

// statusError returns the error that an answer without success stands for. The
// interface documents no status codes (section 7): they are read as HTTP defines them,
// and the body is searched for the service's own words.
func (k *Call) statusError(resp *http.Response, body []byte) *Error {
	said, isObject := readComplaint(body)
	class := classOf(resp.StatusCode)

	e := k.Fail(class, resp.StatusCode, statusDetails[resp.StatusCode])
	k.quote(e, said)
	e.RetryAfter, _ = askedToWait(resp)
	e.Renewed = k.renewed
	e.Cached, e.Date = freshness(resp)
	e.Ambiguous = k.Op.Effect && class == ClassServer && !staysFailed(e.Status) && !k.Op.repeatsAfter(e.Status)

	k.explain(e, resp, isObject)
	if !isObject && len(body) > 0 && class != ClassRedirect {
		if e.Detail != "" {
			e.Detail += "; "
		}
		e.Detail += "the answer is " + k.MediaType(resp) + " that begins with " + strconv.Quote(k.Redact.excerpt(body))
	}

	return e
}

// explain says in e what is known besides its class, which may change the class. isObject says
// whether the answer is a JSON object.
func (k *Call) explain(e *Error, resp *http.Response, isObject bool) {
	switch class := e.Class; {
	case class == ClassRedirect:
		e.Detail = k.redirectDetail(resp.Header.Get("Location"))
	case class == ClassAuthentication:
		e.Detail = k.remark
	case e.Status == http.StatusRequestEntityTooLarge:
		e.Attribute = k.Attribute
		e.Detail = "the body of the request has " + strconv.Itoa(len(k.Body)) + " bytes, more than the service accepts"
		if k.Attribute != "" {
			e.Detail += "; it holds the value of " + k.Attribute
		}
	case class == ClassRequestTooLarge:
		e.Attribute = "identity_id"
		e.Detail = "the address or the header of the request is longer than the service accepts; what is variable in it is identity_id"
	case class == ClassNotFound && !isObject:
		e.Class = ClassEndpointNotFound
		e.Detail = "the answer is not a JSON object, so it may come from a gateway and does not prove that the record is gone"
	}
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

// classOf returns what a status without success means.
func classOf(status int) ErrorClass {
	if class, ok := statusClasses[status]; ok {
		return class
	}

	switch status / 100 {
	case 3:
		return ClassRedirect
	case 5:
		return ClassServer
	}

	return ClassRejected
}

// statusClasses are the statuses that mean something else than their hundreds do.
var statusClasses = map[int]ErrorClass{
	http.StatusUnauthorized:                ClassAuthentication,
	http.StatusProxyAuthRequired:           ClassProxyAuth,
	http.StatusForbidden:                   ClassForbidden,
	http.StatusNotFound:                    ClassNotFound,
	http.StatusGone:                        ClassNotFound,
	http.StatusMethodNotAllowed:            ClassEndpointNotFound,
	http.StatusConflict:                    ClassConflict,
	http.StatusPreconditionFailed:          ClassConflict,
	http.StatusTooManyRequests:             ClassRateLimited,
	http.StatusRequestEntityTooLarge:       ClassRequestTooLarge,
	http.StatusRequestURITooLong:           ClassRequestTooLarge,
	http.StatusRequestHeaderFieldsTooLarge: ClassRequestTooLarge,
	http.StatusRequestTimeout:              ClassServer,
	http.StatusTooEarly:                    ClassServer,
}

const wrongFormat = "the format of the request or of its answer is not accepted; where all requests about people fail like this, " +
	"the service may offer the other path family only (section 9 of the interface): org_id and project_id, or account_id"

// statusDetails say what a status means. Those of class 5xx that are here, another attempt meets
// again; the service has not carried out what it answers with one of them.
var statusDetails = map[int]string{
	http.StatusMethodNotAllowed:              "there is no operation with this method at this path",
	http.StatusNotAcceptable:                 wrongFormat,
	http.StatusUnsupportedMediaType:          wrongFormat,
	http.StatusNotImplemented:                "the service does not offer this operation",
	http.StatusHTTPVersionNotSupported:       "the service, or something in front of it, does not speak this version of HTTP",
	http.StatusVariantAlsoNegotiates:         "the service is misconfigured",
	http.StatusNotExtended:                   "the service asks for an extension of HTTP",
	http.StatusNetworkAuthenticationRequired: "the network asks for a login before it lets requests through",
}

func staysFailed(status int) bool { return status/100 == 5 && statusDetails[status] != "" }

// redirectDetail says how the target of a redirect differs from base_url, without its path
// and query: they may repeat what was sent.
func (k *Call) redirectDetail(location string) string {
	to, err := url.Parse(location)
	from, fromErr := url.Parse("//" + k.sender.host)

	target := "to another path of the same host"
	switch {
	case err != nil || location == "":
		target = "elsewhere"
	case to.Host == "":
	case fromErr != nil || from.Hostname() != to.Hostname():
		target = "to the host " + k.Redact.Text(to.Host, 100)
	case to.Scheme != "" && to.Scheme != k.sender.cfg.Base.Scheme:
		target = "to the same host over " + k.Redact.Text(to.Scheme, 10) + ", " + k.Redact.Text(to.Host, 100)
	default:
		target += ", " + k.Redact.Text(to.Host, 100)
	}

	return "the service sent the request " + target +
		", and redirects are never followed; compare base_url with the address that your service has"
}
