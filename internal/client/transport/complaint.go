// SPDX-License-Identifier: MPL-2.0

package transport

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// complaint is what a service said about an error.
type complaint struct {
	code, message string
	fields        []FieldError
}

// readComplaint searches a body for a code, a message and errors by field, in the spellings
// that services commonly use; the interface shows none. It reports whether the body is a JSON
// object. Any other body yields the zero complaint.
func readComplaint(body []byte) (said complaint, isObject bool) {
	v, err := jsonvalue.Parse(body)
	if err != nil || v.Kind() != '{' {
		return complaint{}, false
	}
	return complaintIn(jsonvalue.Members(v)), true
}

// complaintIn returns what an object says about an error, at its top or under error.
func complaintIn(m map[string]jsontext.Value) complaint {
	c := complaint{
		code:    firstText(m, "code", "error_code", "errorCode", "type"),
		message: firstText(m, "message", "error_description", "detail", "title", "error", "msg", "reason"),
	}
	for _, name := range []string{"fields", "errors", "details"} {
		c.fields = append(c.fields, fieldErrors(m[name])...)
	}

	if inner := m["error"]; inner.Kind() == '{' {
		nested := complaintIn(jsonvalue.Members(inner))
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
