// SPDX-License-Identifier: MPL-2.0

// Package answer reads what the service answers. The interface shows hardly any answer, so
// each one counts only as what it is recognised as: every function here returns the value
// of one kind of answer, or a *Error that says why it is not one, and which setting
// admits it. It knows no HTTP and no Terraform.
//
// The vocabulary is the same for all of them: Open gives the fields of an object by their
// folded names, inner opens a wrapper, and an Error is the outcome of what is no value.
package answer

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Outcome is what an answer is that is not the value it was asked for.
type Outcome int

const (
	// Unrecognised: nothing shows what the answer is.
	Unrecognised Outcome = iota
	// Refused: the answer says that the service has not done what it was asked for.
	Refused
	// Absent: the answer says that the service holds nothing.
	Absent
)

// Error says why an answer is not the value it was asked for. Its text holds names of
// members that have the form of a field's name, and nothing else of the answer.
type Error struct {
	Outcome Outcome
	Why     string
	// Advice says which setting admits the answer; empty where none does.
	Advice string
}

func (e *Error) Error() string {
	if e.Advice == "" {
		return e.Why
	}
	return e.Why + "; " + e.Advice
}

// Admits returns the advice that a setting admits the answer.
func Admits(setting string) string {
	return "if that is right for your service, " + setting + " admits it"
}

// wantObject returns the Error of an answer that is no object.
func wantObject(v jsontext.Value) *Error {
	return &Error{Why: "expected an object, found " + jsonvalue.KindName(v.Kind())}
}

// member is one member of an object.
type member struct {
	name   string // as the service spells it
	folded string
	value  jsontext.Value
}

// Object is an object of an answer. Its fields are found by their folded names, so that
// identityId and identity_id are one field. Reading a field notes the first Error of the
// object.
type Object struct {
	members []member
	problem *Error
}

// Open returns the object v, which is valid JSON; without members where v is no object.
func Open(v jsontext.Value) *Object {
	o := &Object{}
	in := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowDuplicateNames(true))
	if v.Kind() != '{' {
		return o
	}

	_, _ = in.ReadToken() // the opening bracket
	for in.PeekKind() == '"' {
		token, _ := in.ReadToken()
		name := token.String()
		value, err := in.ReadValue()
		if err != nil {
			break
		}
		o.members = append(o.members, member{name, jsonvalue.Fold(name), value.Clone()})
	}

	return o
}

// sameWord reports whether two words are equal once they are folded.
func sameWord(a, b string) bool { return a != "" && jsonvalue.Fold(a) == jsonvalue.Fold(b) }

// isNamed reports whether the member has one of these names. names are folded.
func (m member) isNamed(names string) bool { return slices.Contains(strings.Fields(names), m.folded) }

// isNull reports whether a value is null or missing.
func isNull(v jsontext.Value) bool { return len(v) == 0 || v.Kind() == 'n' }

// field returns the first of these fields that is not null; nil where there is none. names
// are folded. Two members that are spelled differently and are the same field are an
// Error, because two readers would understand them differently.
func (o *Object) field(names string) jsontext.Value {
	for name := range strings.FieldsSeq(names) {
		var found []jsontext.Value
		for _, m := range o.members {
			if m.folded == name {
				found = append(found, m.value)
			}
		}

		if len(found) > 1 {
			o.problem = cmp.Or(o.problem, &Error{Why: "the answer has " + name + " twice, in different spellings"})
		}
		if last := len(found) - 1; last >= 0 && !isNull(found[last]) {
			return found[last]
		}
	}

	return nil
}

// has reports whether the object has one of these fields, null or not. names are folded.
func (o *Object) has(names string) bool {
	return slices.ContainsFunc(o.members, func(m member) bool { return m.isNamed(names) })
}

// describing are the members that say something about an answer, and hold none of its data.
const describing = "links meta relationships warnings error errors"

// objects returns the objects in the object, other than these fields. but are folded names.
func (o *Object) objects(but string) []*Object {
	var found []*Object
	for _, m := range o.members {
		if m.value.Kind() == '{' && !m.isNamed(but) {
			found = append(found, Open(m.value))
		}
	}
	return found
}

// onlyMember returns the only member of the object; the zero member where there are none or several.
func (o *Object) onlyMember() member {
	if len(o.members) != 1 {
		return member{}
	}
	return o.members[0]
}

