// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// quote puts what the service says in a JSON object into an error, harmless to print.
func (e *Error) quote(object jsontext.Value, redact *Redactor) {
	c := complaintOf(object)

	e.Code, e.Message = redact.Text(c.code, 80), redact.Text(c.message, limitMessage)
	for _, f := range c.fields[:min(len(c.fields), limitFields)] {
		e.Fields = append(e.Fields, FieldError{Field: redact.Text(f.Field, 60), Message: redact.Text(f.Message, limitMessage)})
	}
}

// limitFields is how many errors of fields are shown.
const limitFields = 20

// complaint is what a service says about what is wrong.
type complaint struct {
	code, message string
	fields        []FieldError
}

// Where services say what is wrong; the interface shows nothing of it (section 7). These are the
// members of problem details (RFC 9457), JSON:API, GraphQL, Google's AIP-193, OAuth, Spring, Rails,
// Django REST framework, FastAPI, Laravel, ASP.NET, Symfony and Express, in the order in which they
// count.
var (
	codeMembers    = []string{"code", "error_code", "errorCode", "type", "__type"}
	messageMembers = []string{"message", "error_description", "detail", "title", "error", "msg", "reason", "description", "errorMessage", "hydra:description"}
	// listMembers hold errors of fields: a list of objects or texts, or an object by field.
	listMembers = []string{
		"fields", "errors", "details", "detail", "invalid-params", "invalid_params", "invalidParams", "violations", "fieldViolations",
		"validationErrors", "validation_errors", "fieldErrors", "field_errors",
	}
	fieldMembers      = []string{"field", "pointer", "loc", "path", "propertyPath", "param", "parameter", "property", "attribute", "name", "target"}
	fieldTextMembers  = []string{"message", "msg", "detail", "description", "reason", "error", "title", "defaultMessage", "errorMessage"}
	transparentInside = []string{"error", "_embedded"}
)

// complaintOf reads a complaint at the top of an object, or in its object error.
func complaintOf(v jsontext.Value) complaint {
	m := jsonvalue.Members(v)
	c := complaint{code: firstText(m, codeMembers...), message: firstText(m, messageMembers...)}
	for _, name := range listMembers {
		c.fields = append(c.fields, fieldErrors(m[name])...)
	}
	if c.message == "" && len(c.fields) == 0 {
		c.fields = listsByField(v)
	}

	for _, name := range transparentInside {
		if m[name].Kind() != '{' {
			continue
		}
		inner := complaintOf(m[name])
		c.code, c.message = cmp.Or(inner.code, c.code), cmp.Or(inner.message, c.message)
		c.fields = append(c.fields, inner.fields...)
	}
	if c.message == "" && len(c.fields) > 0 {
		c.message = c.fields[0].Message
	}

	return c
}

// listsByField reads an object of nothing but lists of texts, by field, as Rails and Django REST
// framework answer.
func listsByField(v jsontext.Value) []FieldError {
	isText := func(v jsontext.Value) bool { return v.Kind() == '"' }
	for _, list := range jsonvalue.EachMember(v) {
		texts := jsonvalue.Elements(list)
		if len(texts) == 0 || !isText(texts[0]) {
			return nil
		}
	}

	return fieldErrors(v)
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
	source := jsonvalue.Members(m["source"]) // JSON:API
	e := FieldError{
		Field:   cmp.Or(name, fieldName(source["pointer"]), fieldName(source["parameter"])),
		Message: cmp.Or(firstText(m, fieldTextMembers...), jsonvalue.Text(v)),
	}
	for _, member := range fieldMembers {
		e.Field = cmp.Or(e.Field, fieldName(m[member]))
	}

	if e.Message != "" {
		return []FieldError{e}
	}
	for _, member := range listMembers {
		found = append(found, fieldErrors(m[member])...)
	}

	return found
}

// fieldName returns the name of a field: a text, the last name of a JSON Pointer or of a path of
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
