// SPDX-License-Identifier: MPL-2.0

package jsonvalue

import (
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Place is a place in a document: its names and what stands there, and never a value.
type Place struct {
	// Path is where it is, as a message shows it, such as $.requests[].id.
	Path string
	// Name is that of the member, AnyName for one that is not shown. The top and the elements
	// of an array have none.
	Name string
	// Kind is the kind of the value, as jsontext spells it.
	Kind jsontext.Kind
}

// AnyName stands for the names that are not shown.
const AnyName = "{}"

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
	var places []Place
	seen := map[Place]bool{}

	var add func(p Place, v jsontext.Value, levels int)
	add = func(p Place, v jsontext.Value, levels int) {
		if p.Kind = v.Kind(); p.Kind == 'f' {
			p.Kind = 't'
		}
		if !seen[p] && len(places) < outlinePlaces {
			seen[p] = true
			places = append(places, p)
		}
		if levels == 0 {
			return
		}

		elements := Elements(v)
		for _, element := range elements[:min(len(elements), outlineElements)] {
			add(Place{Path: p.Path + "[]"}, element, levels-1)
		}

		isMap := isMap(v)
		for key, member := range EachMember(v) {
			name := string(key)
			if isMap || !IsFieldName(name) || hidden != nil && hidden(name) {
				name = AnyName
			}
			add(Place{Path: p.Path + "." + name, Name: name}, member, levels-1)
		}
	}
	add(Place{Path: "$"}, v, outlineDepth)

	return places
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

// fieldName matches letters, at most two digits, and the characters that separate words.
var fieldName = regexp.MustCompile(`^[$@]?[A-Za-z_.-]*\d?[A-Za-z_.-]*\d?[A-Za-z_.-]*$`)

// IsFieldName reports whether a name has the form of a field's name: at most 40 letters
// with at most two digits and the characters that separate words. Identifiers of people
// have others, or more digits.
func IsFieldName(name string) bool {
	const longest = 40
	return len(name) <= longest && fieldName.MatchString(name) && strings.Trim(name, "0123456789") != ""
}
