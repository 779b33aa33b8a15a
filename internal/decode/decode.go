// SPDX-License-Identifier: MPL-2.0

// Package decode reads what the service answers. The interface shows hardly any answer, so each one counts only as
// what it is recognised as: every function here returns the value of one kind of answer, or an *Error that says why
// it is not one, and which setting admits it. It knows no HTTP and no Terraform.
package decode

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Outcome is what an answer is that is not the value it was asked for.
type Outcome int

const (
	Unrecognised Outcome = iota // nothing shows what the answer is
	Refused                     // the service has not done what it was asked for
	Absent                      // the service holds nothing
	Incomplete                  // the answer is a part, or may be
)

// Error says why an answer is not the value it was asked for. Of the answer, its text holds only names of members.
type Error struct {
	Outcome Outcome
	Why     string
	Advice  string // which setting admits the answer; empty where none does
}

func (e *Error) Error() string {
	return strings.TrimSuffix(e.Why+"; "+e.Advice, "; ")
}

// Admits returns the advice that a setting admits the answer.
func Admits(setting string) string {
	return "if that is right for your service, " + setting + " admits it"
}

func refused() *Error {
	return &Error{Outcome: Refused, Why: "the answer has a status of success and says that the service refused the request"}
}

func wantObject(v jsontext.Value) *Error {
	return &Error{Why: "expected an object, found " + jsonvalue.KindName(v.Kind())}
}

// ReadToken returns the token in the answer to a login (section 2): that of the object that wire.envelope points to, or
// else of the only outermost one with a token.
func ReadToken(v jsontext.Value, envelope jsontext.Pointer) (string, error) {
	hasToken := func(n *node) bool { return n.find("/token").text != "" }

	answer := Envelope{}.decode(v)
	found := answer.outermost(hasToken)
	if content := answer.find(envelope); hasToken(content) {
		found = []*node{content}
	}
	if len(found) != 1 {
		return "", &Error{Why: "the answer has no text in a field token (section 2 of the interface); it is not shown"}
	}

	return found[0].find("/token").text, nil
}

// ReadUser returns an *Error for a refusal, and for an answer that is not an object.
func ReadUser(v jsontext.Value) error {
	switch {
	case v.Kind() != '{':
		return wantObject(v)
	case SaysNo(v):
		return refused()
	}
	return nil
}

// SaysNo reports whether an answer refuses: by an error, or by a flag such as success that is false.
func SaysNo(v jsontext.Value) bool {
	return Envelope{}.decode(v).says(refusalNames, Failed)
}

// AnyValue stands in Envelope.Ignored for any value.
const AnyValue = "*"

// Envelope says where every answer has its content, and what stands beside it, as the block wire.
type Envelope struct {
	At      jsontext.Pointer            `json:"envelope,omitzero"`
	Ignored map[jsontext.Pointer]string `json:"ignored,omitzero"` // the value of each leaf as text, or AnyValue
	Result  Result                      `json:"result,omitzero"`
}

// Result says where answers with a status of success say what came of the request, as the block wire.result.
type Result struct {
	At      jsontext.Pointer `json:"at,omitzero"`      // of a word or a number
	Success []string         `json:"success,omitzero"` // words that say that all is well
	Absent  []string         `json:"absent,omitzero"`  // words that say that there is nothing about a person
}

// IsOtherPage reports whether a value of a kind, beside the link to the next page, is the link to another one. It says
// nothing of the content. A number or a truth value does: the last page has "last": true.
func IsOtherPage(is jsontext.Kind, at, next jsontext.Pointer) bool {
	isLink := is == '"' || is == 'n'
	isThere := func(page string) bool {
		return strings.EqualFold(string(at), strings.ReplaceAll(strings.ToLower(string(next)), "next", page))
	}
	return isLink && next != "" && slices.ContainsFunc([]string{"prev", "previous", "first", "last", "self"}, isThere)
}

