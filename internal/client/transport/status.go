// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"bytes"
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// meaning is what a status of an answer means for the request.
type meaning struct {
	class  ErrorClass
	detail string
}

// statuses are the meanings of statuses, and by their first digit those of all others. The
// interface documents none (section 7): they are read as HTTP defines them.
var statuses = map[int]meaning{
	http.StatusUnauthorized:                {class: ClassAuthentication},
	http.StatusProxyAuthRequired:           {class: ClassProxyAuth},
	http.StatusForbidden:                   {class: ClassForbidden},
	http.StatusNotFound:                    {class: ClassNotFound},
	http.StatusGone:                        {class: ClassNotFound},
	http.StatusMethodNotAllowed:            {class: ClassEndpointNotFound, detail: "there is no operation with this method at this path"},
	http.StatusNotAcceptable:               {class: ClassRejected, detail: wrongFormat},
	http.StatusUnsupportedMediaType:        {class: ClassRejected, detail: wrongFormat},
	http.StatusConflict:                    {class: ClassConflict},
	http.StatusPreconditionFailed:          {class: ClassConflict},
	http.StatusTooManyRequests:             {class: ClassRateLimited},
	http.StatusRequestEntityTooLarge:       {class: ClassRequestTooLarge},
	http.StatusRequestURITooLong:           {class: ClassRequestTooLarge, detail: tooLong},
	http.StatusRequestHeaderFieldsTooLarge: {class: ClassRequestTooLarge, detail: tooLong},
	http.StatusRequestTimeout:              {class: ClassServer},
	http.StatusTooEarly:                    {class: ClassTooEarly},

	http.StatusNotImplemented:                {class: ClassNotOffered, detail: "the service does not offer this operation"},
	http.StatusHTTPVersionNotSupported:       {class: ClassNotOffered, detail: "the service, or something in front of it, does not speak this version of HTTP"},
	http.StatusNetworkAuthenticationRequired: {class: ClassNotOffered, detail: "the network asks for a login before it lets requests through"},

	3: {class: ClassRedirect},
	5: {class: ClassServer},
}

const (
	wrongFormat = "the service does not accept the format of the request or of its answer; if all requests about people fail like this, " +
		"it may offer only the other path family (section 9 of the interface): org_id and project_id, or account_id"
	tooLong = "the address or the header of the request is longer than the service accepts; the part of it that can be shorter is identity_id"
)

// meaningOf returns the meaning of a status.
func meaningOf(status int) meaning {
	if means, ok := statuses[status]; ok {
		return means
	}
	return meaning{cmp.Or(statuses[status/100].class, ClassRejected), ""}
}

// refused returns the error of an answer without success, without the service's own words.
func (c *call) refused(a Answer, means meaning) *Error {
	e := NewError(a.Exchange, means.class, means.detail)
	e.RetryAfter = retryAfter(a.Response)
	if means.class == ClassAuthentication && c.renewal == renewed {
		e.limit = limitOf(a.Exchange, classRenewed)
	}

	return e
}

// statusError returns the error that an answer without success stands for. The body is searched
// for the service's own words.
func (c *call) statusError(a Answer) *Error {
	means, body := meaningOf(a.Status), c.body
	e := c.refused(a, means)
	e.Page = bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))

	said, err := jsonvalue.Parse(body)
	isObject := err == nil && said.Kind() == '{'

	switch {
	case e.Class == ClassRedirect:
		e.Detail = redirectDetail(a)
		return e
	case e.Class == ClassAuthentication && c.renewal == rejected:
		e.Detail = rejectedAgain
	case e.Class == ClassRequestTooLarge && means.detail == "":
		e.Detail = "the body of the request has " + strconv.Itoa(len(c.Body)) + " bytes, more than the service accepts"
		if c.Attribute != "" {
			e.Detail += "; it holds the value of " + c.Attribute
		}
	case e.Class == ClassNotFound && !isObject:
		e.Class = ClassEndpointNotFound
		e.Detail = "the answer is not a JSON object, so it may come from a gateway and does not prove that the record is gone"
	}

	if isObject {
		e.quote(said, a.Redact)
	} else if len(body) > 0 {
		e.Detail = strings.TrimPrefix(e.Detail+"; the answer is "+a.ShownType()+" that begins with "+strconv.Quote(a.Redact.excerpt(body)), "; ")
	}

	return e
}

// Refusal returns the error of an answer that says no although its status is one of success.
func Refusal(a Answer) *Error {
	e := NewError(a.Exchange, ClassRejected, "the answer has a status of success, but it holds an error, or a member such as success that is false")
	e.quote(a.JSON, a.Redact)

	return e
}

// redirectDetail says where a redirect leads, without the path and query of its target, which
// credentialsLink has cut off.
func redirectDetail(a Answer) string {
	target := "elsewhere"
	if to := a.Response.Header.Get("Location"); to != "" {
		target = "to " + a.Redact.Text(to, 110)
	}

	return "the service redirected the request " + target +
		", and redirects are never followed; compare base_url with the address of your service"
}
