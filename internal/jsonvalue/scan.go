// SPDX-License-Identifier: MPL-2.0

// Package jsonvalue inspects JSON values: what an object holds, and what a document says
// about itself.
package jsonvalue

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// EachMember yields the members of the object v in order, names without quotes and
// escapes. It yields nothing if v is not an object.
//
// v must be valid JSON. EachMember does not parse it again: it only finds where each
// value ends, several times as fast as a parser, and reads no further than its caller
// does.
func EachMember(v jsontext.Value) iter.Seq2[[]byte, jsontext.Value] { return each(v, '{') }

// EachElement yields the elements of the array v in order, under the conditions of
// EachMember.
func EachElement(v jsontext.Value) iter.Seq[jsontext.Value] {
	return func(yield func(jsontext.Value) bool) {
		for _, element := range each(v, '[') {
			if !yield(element) {
				return
			}
		}
	}
}

// each yields what is in the object or array v, if it begins with the bracket. Elements have
// no names.
func each(v jsontext.Value, bracket byte) iter.Seq2[[]byte, jsontext.Value] {
	return func(yield func([]byte, jsontext.Value) bool) {
		i := SkipSpace(v, 0)
		if i == len(v) || v[i] != bracket {
			return
		}

		for i = SkipSpace(v, i+1); i < len(v) && v[i] != '}' && v[i] != ']'; i = SkipSpace(v, i+1) {
			var name []byte
			if bracket == '{' {
				end := valueEnd(v, i)
				name = unquoted(v[i:end])
				i = SkipSpace(v, SkipSpace(v, end)+1) // behind the colon
			}

			end := valueEnd(v, i)
			if !yield(name, v[i:end:end]) {
				return
			}
			if i = SkipSpace(v, end); i == len(v) || v[i] != ',' {
				return
			}
		}
	}
}

// unquoted returns the text of a JSON string.
func unquoted(quoted []byte) []byte {
	if len(quoted) < 2 {
		return nil
	}

	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted[1 : len(quoted)-1]
	}

	text, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil { // a lone surrogate, which became U+FFFD
		return bytes.ToValidUTF8(text, []byte("\uFFFD"))
	}

	return text
}

// SkipSpace returns the offset of the first byte from i on that is not white space in
// JSON; len(v) if there is none.
func SkipSpace(v []byte, i int) int {
	for i < len(v) && (v[i] == ' ' || v[i] == '\n' || v[i] == '\t' || v[i] == '\r') {
		i++
	}
	return min(i, len(v))
}

// valueEnd returns the offset behind the value that begins at i.
func valueEnd(v []byte, i int) int {
	for depth := 0; i < len(v); i++ {
		switch v[i] {
		case '"':
			i = stringEnd(v, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		default: // a literal, or what stands between two values
			for depth == 0 && i+1 < len(v) && bytes.IndexByte([]byte(",]} \n\t\r"), v[i+1]) < 0 {
				i++
			}
		}

		if depth == 0 {
			return i + 1
		}
	}

	return len(v)
}

// stringEnd returns the offset behind the string that begins at i.
func stringEnd(v []byte, i int) int {
	for i++; i < len(v); i++ {
		text := v[i:]
		quote := bytes.IndexByte(text, '"')
		if quote < 0 {
			break
		}
		i += quote

		// A backslash that is not escaped itself escapes the quotation mark.
		text = text[:quote]
		if escapes := len(text) - len(bytes.TrimRight(text, `\`)); escapes%2 == 0 {
			return i + 1
		}
	}

	return len(v)
}