// Ignores reports whether the settings say that a leaf with this value, as text, says nothing, or that all is well.
func (e Envelope) Ignores(at jsontext.Pointer, value string) bool {
	if want, isIgnored := e.Ignored[at]; isIgnored {
		return want == AnyValue || want == value
	}
	return e.Result.At != "" && at == e.Result.At && slices.Contains(e.Result.Success, value)
}

// Says returns an *Error for an answer with another word at the place of the result than one of success.
func (r Result) Says(v jsontext.Value) error {
	word := Envelope{}.decode(v).find(r.At).word()
	switch {
	case r.At == "", word == "", slices.Contains(r.Success, word):
		return nil
	case slices.Contains(r.Absent, word):
		return &Error{Outcome: Absent, Why: "the service holds nothing of this person, by the word that wire.result.absent has"}
	}

	return refused()
}

// content returns what is at a place in the content of an answer. An answer that ends on the way there with null, with
// an empty array or with an object of nothing but nulls is found there. The Error is Refused where an object around it
// refuses.
func (e Envelope) content(answer *node, at jsontext.Pointer) (*node, error) {
	found := answer.find(e.At + at)
	for around := found.around; around != nil; around = around.around {
		if around.says(refusalNames, Failed) {
			return nil, refused()
		}
	}

	switch {
	case found.Value != nil:
		return found, nil
	case found.around.isBlank():
		return found.around, nil
	}

	return nil, &Error{
		Why:    "the answer has nothing at " + strconv.Quote(string(e.At+at)) + ", where the settings point to; it is " + Structure(answer.Value),
		Advice: "correct them, or leave them out",
	}
}

// unexplained returns the Error of an answer with nothing where the content is expected, unless nothing stands beside it
// but what says yes or nothing, names the person or the call, or dates it.
func unexplained(answer, nothing *node) error {
	var beside []jsontext.Pointer
	for _, leaf := range answer.leaves(nothing) {
		isOfCall := leaf.Kind() != '[' && slices.Contains(callNames, leaf.name)
		if !isOfCall && !leaf.isSilent() {
			beside = append(beside, leaf.at())
		}
	}
	if beside == nil {
		return nil
	}

	return &Error{
		Why:    "the answer has nothing at " + Shown(nothing.at()) + ", and what stands beside it may say why: " + Shown(beside...),
		Advice: "look at it: wire.result says by which words an answer says that there is nothing, and wire.ignored leaves out what says nothing",
	}
}

// Shown returns the first of some places in an answer for a message, such as `"/id", "/total"`, with an ellipsis for
// each that must not be shown.
func Shown(places ...jsontext.Pointer) string {
	const most, hidden = 12, "…"
	var shown []string
	for _, at := range places[:min(len(places), most)] {
		if !jsonvalue.IsFieldPointer(at) {
			at = hidden
		}
		shown = append(shown, strconv.Quote(string(at)))
	}
	if len(places) > most {
		shown = append(shown, hidden)
	}

	return strings.Join(shown, ", ")
}

// Members returns the names of an object's members for a message, such as ` (its members are "id", "personId")`: never a
// value, nor the person, whom the message is about. It is empty where several objects are all that there is, since their
// names may be those of people.
func Members(v jsontext.Value, person string) string {
	var places []jsontext.Pointer
	members := Envelope{}.decode(v).parts()
	for _, m := range members {
		places = append(places, m.at())
		if PersonKey(m.key) == PersonKey(person) {
			places[len(places)-1] = "/?" // which is not shown
		}
	}
	isMap := len(members) != 1 && !slices.ContainsFunc(members, func(m *node) bool { return m.Kind() != '{' })
	if isMap || v.Kind() != '{' {
		return ""
	}

	return " (its members are " + strings.ReplaceAll(Shown(places...), `"/`, `"`) + ")"
}

// Structure returns what an answer consists of, such as `an object (its members are "id", "user")`.
func Structure(v jsontext.Value) string {
	return jsonvalue.KindName(v.Kind()) + Members(v, "")
}
