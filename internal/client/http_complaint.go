package client

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// complaint is what a service said about an error.
type complaint struct {
	code, message string
	fields        []FieldError
}

// readComplaint searches an error body for a code, a message and errors by field,
// in the spellings that services commonly use; the interface shows none. The
// second result says whether the body is a JSON object at all.
func readComplaint(body []byte) (complaint, bool) {
	v, err := jsonvalue.Parse(body)
	if err != nil || v.Kind() != '{' {
		return complaint{}, false
	}
	return complaintIn(jsonvalue.Members(v)), true
}

// complaintInside returns what an answer with a 2xx status complains about all the
// same: services exist that put errors there. It reports false where the answer holds
// no error.
func complaintInside(v jsontext.Value) (complaint, bool) {
	m := jsonvalue.Members(v)
	return complaintIn(m), isComplaint(m)
}

// isComplaint reports whether an object says that something failed. An error that is
// null, 0, false or empty says nothing.
func isComplaint(m map[string]jsontext.Value) bool {
	return jsonvalue.Told(m["error"]) || jsonvalue.Told(m["errors"]) || m["success"].Kind() == 'f'
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
		nested := complaintIn(jsonvalue.Members(inner))
		c.fields = append(c.fields, nested.fields...)
		c.code, c.message = orText(nested.code, c.code), orText(nested.message, c.message)
	}
	if c.message == "" && len(c.fields) > 0 {
		c.message = c.fields[0].Message
	}
	return c
}

// fieldErrors reads a list of objects, a list of texts, or an object of texts or
// lists of texts by field name.
func fieldErrors(v jsontext.Value) []FieldError {
	var found []FieldError
	switch v.Kind() {
	case '[':
		for _, element := range jsonvalue.Elements(v) {
			m := jsonvalue.Members(element)
			f := FieldError{
				Field:   firstText(m, "field", "path", "param", "property", "name"),
				Message: orText(firstText(m, "message", "msg", "detail", "error"), jsonvalue.Text(element)),
			}
			if f.Message != "" {
				found = append(found, f)
			}
		}
	case '{':
		for _, name := range jsonvalue.Names(jsonvalue.Members(v)) {
			inner := jsonvalue.Members(v)[name]
			text := jsonvalue.Text(inner)
			if list := jsonvalue.Elements(inner); len(list) > 0 {
				text = jsonvalue.Text(list[0])
			}
			if text != "" {
				found = append(found, FieldError{Field: name, Message: text})
			}
		}
	}
	return found
}

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

func orText(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
