// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// statuses are the meanings of statuses, and by their first digit those of all others. The
// interface documents none (section 7): they are read as HTTP defines them.
var statuses = map[int]struct {
	class  ErrorClass
	detail string
}{
	http.StatusAccepted:                    {class: ClassNotReady, detail: "the service accepted the request, and what was asked for is not ready yet"},
	http.StatusUnauthorized:                {class: ClassAuthentication},
	http.StatusProxyAuthRequired:           {class: ClassProxyAuth},
	http.StatusForbidden:                   {class: ClassForbidden},
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

	2: {class: ClassPayload, detail: "an answer with this status is not a complete one"},
	3: {class: ClassRedirect, detail: "redirects are never followed; compare base_url with the address of your service"},
	4: {class: ClassRejected},
	5: {class: ClassServer},
}

const (
	wrongFormat = "the service does not accept the format of the request or of its answer; if all requests about people fail like this, " +
		"it may offer only the other path family (section 9 of the interface): org_id and project_id, or account_id"
	tooLong = "the address or the header of the request is longer than the service accepts; the part of it that can be shorter is identity_id"
)

// Answers that say that there is nothing about a person, as the settings name them.
const (
	AbsentJSON404 = "json_404" // a 404 or 410 with a JSON object
	AbsentAny404  = "any_404"  // a 404 or 410 without a page for people
	Absent204     = "204"
	AbsentEmpty   = "empty" // a 200 without content
)

// isAbsence reports whether an error says that there is nothing about the person: the settings have one of words, by
// which they name its answer. It has ClassNotFound then. If it only may say so, it names the setting.
func (x Exchange) isAbsence(e *Error, words ...string) bool {
	if x.Op.Kind != Reads || x.absent == nil {
		return false
	}
	for _, word := range words {
		if slices.Contains(x.absent, word) {
			e.Class, e.Detail = ClassNotFound, ""
			return true
		}
	}

	if e.Class == ClassNotFound {
		e.Class = ClassEndpointNotFound
	}
	admitting := append(slices.Clone(x.absent), words[0])
	e.addDetail(`if other people can be read, wire.absent = ["` + strings.Join(admitting, `", "`) + `"] takes it for "there is none"`)

	return false
}

// missing returns the error of a 404 or 410. What is not a JSON object may come from a gateway and proves nothing, unless
// the settings say otherwise. If it breaks off, the error of its body comes in place of that.
func (c *call) missing(a Answer, r io.Reader) (*Error, error) {
	body, err := io.ReadAll(io.LimitReader(r, LimitError))
	switch {
	case err != nil && !changes[c.Op.Kind]:
		return nil, err
	case err != nil:
		body = nil // its end may be half of a secret
	}

	e, words := NewError(a.Exchange, ClassNotFound, ""), []string{AbsentJSON404, AbsentAny404}
	said, err := jsonvalue.ParseObject(string(body))
	if err != nil {
		e.Class, words = ClassEndpointNotFound, words[1:]
		e.Detail = "the answer is not a JSON object, so it may come from a gateway and does not prove that the record is gone"
	}
	isPage := bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
	if !isPage && a.isAbsence(e, words...) {
		return e, nil
	}
	a.quote(e, said, body)

	return e, nil
}

// refuse returns the error of any other answer whose status is not the one expected. Nothing is shown of a body that
// breaks off: its end may be half of a secret.
func (c *call) refuse(a Answer, r io.Reader) (*Error, error) {
	means := cmp.Or(statuses[a.Status], statuses[a.Status/100], statuses[4])
	e := NewError(a.Exchange, means.class, means.detail)
	c.complete(e, a.Header) // all callers wait, even if the body is cut

	body, err := io.ReadAll(io.LimitReader(r, LimitError))
	if err == nil && a.Status >= http.StatusBadRequest { // otherwise it may be somebody's data, or repeat the address
		said, _ := jsonvalue.ParseObject(string(body))
		a.quote(e, said, body)
	}

	return e, nil
}

// complete adds to a refusal what its header says, and what is known of the request.
func (c *call) complete(e *Error, h http.Header) {
	switch e.Class {
	case ClassServer, ClassRateLimited, ClassTooEarly:
		e.RetryAfter = retryAfter(h, limitRetryAfter)
		c.sender.gate.hold(e.RetryAfter)
	case ClassNotReady:
		e.RetryAfter = retryAfter(h, 24*time.Hour) // shown, and not waited for
	case ClassAuthentication:
		e.limit = policy[c.sender.login.giveUp(c.token, c.began)][c.Op.Kind]
	case ClassRedirect:
		place := "another place"
		if to, err := c.sender.cfg.Base.Parse(h.Get("Location")); err == nil {
			place = c.known.Redact.Text(to.Scheme+"://"+to.Host, 110) // its path and query may repeat what was sent
		}
		h.Del("Location") // http.Client would follow it
		e.Detail = "the service redirected the request to " + place + ", and " + e.Detail
	case ClassRequestTooLarge:
		e.Detail = cmp.Or(e.Detail, fmt.Sprintf("the body of the request has %d bytes, more than the service accepts; it holds the value of %s",
			len(c.Body), cmp.Or(c.Attribute, "its parameters")))
	}
}

