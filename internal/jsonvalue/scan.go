// Package jsonvalue answers questions about JSON values that several packages ask:
// what is in an object, and what a document says of itself.
package jsonvalue

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// EachMember yields the members of the object v in their order, names without quotes
// and escapes. It yields nothing where v is no object.
//
// v must be valid JSON. EachMember does not parse it again: it finds where each value
// ends, at several times the speed of a parser, and looks no further than its caller.
func EachMember(v jsontext.Value) iter.Seq2[[]byte, jsontext.Value] {
	return func(yield func([]byte, jsontext.Value) bool) {
		i := skipSpace(v, 0)
		if i == len(v) || v[i] != '{' {
			return
		}

		for i = skipSpace(v, i+1); i < len(v) && v[i] == '"'; i = skipSpace(v, i+1) {
			end := valueEnd(v, i)
			name := unquoted(v[i:end])

			if i = skipSpace(v, end); i == len(v) {
				return
			}
			i = skipSpace(v, i+1) // the colon
			end = valueEnd(v, i)
			if !yield(name, v[i:end:end]) {
				return
			}

			if i = skipSpace(v, end); i == len(v) || v[i] != ',' {
				return
			}
		}
	}
}

// EachElement yields the elements of the array v in their order, under the conditions
// of EachMember.
func EachElement(v jsontext.Value) iter.Seq[jsontext.Value] {
	return func(yield func(jsontext.Value) bool) {
		i := skipSpace(v, 0)
		if i == len(v) || v[i] != '[' {
			return
		}

		for i = skipSpace(v, i+1); i < len(v) && v[i] != ']'; i = skipSpace(v, i+1) {
			end := valueEnd(v, i)
			if !yield(v[i:end:end]) {
				return
			}

			if i = skipSpace(v, end); i == len(v) || v[i] != ',' {
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

func skipSpace(v []byte, i int) int {
	for i < len(v) && (v[i] == ' ' || v[i] == '\n' || v[i] == '\t' || v[i] == '\r') {
		i++
	}
	return i
}

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

	for i < len(v) && !bytes.ContainsRune([]byte(",}] \n\r\t"), rune(v[i])) {
		i++
	}
	return i
}

func stringEnd(v []byte, i int) int {
	for i++; i < len(v); i++ {
		quote := bytes.IndexByte(v[i:], '"')
		if quote < 0 {
			return len(v)
		}

		escapes := 0
		for at := i + quote - 1; at >= i && v[at] == '\\'; at-- {
			escapes++
		}
		if i += quote; escapes%2 == 0 {
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
