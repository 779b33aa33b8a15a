package jsonvalue

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Equal reports whether two JSON values mean the same. The order of members and white
// space do not count, and numbers are compared exactly by value: 1, 1.0 and 1e0 are one
// number, and 9007199254740993 is not 9007199254740992.
func Equal(a, b jsontext.Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}

	switch a.Kind() {
	case '{':
		return maps.EqualFunc(Members(a), Members(b), Equal)
	case '[':
		return slices.EqualFunc(Elements(a), Elements(b), Equal)
	case '"':
		return Text(a) == Text(b)
	case '0':
		return decimalOf(a) == decimalOf(b)
	}

	return true // null, true and false are their kinds
}

// decimal is a number without its spelling: digits × 10^exponent, the digits without
// zeros at either end. Zero is the zero decimal, whatever its sign.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// decimalOf returns the value of a JSON number.
func decimalOf(v jsontext.Value) decimal {
	s := strings.ToLower(strings.TrimSpace(string(v)))
	s, negative := strings.CutPrefix(s, "-")
	mantissa, power, _ := strings.Cut(s, "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")

	digits := strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return decimal{}
	}

	exponent, _ := strconv.Atoi(power)

	return decimal{negative, trimmed, exponent - len(fraction) + len(digits) - len(trimmed)}
}