// inner opens a wrapper: the only object in o, other than one that describes the answer or
// is one of these fields. It returns nil where there is none, and beside a list, which makes
// it one of several things. fields are folded names.
func (o *Object) inner(fields string) *Object {
	none := describing + " " + fields
	isList := func(m member) bool { return m.value.Kind() == '[' && !m.isNamed(none) }
	found := o.objects(none)
	if len(found) != 1 || slices.ContainsFunc(o.members, isList) {
		return nil
	}
	return found[0]
}

// IgnoredLeaves returns the setting that ignores leaves, each with the value expected.
func IgnoredLeaves(leaves map[jsontext.Pointer]string) string {
	var all []string
	for _, at := range slices.Sorted(maps.Keys(leaves)) {
		all = append(all, strconv.Quote(string(at))+" = "+strconv.Quote(leaves[at]))
	}
	return "wire.ignored = { " + strings.Join(all, ", ") + " }"
}

// Shown returns the names of members as a message shows them, such as `"id", "total"`. In
// place of a name that has not the form of a field's name, and may be a person, is an
// ellipsis.
func Shown(names []string) string {
	var quoted []string
	for _, name := range names {
		if plain, _, _ := strings.Cut(name, "="); !jsonvalue.IsFieldName(plain) {
			name = "…"
		}
		quoted = append(quoted, `"`+name+`"`)
	}

	const limit = 12
	if len(quoted) > limit {
		quoted = append(quoted[:limit], "…")
	}

	return strings.Join(quoted, ", ")
}

// Members returns the names of an object's members for a message, such as
// ` (its members are "id", "personId")`, and never a value, nor the person. It is empty where
// v is no object. person is whom the message is about; empty if nobody is known.
func Members(v jsontext.Value, person string) string {
	var names []string
	for name := range jsonvalue.EachMember(v) {
		if PersonKey(string(name)) == PersonKey(person) {
			name = nil
		}
		names = append(names, string(name))
	}
	if len(names) == 0 {
		return ""
	}

	return " (its members are " + Shown(names) + ")"
}

// Structure returns what an answer consists of, such as `an object of $.id (a string)`: its
// names, as far as they have the form of a field's name, and no value. Elements of an array
// share their places. A key among many objects of one structure is not shown either: such
// names may be people.
func Structure(v jsontext.Value) string {
	const limit = 12
	var parts []string

	var add func(path string, v jsontext.Value)
	add = func(path string, v jsontext.Value) {
		part := path + " (" + jsonvalue.KindName(v.Kind()) + ")"
		if path != "$" && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
		if len(parts) > limit {
			return
		}

		for _, element := range jsonvalue.Elements(v) {
			add(path+"[]", element)
		}
		isMap := isMap(v)
		for key, value := range jsonvalue.EachMember(v) {
			name := string(key)
			if isMap || !jsonvalue.IsFieldName(name) {
				name = jsonvalue.AnyName
			}
			add(path+"."+name, value)
		}
	}
	add("$", v)

	if len(parts) > limit {
		parts = append(parts[:limit], "…")
	}
	if len(parts) == 0 {
		return jsonvalue.KindName(v.Kind())
	}

	return jsonvalue.KindName(v.Kind()) + " of " + strings.Join(parts, ", ")
}

// isMap reports whether an object looks like a map: several members, all of them objects
// with the same names. The names of its own members may be people.
func isMap(v jsontext.Value) bool {
	var structures []string
	for _, value := range jsonvalue.EachMember(v) {
		structures = append(structures, strings.Join(jsonvalue.Names(jsonvalue.Members(value)), "\x00"))
	}
	return len(structures) > 1 && structures[0] != "" && len(slices.Compact(structures)) == 1
}

// ReadToken returns the text of the token in the answer to a login (section 2): in an object at its
// top, or at the place that wire.envelope says. The error is a *Error.
func ReadToken(v jsontext.Value, envelope jsontext.Pointer) (string, error) {
	for _, at := range []jsontext.Pointer{"", envelope} {
		if text := jsonvalue.Text(At(v, at.AppendToken("token"))); text != "" {
			return text, nil
		}
	}
	return "", &Error{Why: "the answer has no text in a field token (section 2 of the interface); it is not shown"}
}

// ReadUser returns an error, which is a *Error, for an answer that is not the record of
// the current user: an object that reports no error. The interface says nothing else of it.
func ReadUser(v jsontext.Value) error {
	if v.Kind() != '{' {
		return wantObject(v)
	}
	if Open(v).saysNo(outcomes) {
		return refused()
	}
	return nil
}
