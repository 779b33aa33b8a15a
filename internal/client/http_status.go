package client

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// statusError returns the error that an answer without success stands for. The
// interface documents no status codes (section 7): they are read as HTTP defines them,
// and the body is searched for the service's own words.
func (k *call) statusError(resp *http.Response, body []byte) *Error {
	e := k.fail(ClassServer, resp.StatusCode, "")
	said, isObject := readComplaint(body)
	k.quote(e, said)
	k.judgeStatus(e, resp, isObject)
	e.RetryAfter = k.retryAfter
	e.Ambiguous = k.op.effect && e.Class == ClassServer && !staysFailed(resp.StatusCode)

	if !isObject && len(body) > 0 && e.Class != ClassRedirect {
		e.Detail = joinSentences(e.Detail, "the answer is "+k.mediaType(resp)+" that begins with "+strconv.Quote(k.redact.excerpt(body)))
	}
	return e
}

// quote puts the service's words into an error, harmless to print.
func (k *call) quote(e *Error, said complaint) {
	e.Code = k.redact.text(said.code, 80)
	e.Message = k.redact.text(said.message, limitMessage)
	for _, f := range said.fields {
		e.Fields = append(e.Fields, FieldError{Field: k.redact.text(f.Field, 60), Message: k.redact.text(f.Message, limitMessage)})
	}
}

func joinSentences(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// judgeStatus sets the kind of e and what is known besides the status.
func (k *call) judgeStatus(e *Error, resp *http.Response, isObject bool) {
	if resp.StatusCode/100 == 3 {
		e.Class, e.Detail = ClassRedirect, k.redirectDetail(cmp.Or(k.location, resp.Header.Get("Location")))
		return
	}

	switch resp.StatusCode {
	case http.StatusUnauthorized:
		e.Class, e.Detail = ClassAuthentication, k.remark
	case http.StatusProxyAuthRequired:
		e.Class = ClassProxyAuth
	case http.StatusForbidden:
		e.Class = ClassForbidden
	case http.StatusNotFound, http.StatusGone:
		k.judgeMissing(e, isObject)
	case http.StatusMethodNotAllowed:
		e.Class, e.Detail, e.Hint = ClassEndpointNotFound, "there is no operation with the method "+k.op.method+" at this path", k.familyHint()
	case http.StatusNotAcceptable, http.StatusUnsupportedMediaType:
		e.Class, e.Detail, e.Hint = ClassRejected, "the format of the request or of its answer is not accepted", k.familyHint()
	case http.StatusConflict, http.StatusPreconditionFailed:
		e.Class = ClassConflict
	case http.StatusTooManyRequests:
		e.Class = ClassRateLimited
	case http.StatusRequestEntityTooLarge, http.StatusRequestURITooLong, http.StatusRequestHeaderFieldsTooLarge:
		k.judgeTooLarge(e)
	case http.StatusRequestTimeout, http.StatusTooEarly:
		e.Class = ClassServer
	default:
		if resp.StatusCode/100 != 5 {
			e.Class = ClassRejected
			return
		}
		e.Class, e.Detail = ClassServer, lastingFailures[resp.StatusCode]
	}
}

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

func (k *call) judgeMissing(e *Error, isObject bool) {
	e.Class, e.Hint = ClassNotFound, k.familyHint()
	if !isObject {
		e.Class = ClassEndpointNotFound
		e.Detail = "the answer is not the service's own (no JSON object), so it does not prove that the object is gone"
	}
}

// judgeTooLarge names the attribute that makes the request large: the body's for 413,
// and the identifier in the address otherwise.
func (k *call) judgeTooLarge(e *Error) {
	e.Class = ClassRequestTooLarge
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

// familyHint says how to use the other path family (section 9); empty where the
// endpoint has none.
func (k *call) familyHint() string {
	if !strings.Contains(k.endpoint.template, "/compliance/") {
		return ""
	}

	other := "account_id instead of org_id and project_id"
	if strings.HasPrefix(k.endpoint.template, accountFamily) {
		other = "org_id and project_id instead of account_id"
	}
	return "Where all requests about people fail like this, your service may offer the other path family only: set " + other + "."
}

// redirectDetail says where a redirect points to, without its path and query: they
// may repeat what was sent.
func (k *call) redirectDetail(header string) string {
	return "the service sent the request " + k.redact.clean(k.redirectTarget(header)) +
		", and redirects are never followed; compare base_url with the address that your service has"
}

func (k *call) redirectTarget(header string) string {
	to, err := url.Parse(header)
	if err != nil || header == "" {
		return "elsewhere"
	}
	if to.Host == "" {
		return "to another path of the same host"
	}

	from, err := url.Parse("//" + k.host)
	if err != nil || from.Hostname() != to.Hostname() {
		return "to the host " + hostOf(to)
	}
	if to.Scheme != "" && to.Scheme != k.scheme {
		return "to the same host over " + escapeText(to.Scheme, 10) + ", " + hostOf(to)
	}
	return "to another path of the same host, " + hostOf(to)
}
