// SPDX-License-Identifier: MPL-2.0

// Package answer reads what the service answers. The interface shows hardly any answer, so each one counts only as
// what it is recognised as: every function here returns the value of one kind of answer, or an *Error that says why
// it is not one, and which setting admits it. It knows no HTTP and no Terraform.
package answer

import (
	"cmp"
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
// top, at the place that wire.envelope says, or in the only object at its top. The error is an *Error.
func ReadToken(v jsontext.Value, envelope jsontext.Pointer) (string, error) {
	answer := Envelope{}.decode(v)
	for _, object := range []*node{answer, answer.find(envelope), cmp.Or(answer.only(nil), answer)} {
		if token := object.find("/token"); token.Kind() == '"' && token.text != "" {
			return token.text, nil
		}
	}

	return "", &Error{Why: "the answer has no text in a field token (section 2 of the interface); it is not shown"}
}

// ReadUser returns an error, which is an *Error, for an answer that is not the record of
// the current user: an object that reports no error. The interface says nothing else of it.
func ReadUser(v jsontext.Value) error {
	user := Envelope{}.decode(v)
	switch {
	case user.Kind() != '{':
		return wantObject(user)
	case user.says(refusalNames, Failed):
		return refused()
	}

	return nil
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

// Members returns the names of an object's members for a message, such as ` (its members are "id", "personId")`, and
// never a value, nor the person, whom the message is about. It is empty where there are none.
func Members(v jsontext.Value, person string) string {
	object := Envelope{}.decode(v)
	if object.Kind() != '{' || len(object.parts()) == 0 {
		return ""
	}

	for _, m := range object.inside {
		if PersonKey(m.key) == PersonKey(person) {
			m.key = hidden
		}
	}

	return " (its members are " + strings.ReplaceAll(Shown(placesOf(object.inside)...), `"/`, `"`) + ")"
}

// Structure returns what an answer consists of, such as `an object (its members are "id", "user")`: no value, nothing of
// what is deeper than that, and no key of an object that looks like a map, which may be a person.
func Structure(v jsontext.Value) string {
	elements := jsonvalue.Elements(v)
	switch {
	case len(elements) > 0:
		return "an array of " + Structure(elements[0])
	case isMap(v):
		return "a map of objects"
	}
	return jsonvalue.KindName(v.Kind()) + Members(v, "")
}

// isMap reports whether an object looks like a map: several members, all of them objects with the same names.
func isMap(v jsontext.Value) bool {
	members, structures := 0, map[string]bool{}
	for _, value := range jsonvalue.EachMember(v) {
		members++
		structures[Members(value, "")] = true
	}
	return members > 1 && len(structures) == 1 && !structures[""]
}
