// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// node is a JSON value of an answer. Objects are decoded with all that is in them; the elements of an
// array only when they are asked for, since a list may be long.
type node struct {
	jsontext.Value

	parent   *node // the object or the array around it
	at       jsontext.Pointer
	name     string  // folded, so that identityId and identity_id are one field; of members only
	text     string  // as wire.ignored has it: without quotes, or else as it is spelled; of leaves only
	size     int     // how many members or elements there are
	members  []*node // of an object, in their order
	elements []*node // of an array, once they were asked for
	ignored  bool    // the settings say that it says nothing
}

// decode returns the answer v, which is valid JSON, or nothing.
func (e Envelope) decode(v jsontext.Value) *node {
	answer := next(decoderOf(v), v, &node{}, "")
	for at, want := range e.Ignored {
		leaf := answer.find(at)
		leaf.ignored = leaf.isIgnorable(want)
	}
	if e.Result.At != "" {
		result := answer.find(e.Result.At)
		result.ignored = result.ignored || e.Result.IsSuccess(result.at, result.text)
	}

	return answer
}

// decoderOf returns a decoder of a value, which was checked when it came.
func decoderOf(v jsontext.Value) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// next returns the next value of a decoder, which reads a whole that parent is or has begun.
func next(in *jsontext.Decoder, whole jsontext.Value, parent *node, at jsontext.Pointer) *node {
	n := &node{parent: parent, at: at}
	begin := in.InputOffset()
	switch in.PeekKind() {
	case '{':
		_, _ = in.ReadToken() // it is there, as the answer is valid
		for in.PeekKind() == '"' {
			token, err := in.ReadToken()
			if err != nil {
				break
			}
			name := token.String()
			member := next(in, whole, n, at.AppendToken(name))
			member.name = jsonvalue.Fold(name)
			n.members = append(n.members, member)
		}
		_, _ = in.ReadToken()
		n.size = len(n.members)
	case '[':
		_, _ = in.ReadToken()
		for in.PeekKind() != ']' && in.SkipValue() == nil {
			n.size++
		}
		_, _ = in.ReadToken()
	default:
		token, _ := in.ReadToken()
		n.text = token.String()
	}

	n.Value = bytes.TrimLeft(whole[begin:in.InputOffset()], ":, \t\r\n")
	if n.isComposite() && n.size == 0 {
		n.text = string(n.Value)
	}

	return n
}

// inside returns the members of an object, or the elements of an array.
func (n *node) inside() []*node {
	if n.Kind() != '[' {
		return n.members
	}

	in := decoderOf(n.Value)
	_, _ = in.ReadToken() // the bracket
	for len(n.elements) < n.size {
		at := n.at.AppendToken(strconv.Itoa(len(n.elements)))
		n.elements = append(n.elements, next(in, n.Value, n, at))
	}

	return n.elements
}

// find returns what a pointer leads to from n; an empty node where there is nothing.
func (n *node) find(at jsontext.Pointer) *node {
	for token := range at.Tokens() {
		inside := n.inside()
		i := slices.IndexFunc(inside, func(m *node) bool { return m.at.LastToken() == token })
		n = &node{parent: n}
		if i >= 0 {
			n = inside[i]
		}
	}

	return n
}

// isNamed reports whether a member has one of these names, which are folded.
func (n *node) isNamed(lists ...[]string) bool {
	for _, names := range lists {
		if slices.Contains(names, n.name) {
			return true
		}
	}
	return false
}

// field returns the first of these fields that is neither null nor ignored; an empty node where there
// is none. names are folded. The last one of a name counts, since a plain id follows the @id of JSON-LD.
func (n *node) field(names ...string) *node {
	for _, name := range names {
		for _, m := range slices.Backward(n.members) {
			isSet := !m.isNull() && !m.ignored
			if m.name == name && isSet {
				return m
			}
		}
	}

	return &node{}
}

// isNull reports whether the value is null or missing.
func (n *node) isNull() bool { return len(n.Value) == 0 || n.Kind() == 'n' }

// isBlank reports whether the value is null, or an object of nothing but such values.
func (n *node) isBlank() bool {
	isOther := func(m *node) bool { return !m.isBlank() }
	if n.Kind() == '{' {
		return !slices.ContainsFunc(n.members, isOther)
	}
	return n.isNull()
}

// isEmptyList reports whether the value is an array without elements, which is how PHP writes an object
// without members.
func (n *node) isEmptyList() bool { return n.Kind() == '[' && n.size == 0 }

// isComposite reports whether the value is an object or an array.
func (n *node) isComposite() bool { return n.Kind() == '{' || n.Kind() == '[' }

// isIgnorable reports whether the value says nothing if wire.ignored has one for its place. An object
// with something in it always says something, and an array unless it has the links to pages.
func (n *node) isIgnorable(want string) bool {
	isAny := want == AnyValue
	if n.size > 0 {
		return isAny && n.isLinks()
	}
	return isAny || want == n.text
}

// isLinks reports whether an array has the links to pages, as a paginator of Laravel writes them.
func (n *node) isLinks() bool {
	isOther := func(m *node) bool { return m.find("/url").Value == nil || m.find("/label").Value == nil }
	return n.Kind() == '[' && !slices.ContainsFunc(n.inside(), isOther)
}

// scalar returns the text of a string, or a number as it is spelled; empty for any other value.
func (n *node) scalar() string {
	if n.Kind() == '"' || n.Kind() == '0' {
		return n.text
	}
	return ""
}

// verdict returns what a member says of what was asked for, by its name and value: an error that says
// something, a flag, a status, or the code of a result. It is Unclear for any other member.
func (n *node) verdict() Progress {
	code := n.scalar()
	isTrue, isTruth := truths[strings.ToLower(n.text)]
	switch {
	case n.ignored:
		return Unclear
	case n.isNamed(statusFields):
		return progressOf(code)
	case n.isNamed(errorFields) && !jsonvalue.IsZero(n.Value):
		return Failed
	case n.isNamed(flagFields) && isTruth:
		return doneIf(isTrue)
	case n.isNamed(resultCodes) && code != "":
		return doneIf(isWord(code, successWords))
	}

	return Unclear
}

func doneIf(ok bool) Progress {
	if ok {
		return Done
	}
	return Failed
}

// saysNo reports whether an object reports an error, or one of its fields with these names says that
// the service has not done what it was asked for.
func (n *node) saysNo(fields ...[]string) bool {
	return slices.ContainsFunc(n.members, func(m *node) bool {
		says := m.isNamed(errorFields) || m.isNamed(fields...)
		return says && m.verdict() == Failed
	})
}

// SaysNo reports whether the answer to a request for a change says that it failed, although
// its status is one of success: by an error, or by a flag such as success or accepted that is
// false.
func SaysNo(v jsontext.Value) bool { return Envelope{}.decode(v).saysNo(flagFields) }

// leaves returns the values of an answer that are empty, or neither an object nor an array, in their
// order: those that are not ignored, and do not stand in the part at a place.
func (n *node) leaves(part jsontext.Pointer) (found []*node) {
	if n.ignored || part.Contains(n.at) {
		return nil
	}
	if n.size == 0 {
		return []*node{n}
	}

	for _, inside := range n.inside() {
		found = append(found, inside.leaves(part)...)
	}

	return found
}
