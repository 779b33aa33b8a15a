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
func EachMember(v jsontext.Value) iter.Seq2[[]byte, jsontext.Value] {
	return func(yield func([]byte, jsontext.Value) bool) {
		for i := inside(v, '{'); i < len(v) && v[i] == '"'; {
			nameEnd := valueEnd(v, i)
			colon := SkipSpace(v, nameEnd)
			if colon == len(v) {
				return
			}

			begin := SkipSpace(v, colon+1)
			end := valueEnd(v, begin)
			if !yield(unquoted(v[i:nameEnd]), v[begin:end:end]) {
				return
			}

			i = behindComma(v, end)
		}
	}
}

// EachElement yields the elements of the array v in order, under the conditions of
// EachMember.
func EachElement(v jsontext.Value) iter.Seq[jsontext.Value] {
	return func(yield func(jsontext.Value) bool) {
		for i := inside(v, '['); i < len(v) && v[i] != ']'; {
			end := valueEnd(v, i)
			if !yield(v[i:end:end]) {
				return
			}
			i = behindComma(v, end)
		}
	}
}

// inside returns the offset of the first token in the object or array v; len(v) if v
// does not begin with the bracket.
func inside(v []byte, bracket byte) int {
	i := SkipSpace(v, 0)
	if i == len(v) || v[i] != bracket {
		return len(v)
	}
	return SkipSpace(v, i+1)
}

// behindComma returns the offset of the token behind the comma that follows the offset
// i; len(v) if no comma follows.
func behindComma(v []byte, i int) int {
	i = SkipSpace(v, i)
	if i == len(v) || v[i] != ',' {
		return len(v)
	}
	return SkipSpace(v, i+1)
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
	for i < len(v) && isSpace(v[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// valueEnd returns the offset behind the value that begins at i.
func valueEnd(v []byte, i int) int {
	if i >= len(v) {
		return len(v)
	}

	switch v[i] {
	case '"':
		return stringEnd(v, i)
	case '{', '[':
		return compositeEnd(v, i)
	}

	return literalEnd(v, i)
}

func literalEnd(v []byte, i int) int {
	for i < len(v) && v[i] != ',' && v[i] != '}' && v[i] != ']' && !isSpace(v[i]) {
		i++
	}
	return i
}

func stringEnd(v []byte, i int) int {
	begin := i + 1
	for i = begin; i < len(v); i++ {
		quote := bytes.IndexByte(v[i:], '"')
		if quote < 0 {
			return len(v)
		}

		i += quote

		// A backslash that is not escaped itself escapes the quotation mark.
		text := i
		for text > begin && v[text-1] == '\\' {
			text--
		}
		if (i-text)%2 == 0 {
			return i + 1
		}
	}

	return len(v)
}

func compositeEnd(v []byte, i int) int {
	for depth := 0; i < len(v); i++ {
		switch v[i] {
		case '"':
			i = stringEnd(v, i) - 1

		case '{', '[':
			depth++

		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}

	return len(v)
}
