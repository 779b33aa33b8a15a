package client

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// statusError turns an answer other than 2xx into an error. The interface
// documents no status codes (section 7): they are read as HTTP defines them, and
// the body is searched for the service's own words.
func (k *call) statusError(resp *http.Response, body []byte) *Error {
	e := k.fail(KindServer, resp.StatusCode, "")
	said, isObject := readComplaint(body)
	k.quote(e, said)
	e.Kind, e.Detail = k.judgeStatus(resp, isObject)
	e.RetryAfter = k.retryAfter
	e.Ambiguous = k.op.effect && e.Kind == KindServer
	if !isObject && len(body) > 0 && e.Kind != KindRedirect {
		e.Detail = joinSentences(e.Detail, "the answer is "+mediaType(resp)+" that begins with "+strconv.Quote(k.redact.excerpt(body)))
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

func (k *call) judgeStatus(resp *http.Response, isObject bool) (Kind, string) {
	switch status := resp.StatusCode; {
	case status/100 == 3:
		return KindRedirect, redirectDetail(cmp.Or(k.location, resp.Header.Get("Location")))
	case status == http.StatusUnauthorized:
		return KindAuthentication, k.remark
	case status == http.StatusProxyAuthRequired:
		return KindProxyAuth, ""
	case status == http.StatusForbidden:
		return KindForbidden, ""
	case (status == http.StatusNotFound || status == http.StatusGone) && isObject:
		return KindNotFound, ""
	case status == http.StatusNotFound || status == http.StatusGone:
		return KindEndpointNotFound, "the answer is not the service's own (no JSON object), so it does not prove that the object is gone"
	case status == http.StatusConflict || status == http.StatusPreconditionFailed:
		return KindConflict, ""
	case status == http.StatusTooManyRequests:
		return KindRateLimited, ""
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status/100 == 5:
		return KindServer, ""
	default:
		return KindRejected, ""
	}
}

// redirectDetail names the host only: a path or query of a Location may repeat
// what was sent.
func redirectDetail(header string) string {
	location, err := url.Parse(header)
	if err != nil || location.Host == "" {
		return "the service sent the request elsewhere, which is never followed"
	}
	return "the service sent the request to host " + hostOf(location) + ", which is never followed"
}

// complaint is what a service said about an error.
type complaint struct {
	code, message string
	fields        []FieldError
}

// readComplaint searches an error body for a code, a message and errors by field,
// in the spellings that services commonly use; the interface shows none. The
// second result says whether the body is a JSON object at all.
func readComplaint(body []byte) (complaint, bool) {
	v, err := parseJSON(body)
	if err != nil || v.Kind() != '{' {
		return complaint{}, false
	}
	return complaintIn(membersOf(v)), true
}

func complaintIn(m map[string]jsontext.Value) complaint {
	c := complaint{
		code:    firstText(m, "code", "error_code", "errorCode", "type"),
		message: firstText(m, "message", "error_description", "detail", "title", "error", "msg"),
	}
	for _, name := range []string{"fields", "errors", "details"} {
		c.fields = append(c.fields, fieldErrors(m[name])...)
	}
	if inner := m["error"]; inner.Kind() == '{' {
		nested := complaintIn(membersOf(inner))
		c.fields = append(c.fields, nested.fields...)
		c.code, c.message = orText(nested.code, c.code), orText(nested.message, c.message)
	}
	if c.message == "" && len(c.fields) > 0 {
		c.message = c.fields[0].Message
	}
	return c
}

func orText(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// fieldErrors reads a list of objects, a list of texts, or an object of texts or
// lists of texts by field name.
func fieldErrors(v jsontext.Value) []FieldError {
	var found []FieldError
	switch v.Kind() {
	case '[':
		for _, element := range elementsOf(v) {
			m := membersOf(element)
			f := FieldError{
				Field:   firstText(m, "field", "path", "param", "property", "name"),
				Message: orText(firstText(m, "message", "msg", "detail", "error"), textOf(element)),
			}
			if f.Message != "" {
				found = append(found, f)
			}
		}
	case '{':
		for _, name := range sortedNames(membersOf(v)) {
			inner := membersOf(v)[name]
			text := textOf(inner)
			if list := elementsOf(inner); len(list) > 0 {
				text = textOf(list[0])
			}
			if text != "" {
				found = append(found, FieldError{Field: name, Message: text})
			}
		}
	}
	return found
}
