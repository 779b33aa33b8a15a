package jsonvalue

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Members returns the members of the object v by name; nil where v is no object.
func Members(v jsontext.Value) map[string]jsontext.Value {
	var members map[string]jsontext.Value
	if v.Kind() != '{' || json.Unmarshal(v, &members) != nil {
		return nil
	}
	return members
}

// Names returns the names of members in their alphabetical order.
func Names(members map[string]jsontext.Value) []string {
	return slices.Sorted(maps.Keys(members))
}

// Elements returns the elements of the array v; nil where v is no array.
func Elements(v jsontext.Value) []jsontext.Value {
	var elements []jsontext.Value
	if v.Kind() != '[' || json.Unmarshal(v, &elements) != nil {
		return nil
	}
	return elements
}

// Text returns the text of the string v; empty where v is no string.
func Text(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	return string(unquoted(v))
}

// kindNames are the kinds of JSON values as a message calls them.
var kindNames = map[jsontext.Kind]string{
	'"': "a string",
	'0': "a number",
	't': "a boolean",
	'f': "a boolean",
	'n': "null",
	'{': "an object",
	'[': "an array",
}

// KindName returns what a message calls a value of this kind, such as "a number", and
// "nothing" where there is no value.
func KindName(kind jsontext.Kind) string {
	if name, ok := kindNames[kind]; ok {
		return name
	}
	return "nothing"
}
