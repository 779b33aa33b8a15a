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

// node is a JSON value of an answer, with all that is asked of it. Objects are decoded with what is in
// them, and the elements of an array only when they are asked for, since a list may be long. A node
// without a value stands for what is missing.
type node struct {
	jsontext.Value

	parent   *node   // the object or the array around it; nil of the answer itself
	members  []*node // of an object, in their order
	elements []*node // of an array, once they were asked for

	key  string // of a member or an element, as a pointer names it
	name string // of a member, folded, so that identityId and identity_id are one field
	is   role   // of a member, by its name
	text string // of a string or a number
	word string // as wire.ignored has it: a text without quotes, or else as it is spelled; empty for an object with members

	isIgnored bool // the settings say that it says nothing
}

// decode returns a value, which is valid JSON. Nothing is null.
func decode(v jsontext.Value) *node {
	if v == nil {
		v = jsontext.Value("null")
	}
	n := &node{}
	n.read(jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)), v)

	return n
}

// read reads the next value of a decoder, which is a part of the whole that the decoder reads.
func (n *node) read(in *jsontext.Decoder, whole jsontext.Value) {
	begin := in.InputOffset()
	switch in.PeekKind() {
	case '{':
		n.readMembers(in, whole)
	case '[':
		v, _ := in.ReadValue() // it is there, as the whole is valid
		n.word = "[…]"         // not what a setting has, but any value is
		if jsonvalue.IsZero(v) {
			n.word = "[]"
		}
	case '"', '0':
		token, _ := in.ReadToken()
		n.text = token.String()
		n.word = n.text
	default:
		token, _ := in.ReadToken()
		n.word = token.String()
	}
	n.Value = bytes.TrimLeft(whole[begin:in.InputOffset()], ":, \t\r\n")
}

func (n *node) readMembers(in *jsontext.Decoder, whole jsontext.Value) {
	_, _ = in.ReadToken()
	for in.PeekKind() == '"' {
		name, _ := in.ReadToken()
		m := &node{parent: n, key: name.String()}
		m.name = jsonvalue.Fold(m.key)
		m.is = roles[m.name]
		m.read(in, whole)
		n.members = append(n.members, m)
	}
	_, _ = in.ReadToken()
	if len(n.members) == 0 {
		n.word = "{}"
	}
}

func (n *node) has() (all role) {
	for _, m := range n.members {
		all |= m.is
	}
	return all
}

// isBlank reports whether there is nothing in a value: it is null, an empty array, which is how PHP writes an
// object without members, or an object of nothing but nulls and such objects.
func (n *node) isBlank() bool {
	switch n.Kind() {
	case '{':
		isFull := func(m *node) bool { return m.Kind() == '[' || !m.isBlank() }
		return !slices.ContainsFunc(n.members, isFull)
	case '[':
		return n.word == "[]"
	}
	return n.Kind() == 'n'
}

// inside returns the members of an object, or the elements of an array.
func (n *node) inside() []*node {
	if n.Kind() != '[' {
		return n.members
	}
	if n.elements != nil {
		return n.elements
	}
	for i, v := range jsonvalue.Elements(n.Value) {
		element := decode(v)
		element.parent, element.key = n, strconv.Itoa(i)
		n.elements = append(n.elements, element)
	}

	return n.elements
}

// find returns what a pointer leads to from n. Where there is nothing, it is an empty node in the
// innermost value on the way.
func (n *node) find(at jsontext.Pointer) *node {
	for token := range at.Tokens() {
		inside := n.inside()
		i := slices.IndexFunc(inside, func(m *node) bool { return m.key == token })
		if i < 0 {
			return &node{parent: n}
		}
		n = inside[i]
	}

	return n
}

func (n *node) at() jsontext.Pointer {
	if n.parent == nil {
		return ""
	}
	return n.parent.at().AppendToken(n.key)
}

func placesOf(nodes []*node) (places []jsontext.Pointer) {
	for _, n := range nodes {
		places = append(places, n.at())
	}
	return places
}

// field returns the first of the names of a role that is a member and neither null nor ignored; an empty
// node where there is none. The last member of a name counts, since a plain id follows the @id of JSON-LD.
func (n *node) field(is role) *node {
	for _, name := range names[is] {
		for _, m := range slices.Backward(n.members) {
			if m.name == name && m.Kind() != 'n' {
				return m
			}
		}
	}

	return &node{}
}

func (n *node) named(is role) (found []*node) {
	for _, m := range n.members {
		if m.is&is != 0 {
			found = append(found, m)
		}
	}
	return found
}

// ignore makes the node say nothing but that it is a word of envelopes.
func (n *node) ignore() {
	n.isIgnored, n.name = true, ""
	n.is &= roleWrapping
}

// verdict returns what a member says of what was asked for, by its name and value: an error that says something,
// a flag, a status, or the code of a result. It is Unclear for any other member.
func (n *node) verdict() Progress {
	isTrue, isTruth := truths[strings.ToLower(n.word)]
	switch {
	case n.isIgnored:
		return Unclear
	case n.is&roleStatus != 0:
		return RecordMap{}.progressOf(n.text)
	case n.is&roleError != 0:
		return outcomeOf(false, !jsonvalue.IsZero(n.Value))
	case n.is&roleFlag != 0:
		return outcomeOf(isTrue, isTruth)
	case n.is&roleResultCode != 0:
		return outcomeOf(slices.Contains(successWords, jsonvalue.Fold(n.text)), n.text != "")
	}

	return Unclear
}

// outcomeOf returns what a member says; Unclear if it is not known to say something.
func outcomeOf(isSuccess, isKnown bool) Progress {
	if !isKnown {
		return Unclear
	}
	return map[bool]Progress{true: Done, false: Failed}[isSuccess]
}

// says reports whether a member of an object with one of these roles has this verdict.
func (n *node) says(is role, what Progress) bool {
	for _, m := range n.members {
		if m.is&is != 0 && m.verdict() == what {
			return true
		}
	}
	return false
}

// SaysNo reports whether the answer to a request for a change says that it failed, although
// its status is one of success: by an error, or by a flag such as success or accepted that is
// false.
func SaysNo(v jsontext.Value) bool { return decode(v).says(roleError|roleFlag, Failed) }

// leaves returns the values of an answer that are empty, or neither an object nor an array, in their
// order: those that are not ignored, and do not stand in a part of it.
func (n *node) leaves(part *node) (found []*node) {
	if n.isIgnored || n == part {
		return nil
	}

	inside := n.inside()
	if len(inside) == 0 {
		return []*node{n}
	}
	for _, m := range inside {
		found = append(found, m.leaves(part)...)
	}

	return found
}
