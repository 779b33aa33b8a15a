// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
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
	fieldMembers = []string{"field", "pointer", "parameter", "loc", "path", "propertyPath", "param", "property", "attribute", "name", "target"}
)

// quote puts what the service says into an error, harmless to print: a code, a message, and what is wrong with fields.
// They are in the members of the body, or of an object in it. Of a body that is not an object, m is nil, and its
// beginning is shown.
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
		for _, name := range slices.Sorted(maps.Keys(m)) {
			fields = append(fields, fieldErrors(name, m[name])...)
		}
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
