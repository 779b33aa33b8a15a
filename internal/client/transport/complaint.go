// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Where services say what is wrong; the interface shows nothing of it (section 7). These are the
// members of problem details (RFC 9457), JSON:API, GraphQL, Google's AIP-193, OAuth, Spring, Rails,
// Django REST framework, FastAPI, Laravel, ASP.NET, Symfony and Express, in the order in which they
// count.
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
	fieldMembers    = []string{"field", "pointer", "parameter", "loc", "path", "propertyPath", "param", "property", "attribute", "name", "target"}
	wrappingMembers = []string{"error", "_embedded"}
)

// limitFields is how many errors of fields are shown.
const limitFields = 20

// quote puts what the service says in a JSON object into an error, harmless to print.
func (e *Error) quote(object jsontext.Value, redact *Redactor) {
	found := complaintOf(object)

	e.Code, e.Message = redact.Text(found.Code, 80), redact.Text(found.Message, limitMessage)
	for _, f := range found.Fields[:min(len(found.Fields), limitFields)] {
		e.Fields = append(e.Fields, FieldError{Field: redact.Text(f.Field, 60), Message: redact.Text(f.Message, limitMessage)})
	}
}

// complaintOf returns code, message and fields of what an object says, at its top or in a member that
// wraps it.
func complaintOf(object jsontext.Value) (found Error) {
	m := jsonvalue.Members(object)
	found.Code, found.Message = firstText(m, codeMembers), firstText(m, messageMembers)
	for _, name := range listMembers {
		if v, isThere := m[name]; isThere {
			found.Fields = append(found.Fields, fieldErrors(v)...)
		}
	}
	for _, name := range wrappingMembers {
		if v, isThere := m[name]; isThere {
			inner := complaintOf(v)
			found.Code, found.Message = cmp.Or(inner.Code, found.Code), cmp.Or(inner.Message, found.Message)
			found.Fields = append(found.Fields, inner.Fields...)
		}
	}

	if found.Message == "" && len(found.Fields) == 0 {
		found.Fields = listsOf(object)
	}
	if found.Message == "" && len(found.Fields) > 0 {
		found.Message = found.Fields[0].Message
	}

	return found
}

// listsOf reads an object of nothing but lists of texts, by field, as Rails and Django REST framework
// answer.
func listsOf(object jsontext.Value) (found []FieldError) {
	for name, list := range jsonvalue.EachMember(object) {
		text := jsonvalue.Text(jsonvalue.At(list, "/0"))
		if text == "" {
			return nil
		}
		found = append(found, FieldError{string(name), text})
	}

	return found
}

// fieldErrors reads a list of objects, a list of texts, or an object of texts, objects or lists of
// them by field name. What has no message is left out.
func fieldErrors(v jsontext.Value) (found []FieldError) {
	for _, element := range jsonvalue.Elements(v) {
		found = append(found, fieldErrorsOf("", element)...)
	}
	for name, member := range jsonvalue.EachMember(v) {
		if list := jsonvalue.Elements(member); len(list) > 0 {
			member = list[0]
		}
		found = append(found, fieldErrorsOf(string(name), member)...)
	}

	return found
}

// fieldErrorsOf reads what is said about one field: a text, or an object that may hold such errors.
func fieldErrorsOf(name string, v jsontext.Value) (found []FieldError) {
	m := jsonvalue.Members(v)
	e := FieldError{Field: name, Message: cmp.Or(firstText(m, messageMembers), jsonvalue.Text(v))}
	for _, members := range []map[string]jsontext.Value{jsonvalue.Members(m["source"]), m} { // source is JSON:API's
		for _, member := range fieldMembers {
			e.Field = cmp.Or(e.Field, fieldName(members[member]))
		}
	}

	if e.Message != "" {
		return []FieldError{e}
	}
	for _, member := range listMembers {
		found = append(found, fieldErrors(m[member])...)
	}

	return found
}

// fieldName returns the name of a field: a text, or the last name of a JSON Pointer or of a path of
// names; empty if there is none.
func fieldName(v jsontext.Value) string {
	for _, part := range slices.Backward(jsonvalue.Elements(v)) {
		if text := jsonvalue.Text(part); text != "" {
			return text
		}
	}

	text := strings.TrimPrefix(jsonvalue.Text(v), "#")
	if strings.HasPrefix(text, "/") {
		return jsontext.Pointer(text).LastToken()
	}

	return strings.TrimPrefix(text, "$.")
}

// firstText returns the first member of these names that is text or a number, as text.
func firstText(m map[string]jsontext.Value, names []string) string {
	for _, name := range names {
		v := m[name]
		if v.Kind() == '0' {
			return string(v)
		}
		if text := jsonvalue.Text(v); text != "" {
			return text
		}
	}

	return ""
}
