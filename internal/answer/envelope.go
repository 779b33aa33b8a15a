// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
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

// decode returns an answer without what the settings say that says nothing. An object with something in it always
// says something. Nothing is null.
func (e Envelope) decode(v jsontext.Value) *node {
	if v == nil {
		v = jsontext.Value("null")
	}
	answer := &node{Value: v}
	for _, at := range append(slices.Collect(maps.Keys(e.Ignored)), e.Result.At) {
		leaf := answer.find(at)
		isFull := leaf.Kind() == '{' && len(leaf.parts()) > 0
		if leaf != answer && !isFull && e.Ignores(at, leaf.word()) {
			leaf.around.inside = slices.DeleteFunc(leaf.around.inside, func(part *node) bool { return part == leaf })
		}
	}

	return answer
}

// word returns a leaf as the settings have it: a text without quotes, or else as it is spelled.
func (n *node) word() string {
	if n.Kind() == '"' {
		return n.text
	}
	v := n.Value.Clone()
	_ = v.Compact() // it is valid

	return string(v)
}

// Ignores reports whether the settings say that a leaf with this value, as text, says nothing, or that it is a
// word of success.
func (e Envelope) Ignores(at jsontext.Pointer, value string) bool {
	if want, isIgnored := e.Ignored[at]; isIgnored {
		return want == AnyValue || want == value
	}
	return e.Result.At != "" && at == e.Result.At && slices.Contains(e.Result.Success, value)
}

// Says returns an *Error for an answer to a reading that has another word at the place of the result
// than one of success: Absent, or Refused.
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

// content returns what is at a place in the content of an answer. The Error is Refused where an object around it says
// no, and unrecognised where nothing is there. An answer that ends on the way there with null, with an empty array or
// with an object of nothing but nulls is found there.
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

// unexplained returns the Error of an answer with nothing where the content is expected, and something beside it that
// may say why; nil where nothing stands there but what says yes or nothing, names the person or the call, or dates it.
func unexplained(answer, nothing *node) error {
	beside := slices.DeleteFunc(answer.leaves(nothing), func(leaf *node) bool { return leaf.isNamed(callNames) || leaf.isSilent() })
	if len(beside) == 0 {
		return nil
	}

	return &Error{
		Why:    "the answer has nothing at " + Shown(nothing.at()) + ", and what stands beside it may say why: " + Shown(placesOf(beside)...),
		Advice: "look at it: wire.result says by which words an answer says that there is nothing, and wire.ignored leaves out what says nothing",
	}
}
