// SPDX-License-Identifier: MPL-2.0

// Package answer reads what the service answers. The interface shows hardly any answer, so
// each one counts only as what it is recognised as: every function here returns the value
// of one kind of answer, or an *Error that says why it is not one, and which setting
// admits it. It knows no HTTP and no Terraform.
//
// An answer is decoded once, into a tree of nodes whose members are found by their folded
// names. The names and words that are known are in words.go.
package answer

import (
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
	// Incomplete: the answer is a part, or may be.
	Incomplete
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

func refused() *Error {
	return &Error{Outcome: Refused, Why: "the answer has a status of success and says that the service refused the request"}
}

func wantObject(n *node) *Error {
	return &Error{Why: "expected an object, found " + jsonvalue.KindName(n.Kind())}
}

// ReadToken returns the text of the token in the answer to a login (section 2): in the object at its
// top, at the place that wire.envelope says, or in the only object at its top that has one. The error is an
// *Error.
func ReadToken(v jsontext.Value, envelope jsontext.Pointer) (string, error) {
	var inside []string
	for _, value := range jsonvalue.EachMember(v) {
		if text := jsonvalue.Text(jsonvalue.At(value, "/token")); text != "" {
			inside = append(inside, text)
		}
	}

	only := ""
	if len(inside) == 1 {
		only = inside[0]
	}
	token := cmp.Or(jsonvalue.Text(jsonvalue.At(v, "/token")), jsonvalue.Text(jsonvalue.At(v, envelope+"/token")), only)
	if token == "" {
		return "", &Error{Why: "the answer has no text in a field token (section 2 of the interface); it is not shown"}
	}

	return token, nil
}

// ReadUser returns an error, which is an *Error, for an answer that is not the record of
// the current user: an object that reports no error. The interface says nothing else of it.
func ReadUser(v jsontext.Value) error {
	user := decode(v)
	if user.Kind() != '{' {
		return wantObject(user)
	}
	if user.says(roleRefusal, Failed) {
		return refused()
	}
	return nil
}

// Members returns the names of an object's members for a message, such as
// ` (its members are "id", "personId")`, and never a value, nor the person. It is empty where
// v is not an object. person is whom the message is about; empty if nobody is known.
func Members(v jsontext.Value, person string) string {
	var places []jsontext.Pointer
	for key := range jsonvalue.EachMember(v) {
		name := string(key)
		if PersonKey(name) == PersonKey(person) {
			name = hidden
		}
		places = append(places, jsontext.Pointer("").AppendToken(name))
	}
	if len(places) == 0 {
		return ""
	}

	return " (its members are " + strings.ReplaceAll(Shown(places...), `"/`, `"`) + ")"
}

const (
	limitShown = 12  // how many names a message shows at most
	hidden     = "…" // stands for a name that must not be shown
)

// Shown returns the first of some places in an answer for a message, such as `"/id", "/total"`, with an ellipsis for
// each that must not be shown.
func Shown(places ...jsontext.Pointer) string {
	var shown []string
	for _, at := range places[:min(len(places), limitShown)] {
		if !jsonvalue.IsFieldPointer(at) {
			at = hidden
		}
		shown = append(shown, strconv.Quote(string(at)))
	}
	if len(places) > limitShown {
		shown = append(shown, hidden)
	}

	return strings.Join(shown, ", ")
}

// Structure returns what an answer consists of, such as `an object of $.id (a string)`: its
// names, as far as they have the form of a field's name, and no value. Elements of an array
// share their places. A key among many objects of one structure is not shown either: such
// names may be people.
func Structure(v jsontext.Value) string {
	parts := structureOf(v, "$", nil)[1:] // without the whole
	if len(parts) == 0 {
		return jsonvalue.KindName(v.Kind())
	}
	if len(parts) > limitShown {
		parts = append(parts[:limitShown], hidden)
	}

	return jsonvalue.KindName(v.Kind()) + " of " + strings.Join(parts, ", ")
}

// structureOf appends the parts of a value at a path to those that were found before, until there are
// more than a message shows.
func structureOf(v jsontext.Value, path string, found []string) []string {
	part := path + " (" + jsonvalue.KindName(v.Kind()) + ")"
	if !slices.Contains(found, part) {
		found = append(found, part)
	}
	if len(found) > limitShown+1 {
		return found
	}

	for _, element := range jsonvalue.Elements(v) {
		found = structureOf(element, path+"[]", found)
	}
	isMap := isMap(v)
	for name, value := range jsonvalue.EachMember(v) {
		shown := string(name)
		if isHidden := isMap || !jsonvalue.IsFieldName(shown); isHidden {
			shown = "{}"
		}
		found = structureOf(value, path+"."+shown, found)
	}

	return found
}

// isMap reports whether an object looks like a map: several members, all of them objects
// with the same names. The names of its own members may be people.
func isMap(v jsontext.Value) bool {
	structures := map[string]bool{}
	members := jsonvalue.Members(v)
	for _, value := range members {
		structures[strings.Join(slices.Sorted(maps.Keys(jsonvalue.Members(value))), "\x00")] = true
	}
	return len(members) > 1 && len(structures) == 1 && !structures[""]
}
