// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// statuses are what statuses mean that mean something else than their hundreds do, or about
// which there is something to say. The interface documents none (section 7): they are read as
// HTTP defines them. Those of class 5xx that are here, another attempt meets again; the service
// has not carried out what it answers with one of them.
var statuses = map[int]struct {
	class  ErrorClass
	detail string
}{
	http.StatusUnauthorized:                {ClassAuthentication, ""},
	http.StatusProxyAuthRequired:           {ClassProxyAuth, ""},
	http.StatusForbidden:                   {ClassForbidden, ""},
	http.StatusNotFound:                    {ClassNotFound, ""},
	http.StatusGone:                        {ClassNotFound, ""},
	http.StatusMethodNotAllowed:            {ClassEndpointNotFound, "there is no operation with this method at this path"},
	http.StatusNotAcceptable:               {ClassRejected, wrongFormat},
	http.StatusUnsupportedMediaType:        {ClassRejected, wrongFormat},
	http.StatusConflict:                    {ClassConflict, ""},
	http.StatusPreconditionFailed:          {ClassConflict, ""},
	http.StatusTooManyRequests:             {ClassRateLimited, ""},
	http.StatusRequestEntityTooLarge:       {ClassRequestTooLarge, ""},
	http.StatusRequestURITooLong:           {ClassRequestTooLarge, ""},
	http.StatusRequestHeaderFieldsTooLarge: {ClassRequestTooLarge, ""},
	http.StatusRequestTimeout:              {ClassServer, ""},
	http.StatusTooEarly:                    {ClassServer, ""},

	http.StatusNotImplemented:                {ClassServer, "the service does not offer this operation"},
	http.StatusHTTPVersionNotSupported:       {ClassServer, "the service, or something in front of it, does not speak this version of HTTP"},
	http.StatusVariantAlsoNegotiates:         {ClassServer, "the service is misconfigured"},
	http.StatusNotExtended:                   {ClassServer, "the service asks for an extension of HTTP"},
	http.StatusNetworkAuthenticationRequired: {ClassServer, "the network asks for a login before it lets requests through"},
}

const wrongFormat = "the service does not accept the format of the request or of its answer; if all requests about people fail like this, " +
	"it may offer only the other path family (section 9 of the interface): org_id and project_id, or account_id"

// staysFailed reports whether a status of class 5xx is one that another attempt meets again.
func staysFailed(status int) bool { return status/100 == 5 && statuses[status].class != "" }

// statusError returns the error that an answer without success stands for. The body is searched
// for the service's own words.
func (k *Call) statusError(resp *http.Response, body []byte) *Error {
	status := resp.StatusCode
	said, err := jsonvalue.Parse(body)
	isObject := err == nil && said.Kind() == '{'

	e := k.Fail(cmp.Or(statuses[status].class, ClassRejected), status, statuses[status].detail)
	e.RetryAfter, _ = askedToWait(resp)
	e.Cached, e.Date = freshness(resp)

	k.explain(e, resp, isObject)
	e.Ambiguous = k.Op.Effect && e.Class == ClassServer && !staysFailed(status) && !k.Op.repeatsAfter(status)

	if isObject && (!k.MayBeAbsent || e.Class != ClassNotFound) {
		k.quote(e, said)
	}
	if !isObject && len(body) > 0 && e.Class != ClassRedirect {
		e.Detail = joined(e.Detail, "the answer is "+k.MediaType(resp)+" that begins with "+strconv.Quote(k.Redact.excerpt(body)))
	}

	return e
}

// explain says in e what is known besides its status, which may change its class. isObject says
// whether the answer is a JSON object.
func (k *Call) explain(e *Error, resp *http.Response, isObject bool) {
	switch class := e.Class; {
	case e.Status/100 == 3:
		e.Class = ClassRedirect
		e.Detail = k.redirectDetail(resp.Header.Get("Location"))
	case e.Status/100 == 5:
		e.Class = ClassServer
	case e.Status == http.StatusRequestEntityTooLarge:
		e.Attribute = k.Attribute
		e.Detail = "the body of the request has " + strconv.Itoa(len(k.Body)) + " bytes, more than the service accepts"
		if k.Attribute != "" {
			e.Detail += "; it holds the value of " + k.Attribute
		}
	case class == ClassRequestTooLarge:
		e.Attribute = "identity_id"
		e.Detail = "the address or the header of the request is longer than the service accepts; the part of it that can be shorter is identity_id"
	case class == ClassNotFound && !isObject:
		e.Class = ClassEndpointNotFound
		e.Detail = "the answer is not a JSON object, so it may come from a gateway and does not prove that the record is gone"
	}
}

