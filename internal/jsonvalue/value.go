// SPDX-License-Identifier: MPL-2.0

// Package jsonvalue inspects JSON values: what an object holds, and what a document says about itself.
package jsonvalue

import (
	"bytes"
	"cmp"
	"errors"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrTrailing is the error of a document with something behind its JSON value.
var ErrTrailing = errors.New("there is something behind the JSON value")

// Parse returns the one JSON value that a document consists of, with valid UTF-8 and unique names. The error is
// io.ErrUnexpectedEOF where the document ends too early, an empty one included.
func Parse(document []byte) (v jsontext.Value, err error) {
	err = json.Unmarshal(document, &v)
	return v, err
}

// ParseObject returns the members of the object in text. It refuses what Parse refuses, and numbers outside the range
// of a 64-bit float. Errors complete a sentence about the text, and never quote it, since it may hold personal data.
func ParseObject(text string) (map[string]jsontext.Value, error) {
	v, err := Parse([]byte(text))
	var floats any
	switch {
	case err != nil:
		return nil, errors.New("is not valid JSON: " + DescribeSyntax(err))
	case v.Kind() != '{':
		return nil, errors.New("has to be a JSON object, and is " + KindName(v.Kind()))
	case json.Unmarshal(v, &floats) != nil:
		return nil, errors.New("holds a number beyond what a 64-bit float can hold, such as 1e400")
	}

	return Members(v), nil
}

// FormatObject returns members as a JSON object, in the order of their names, and spelled as they are.
func FormatObject(members map[string]jsontext.Value) string {
	text, _ := json.Marshal(members, json.Deterministic(true), jsontext.PreserveRawStrings(true)) // which come from parsed JSON
	return string(text)
}

// DescribeSyntax returns what an error of Parse or of a jsontext.Decoder is about, and where, without quoting the JSON.
func DescribeSyntax(err error) string {
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return err.Error()
	}

	what := "the JSON is not valid"
	if errors.Is(err, jsontext.ErrDuplicateName) {
		what = "the JSON has a name twice in one object,"
	}

	return what + " at byte " + strconv.FormatInt(syntactic.ByteOffset, 10)
}

// Parts yields the parts of v in order: the members of an object by name, without quotes and escapes, or the elements
// of an array by index; nothing of another value. v must be valid JSON, here and below. It is not parsed again: finding
// where each value ends is several times as fast.
func Parts(v jsontext.Value) iter.Seq2[[]byte, jsontext.Value] {
	return func(yield func([]byte, jsontext.Value) bool) {
		kind := v.Kind()
		if kind != '{' && kind != '[' {
			return
		}

		rest := v[bytes.IndexByte(v, byte(kind))+1:]
		for i := int64(0); ; i++ {
			var key []byte
			if kind == '{' {
				key, rest = cutValue(rest)
				key = unquoted(key)
			} else {
				key = strconv.AppendInt(nil, i, 10)
			}
			value, behind := cutValue(rest)
			if len(value) == 0 || !yield(key, value) {
				return
			}
			rest = behind
		}
	}
}

// plain are the options to read a value that was parsed, or a record, of which the text need not be UTF-8.
var plain = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Members returns the members of the object v by name; nil where v is not an object.
func Members(v jsontext.Value) (members map[string]jsontext.Value) {
	_ = json.Unmarshal(v, &members, plain)
	return members
}

// Elements returns the elements of the array v; nil where v is not an array.
func Elements(v jsontext.Value) (elements []jsontext.Value) {
	_ = json.Unmarshal(v, &elements, plain)
	return elements
}

// At returns the value in v that a pointer leads to (RFC 6901); nil if there is none.
func At(v jsontext.Value, at jsontext.Pointer) jsontext.Value {
	for token := range at.Tokens() {
		parts := Parts(v)
		v = nil
		for key, part := range parts {
			if string(key) == token {
				v = part
				break
			}
		}
	}

	return v
}

