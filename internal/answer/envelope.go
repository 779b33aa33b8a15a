// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// AnyValue stands in Envelope.Ignored for any value.
const AnyValue = "*"

// Envelope says where every answer has its content, and what stands beside it. Its names in JSON are
// those of the block wire.
type Envelope struct {
	At      jsontext.Pointer            `json:"envelope,omitzero"`
	Ignored map[jsontext.Pointer]string `json:"ignored,omitzero"` // the value of each leaf as text, or AnyValue
	Result  Result                      `json:"result,omitzero"`
}

// Result says where answers with a status of success say what came of the request, and by which
// words. The zero Result knows no such place. Its names in JSON are those of the block wire.result.
type Result struct {
	At      jsontext.Pointer `json:"at,omitzero"`      // of a word or a number
	Success []string         `json:"success,omitzero"` // words that say that all is well
	Absent  []string         `json:"absent,omitzero"`  // words that say that there is nothing about a person
}

// IsOtherPage reports whether a value of a kind has, beside the link to the next page, that to another one, which
// says nothing of the content. A number or a truth value does: the last page has "last": true.
func IsOtherPage(is jsontext.Kind, at, next jsontext.Pointer) bool {
	isLink := is == '"' || is == 'n'
	return isLink && slices.ContainsFunc([]string{"prev", "previous", "first", "last", "self"}, func(page string) bool {
		title := strings.ToUpper(page[:1]) + page[1:]
		return next != "" && string(at) == strings.NewReplacer("next", page, "Next", title).Replace(string(next))
	})
}

// IsSuccess reports whether the value of a leaf says that the service did what it was asked for.
func (r Result) IsSuccess(at jsontext.Pointer, value string) bool {
	return r.At != "" && at == r.At && slices.Contains(r.Success, value)
}

// Says returns an *Error for an answer to a reading that has another word at the place of the result
// than one of success: Absent, or Refused.
func (r Result) Says(v jsontext.Value) error {
	if r.At == "" {
		return nil
	}

	result := decode(v).find(r.At)
	isSilent := result.word == "" && len(result.inside()) == 0
	switch {
	case isSilent, slices.Contains(r.Success, result.word):
		return nil
	case slices.Contains(r.Absent, result.word):
		return &Error{Outcome: Absent, Why: "the service holds nothing of this person, by the word that wire.result.absent has"}
	}

	return refused()
}

// decode returns an answer in which what the settings name says nothing. An object with something in it always
// says something.
func (e Envelope) decode(v jsontext.Value) *node {
	answer := decode(v)
	for at := range e.Ignored {
		if leaf := answer.find(at); len(leaf.members) == 0 && e.Ignores(at, leaf.word) {
			leaf.ignore()
		}
	}
	if e.Result.At != "" {
		if result := answer.find(e.Result.At); e.Result.IsSuccess(e.Result.At, result.word) {
			result.ignore()
		}
	}

	return answer
}

// content returns what is at a place in the content of an answer. setting is the name of the setting
// that says where. The Error is Refused where an object around it says no, and unrecognised where
// nothing is there. An answer that ends on the way there with null, with an empty array or with an object
// of nothing but nulls is found there.
func (e Envelope) content(answer *node, setting string, at jsontext.Pointer) (*node, error) {
	found := answer.find(e.At + at)
	for around := found.parent; around != nil; around = around.parent {
		if around.says(roleRefusal, Failed) {
			return nil, refused()
		}
	}

	if found.Value != nil {
		return found, nil
	}
	if found.parent.isBlank() {
		return found.parent, unexplained(answer, found.parent)
	}
	if answer.find(e.At).Value == nil {
		setting, at = "wire.envelope", e.At
	}

	return nil, &Error{
		Why:    "the answer has nothing at " + strconv.Quote(string(at)) + ", where " + setting + " points to; it is " + Structure(answer.Value),
		Advice: "correct the setting, or leave it out",
	}
}

// unexplained returns the Error of an answer with nothing at a place where the content is expected, and
// something beside it that may say why; nil where nothing stands there but what says yes or nothing, names
// the person or the call, or dates it.
func unexplained(answer, nothing *node) error {
	beside := slices.DeleteFunc(answer.leaves(nothing), func(leaf *node) bool {
		isResult := leaf.is&(roleResultCode|roleResult) != 0 && slices.Contains(successWords, jsonvalue.Fold(leaf.text))
		isNamed := leaf.is&(rolePerson|roleID|roleCreated|roleTrace) != 0
		return isResult || isNamed || leaf.verdict() == Done || jsonvalue.IsZero(leaf.Value)
	})
	if len(beside) == 0 {
		return nil
	}

	return &Error{
		Why:    "the answer has nothing at " + Shown(nothing.at()) + ", and what stands beside it may say why: " + Shown(placesOf(beside)...),
		Advice: "look at it: wire.result says by which words an answer says that there is nothing, and wire.ignored leaves out what says nothing",
	}
}

// Ignores reports whether the settings say that a leaf with this value, as text, says nothing, or that it is a
// word of success.
func (e Envelope) Ignores(at jsontext.Pointer, value string) bool {
	if want, isIgnored := e.Ignored[at]; isIgnored {
		return want == AnyValue || want == value
	}
	return e.Result.IsSuccess(at, value)
}