// Refusal returns the error of an answer that says no although its status is one of success.
func Refusal(a Answer) *Error {
	e := NewError(a.Exchange, ClassRejected, "the answer has a status of success, but it holds an error, or a member such as success that is false")
	if m := jsonvalue.Members(a.JSON); m != nil { // otherwise it may be somebody's data
		a.quote(e, m, a.JSON)
	}

	return e
}

// Where services say what is wrong, in the order in which it counts. The interface shows nothing of it (section 7):
// these are the members of problem details (RFC 9457), JSON:API, GraphQL, AIP-193, OAuth and common frameworks.
var (
	codeMembers    = []string{"code", "error_code", "errorCode", "type", "__type"}
	messageMembers = []string{
		"message", "defaultMessage", "error_description", "detail", "title", "error", "msg", "reason", "description", "errorMessage", "hydra:description",
	}
	// listMembers hold errors of fields: a list of objects or texts, or an object by field.
	listMembers = []string{
		"fields", "errors", "details", "detail", "invalid-params", "invalid_params", "invalidParams", "violations", "fieldViolations",
		"validationErrors", "validation_errors", "fieldErrors", "field_errors",
	}
	fieldMembers = []string{"field", "pointer", "parameter", "loc", "path", "propertyPath", "param", "property", "attribute", "name", "target"}
)

// quote puts what the service says into an error, harmless to print: a code, a message, and what is wrong with fields.
// m are the members of the body. It is nil if the body is not an object: then the error shows how that begins.
func (a Answer) quote(e *Error, m map[string]jsontext.Value, body []byte) {
	if len(body) == 0 {
		return
	}
	if m == nil {
		e.addDetail("the answer is " + a.ShownType() + " that begins with " + strconv.Quote(a.Redact.excerpt(body)))
		return
	}

	maps.Copy(m, jsonvalue.Members(m["error"]))
	maps.Copy(m, jsonvalue.Members(m["_embedded"])) // of HAL

	message, fields := firstText(m, messageMembers), listedErrors(m)
	isOther := func(v jsontext.Value) bool { return jsonvalue.Text(jsonvalue.At(v, "/0")) == "" }
	isKnown := message != "" || len(fields) > 0
	if !isKnown && !slices.ContainsFunc(slices.Collect(maps.Values(m)), isOther) { // Rails and Django REST framework answer with lists alone, by field
		fields = listedErrors(map[string]jsontext.Value{"errors": body})
	}
	for _, f := range fields[:min(len(fields), 20)] {
		e.Fields = append(e.Fields, FieldError{Field: a.Redact.Text(f.Field, 60), Message: a.Redact.Text(f.Message, limitMessage)})
		message = cmp.Or(message, f.Message)
	}
	e.Code, e.Message = a.Redact.Text(firstText(m, codeMembers), 80), a.Redact.Text(message, limitMessage)
}

// listedErrors returns the errors of fields in the members that hold them.
func listedErrors(m map[string]jsontext.Value) (found []FieldError) {
	for _, name := range listMembers {
		isList := m[name].Kind() == '['
		for key, part := range jsonvalue.Parts(m[name]) {
			field := string(key)
			if isList {
				field = ""
			}
			found = append(found, fieldErrors(field, part)...)
		}
	}

	return found
}

// fieldErrors reads what is said about a field: a text, a list of what is said, or an object, which may
// name the field, or hold errors of fields. The name of the field is empty where it is not known.
func fieldErrors(field string, v jsontext.Value) (found []FieldError) {
	for _, element := range jsonvalue.Elements(v) {
		found = append(found, fieldErrors(field, element)...)
	}

	m := jsonvalue.Members(v)
	maps.Copy(m, jsonvalue.Members(m["source"])) // of JSON:API
	if message := cmp.Or(jsonvalue.Text(v), firstText(m, messageMembers)); message != "" {
		return []FieldError{{cmp.Or(field, fieldName(m)), message}}
	}

	return append(found, listedErrors(m)...)
}

// fieldName returns the name of the field that an error is about: a text, of a JSON Pointer the last
// token, and of a list the last name; empty if there is none.
func fieldName(m map[string]jsontext.Value) (name string) {
	for _, member := range fieldMembers {
		text := jsonvalue.Text(m[member])
		for _, part := range jsonvalue.Elements(m[member]) {
			text = cmp.Or(jsonvalue.Text(part), text)
		}
		name = cmp.Or(name, strings.TrimPrefix(text[strings.LastIndex(text, "/")+1:], "$."))
	}

	return name
}

// firstText returns the first member of these names that is text or a number, as text.
func firstText(m map[string]jsontext.Value, names []string) (text string) {
	for _, name := range names {
		text = cmp.Or(text, jsonvalue.Scalar(m[name]))
	}
	return text
}