// cutValue returns the value that follows in a text, and the text behind it.
func cutValue(text []byte) (v jsontext.Value, rest []byte) {
	for len(text) > 0 && separates[text[0]] {
		text = text[1:]
	}
	end := ValueLen(text)

	return text[:end:end], text[end:]
}

// separates has what stands between two values.
var separates = [256]bool{',': true, ':': true, ' ': true, '\t': true, '\r': true, '\n': true}

// ValueLen returns the length of the value that the text begins with; len(text) if it does not end. The value need not
// be valid.
func ValueLen(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			i = endOfString(text, i)
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth == 0 && separates[c] {
				return i
			}
			continue
		}

		if depth <= 0 {
			return i + 1 + depth // without a bracket that was not opened
		}
	}

	return len(text)
}

// endOfString returns the index of the closing quote of the string at i; that of the last byte if it is not closed.
func endOfString(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return min(i, len(text)-1)
}

// unquoted returns the text of a JSON string, with U+FFFD for a lone surrogate.
func unquoted(quoted []byte) []byte {
	if len(quoted) > 1 && bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}
	text, _ := jsontext.AppendUnquote(nil, quoted)
	return text
}

// Text returns the text of the string v; empty where v is not a string.
func Text(v jsontext.Value) string {
	if v.Kind() != '"' {
		return ""
	}
	return string(unquoted(v))
}

// Scalar returns the text of a string, or a number as it is spelled; empty where v is neither.
func Scalar(v jsontext.Value) string {
	if v.Kind() == '0' {
		return string(v)
	}
	return Text(v)
}

// fieldName matches letters, at most two digits, and the characters that separate words.
var fieldName = regexp.MustCompile(`^(?:hydra:|[$@])?[A-Za-z_.-]*\d?[A-Za-z_.-]*\d?[A-Za-z_.-]*$`)

// IsFieldName reports whether a name has the form of a field's name, of at most 40 characters. Identifiers of people
// have other characters, or more digits.
func IsFieldName(name string) bool {
	const longest = 40
	return len(name) <= longest && fieldName.MatchString(name) && strings.Trim(name, "0123456789") != ""
}

// IsFieldPointer reports whether each token of a pointer has the form of a field's name, or is 0.
func IsFieldPointer(p jsontext.Pointer) bool {
	for name := range p.Tokens() {
		if name != "0" && !IsFieldName(name) {
			return false
		}
	}
	return true
}

// Fold returns the letters and digits of a word in lower case, so that recordType and record_type are one.
func Fold(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
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

// KindName returns what a message calls a value of this kind, such as "a number"; "nothing" if there is none.
func KindName(kind jsontext.Kind) string {
	return cmp.Or(kindNames[kind], "nothing")
}

// Equal reports whether two JSON values mean the same. Numbers are compared exactly by value: 1, 1.0 and 1e0 are one
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

// decimalOf returns a JSON number as its digits without zeros at either end, and an exponent; zero is empty.
func decimalOf(v jsontext.Value) string {
	s := strings.ToLower(strings.TrimSpace(string(v)))
	mantissa, power, _ := strings.Cut(s, "e")
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")

	digits := strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return ""
	}
	exponent, _ := strconv.Atoi(power)

	return s[:strings.Count(mantissa, "-")] + trimmed + "e" + strconv.Itoa(exponent-len(fraction)+len(digits)-len(trimmed))
}

// IsZero reports whether a value says nothing: it is null, false, zero, blank or empty.
func IsZero(v jsontext.Value) bool {
	switch v.Kind() {
	case '"':
		return strings.TrimSpace(Text(v)) == ""
	case '0':
		return decimalOf(v) == ""
	case '{', '[':
		first, _ := cutValue(v[bytes.IndexByte(v, byte(v.Kind()))+1:])
		return len(first) == 0
	}

	return v.Kind() != 't'
}
