package client

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// SameJSON reports whether two JSON values mean the same: the order of members and
// white space do not count, and numbers are compared exactly by value, so that 1,
// 1.0 and 1e0 are one number and 9007199254740993 is not 9007199254740992.
func SameJSON(a, b jsontext.Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case '{':
		return maps.EqualFunc(membersOf(a), membersOf(b), SameJSON)
	case '[':
		return slices.EqualFunc(elementsOf(a), elementsOf(b), SameJSON)
	case '"':
		return textOf(a) == textOf(b)
	case '0':
		return decimalOf(a) == decimalOf(b)
	}
	return true // null, true and false are their kinds
}

// decimal is a number without its spelling: digits × 10^exponent, the digits
// without zeros at either end. Zero is the zero decimal, whatever its sign.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

func decimalOf(v jsontext.Value) decimal {
	s := strings.ToLower(strings.TrimSpace(string(v)))
	negative := strings.HasPrefix(s, "-")
	mantissa, power, _ := strings.Cut(strings.TrimPrefix(s, "-"), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	exponent, _ := strconv.Atoi(power)
	digits := strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return decimal{}
	}
	return decimal{negative, trimmed, exponent - len(fraction) + len(digits) - len(trimmed)}
}

// ParseObject reads JSON text that has to be one object: valid UTF-8, no name
// twice, numbers within what common services can hold (the range of a 64-bit
// float). Errors never quote the text, which may hold personal data.
func ParseObject(text string) (map[string]jsontext.Value, error) {
	v, err := parseJSON([]byte(text))
	if err != nil {
		if strings.TrimSpace(text) == "" {
			return nil, errors.New("is empty; it has to be a JSON object")
		}
		return nil, errors.New("is not valid JSON: " + describeSyntax(err))
	}
	if v.Kind() != '{' {
		return nil, errors.New("has to be a JSON object, and is " + kindName(v))
	}
	if err := checkNumbers(v); err != nil {
		return nil, err
	}
	return membersOf(v), nil
}

func checkNumbers(v jsontext.Value) error {
	switch v.Kind() {
	case '0':
		if _, err := strconv.ParseFloat(string(v), 64); err != nil {
			return errors.New("holds a number beyond what a 64-bit float can hold, such as 1e400")
		}
	case '{':
		for _, member := range membersOf(v) {
			if err := checkNumbers(member); err != nil {
				return err
			}
		}
	case '[':
		for _, element := range elementsOf(v) {
			if err := checkNumbers(element); err != nil {
				return err
			}
		}
	}
	return nil
}

// FormatObject writes members as a JSON object, in the order of their names and
// with values spelled as they are.
func FormatObject(members map[string]jsontext.Value) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, name := range sortedNames(members) {
		if i > 0 {
			b.WriteByte(',')
		}
		quoted, err := jsontext.AppendQuote(nil, name)
		if err != nil {
			continue // names come from parsed JSON and are valid
		}
		b.Write(quoted)
		b.WriteByte(':')
		b.Write(members[name])
	}
	b.WriteByte('}')
	return b.String()
}
