// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ParseObject returns the members of JSON text that has to be one object: valid UTF-8,
// no name twice, and no number outside the range of a 64-bit float. Errors complete a
// sentence about the text, and never quote it, since it may hold personal data.
func ParseObject(text string) (map[string]jsontext.Value, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("is empty; it has to be a JSON object")
	}

	v, err := Parse([]byte(text))
	if err != nil {
		return nil, errors.New("is not valid JSON: " + DescribeSyntax(err))
	}
	if v.Kind() != '{' {
		return nil, errors.New("has to be a JSON object, and is " + KindName(v.Kind()))
	}
	var plain any
	if json.Unmarshal(v, &plain) != nil {
		return nil, errors.New("holds a number beyond what a 64-bit float can hold, such as 1e400")
	}

	return Members(v), nil
}

// FormatObject returns members as a JSON object, in the order of their names and with texts
// and numbers spelled as they are.
func FormatObject(members map[string]jsontext.Value) string {
	text, err := json.Marshal(members, json.Deterministic(true), jsontext.PreserveRawStrings(true))
	if err != nil {
		return "" // not reached: members come from parsed JSON
	}
	return string(text)
}
