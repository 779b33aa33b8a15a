// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// Place is a place in a document: its names and what stands there, and never a value.
type Place struct {
	// Path holds the names of the members from the top. Each stands for the elements of
	// an array, and AnyName for a name that is not shown.
	Path []string
	// Kind is the kind of the value, as jsontext spells it.
	Kind jsontext.Kind
}

// Elements of a Path that are no names.
const (
	Each    = "[]"
	AnyName = "{}"
)

// Name returns the name of the member at the place, or Each.
func (p Place) Name() string {
	if len(p.Path) == 0 {
		return ""
	}
	return p.Path[len(p.Path)-1]
}

// String returns the path as a message shows it, such as $.requests[].id.
func (p Place) String() string {
	var b strings.Builder
	b.WriteByte('$')
	for _, name := range p.Path {
		if name != Each {
			b.WriteByte('.')
		}
		b.WriteString(name)
	}

	return b.String()
}

// Bounds of an outline. What is beyond them is left out.
const (
	outlineDepth    = 8
	outlinePlaces   = 300
	outlineElements = 1000
)

// Outline returns the places of a document in their order, at most 300 of them. Elements
// of an array share their places. A name is not shown if hidden returns true for it, if it
// has no form that names of fields have, or if it is a key among many objects of one
// structure: such names may be people.
func Outline(v jsontext.Value, hidden func(name string) bool) []Place {
	o := &outline{hidden: hidden, seen: map[string]bool{}}
	o.add(nil, v)
	return o.places
}

type outline struct {
	hidden func(string) bool
	seen   map[string]bool // by path and kind
	places []Place
}

func (o *outline) add(path []string, v jsontext.Value) {
	p := Place{Path: slices.Clone(path), Kind: v.Kind()}
	if p.Kind == 'f' {
		p.Kind = 't'
	}

	key := p.String() + " " + string(rune(p.Kind))
	if !o.seen[key] && len(o.places) < outlinePlaces {
		o.seen[key] = true
		o.places = append(o.places, p)
	}

	if len(path) < outlineDepth {
		o.addInside(path, v)
	}
}

// addInside adds the members of an object, or the elements of an array.
func (o *outline) addInside(path []string, v jsontext.Value) {
	count := 0
	for element := range EachElement(v) {
		if count++; count > outlineElements {
			return
		}
		o.add(append(path, Each), element)
	}

	isMap := isMap(v)
	for name, member := range EachMember(v) {
		shown := string(name)
		if isMap || !IsFieldName(shown) || o.hidden != nil && o.hidden(shown) {
			shown = AnyName
		}
		o.add(append(path, shown), member)
	}
}

// isMap reports whether an object looks like a map: several members, all of them objects
// with the same names. The names of its own members may be people.
func isMap(v jsontext.Value) bool {
	var first string
	count := 0
	for _, member := range EachMember(v) {
		names := strings.Join(Names(Members(member)), "\x00")
		if names == "" || count > 0 && names != first {
			return false
		}
		first = names
		count++
	}

	return count > 1
}

// longestName bounds the name of a field, in bytes.
const longestName = 40

// IsFieldName reports whether a name has the form of a field's name: at most 40 letters
// with at most two digits and the characters that separate words. Identifiers of people
// have others, or more digits.
func IsFieldName(name string) bool {
	if name == "" || len(name) > longestName {
		return false
	}

	digits := 0
	for i, r := range name {
		switch {
		case r > unicode.MaxASCII:
			return false
		case r >= '0' && r <= '9':
			digits++
		case unicode.IsLetter(r):
		case strings.ContainsRune("_-.", r):
		case i == 0 && strings.ContainsRune("$@", r):
		default:
			return false
		}
	}

	return digits <= 2 && digits < len(name)
}