// joined returns the parts of a detail that are not empty as one.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// redirectDetail says how the target of a redirect differs from base_url, without its path
// and query: they may repeat what was sent.
func (k *Call) redirectDetail(location string) string {
	to, err := url.Parse(location)
	base := k.sender.cfg.Base

	target := "to another path of the same host"
	switch {
	case err != nil || location == "":
		target = "elsewhere"
	case to.Host == "":
	case to.Hostname() == base.Hostname() && to.Scheme != "" && to.Scheme != base.Scheme:
		target = "to the same host over " + k.Redact.Text(to.Scheme, 10) + ", " + k.Redact.Text(to.Host, 100)
	case to.Host != base.Host:
		target = "to the host " + k.Redact.Text(to.Host, 100)
	}

	return "the service redirected the request " + target +
		", and redirects are never followed; compare base_url with the address of your service"
}

// quote puts what the service says in a JSON object into an error, harmless to print.
func (k *Call) quote(e *Error, object jsontext.Value) {
	said := readComplaint(jsonvalue.Members(object))
	e.Code = k.Redact.Text(said.code, 80)
	e.Message = k.Redact.Text(said.message, limitMessage)

	for _, f := range said.fields {
		e.Fields = append(e.Fields, FieldError{
			Field:   k.Redact.Text(f.Field, 60),
			Message: k.Redact.Text(f.Message, limitMessage),
		})
	}
}

// complaint is what a service said about an error.
type complaint struct {
	code, message string
	fields        []FieldError
}

// readComplaint searches an object, at its top and under error, for a code, a message and
// errors by field, in the spellings that services commonly use; the interface shows none.
func readComplaint(m map[string]jsontext.Value) complaint {
	c := complaint{
		code:    firstText(m, "code", "error_code", "errorCode", "type"),
		message: firstText(m, "message", "error_description", "detail", "title", "error", "msg", "reason"),
	}
	for _, name := range []string{"fields", "errors", "details"} {
		c.fields = append(c.fields, fieldErrors(m[name])...)
	}

	if inner := m["error"]; inner.Kind() == '{' {
		nested := readComplaint(jsonvalue.Members(inner))
		c.code = cmp.Or(nested.code, c.code)
		c.message = cmp.Or(nested.message, c.message)
		c.fields = append(c.fields, nested.fields...)
	}

	if c.message == "" && len(c.fields) > 0 {
		c.message = c.fields[0].Message
	}

	return c
}

// fieldErrors reads a list of objects, a list of texts, or an object of texts or lists
// of texts by field name. What has no message is left out.
func fieldErrors(v jsontext.Value) []FieldError {
	var found []FieldError
	for _, element := range jsonvalue.Elements(v) {
		m := jsonvalue.Members(element)
		found = append(found, FieldError{
			Field:   firstText(m, "field", "path", "param", "property", "name"),
			Message: cmp.Or(firstText(m, "message", "msg", "detail", "error"), jsonvalue.Text(element)),
		})
	}

	byField := jsonvalue.Members(v)
	for _, name := range jsonvalue.Names(byField) {
		text := jsonvalue.Text(byField[name])
		if list := jsonvalue.Elements(byField[name]); len(list) > 0 {
			text = jsonvalue.Text(list[0])
		}
		found = append(found, FieldError{Field: name, Message: text})
	}

	return slices.DeleteFunc(found, func(e FieldError) bool { return e.Message == "" })
}

// firstText returns the first member of these names that is text or a number, as text.
func firstText(m map[string]jsontext.Value, names ...string) string {
	for _, name := range names {
		if s := jsonvalue.Text(m[name]); s != "" {
			return s
		}
		if v := m[name]; v.Kind() == '0' {
			return string(v)
		}
	}

	return ""
}
