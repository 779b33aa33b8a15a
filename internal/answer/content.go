// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// AnyValue stands in Envelope.Ignored for any value.
const AnyValue = "*"

// Envelope says where every answer has its content, and what stands beside it.
type Envelope struct {
	At      jsontext.Pointer            // wire.envelope
	Ignored map[jsontext.Pointer]string // wire.ignored: the value of each leaf, or AnyValue
	Result  Result
}

// Result says where answers with a status of success say what came of the request, and by which
// words. The zero Result knows no such place. Its names in JSON are those of the block wire.result.
type Result struct {
	At      jsontext.Pointer `json:"at,omitzero"`      // of a word or a number
	Success []string         `json:"success,omitzero"` // words that say that all is well
	Absent  []string         `json:"absent,omitzero"`  // words that say that there is nothing about a person
}

// IsSuccess reports whether the value of a leaf says that the service did what it was asked for.
func (r Result) IsSuccess(at jsontext.Pointer, value string) bool {
	return r.At != "" && at == r.At && slices.Contains(r.Success, value)
}

// SaysYes reports whether an answer has a word of success.
func (r Result) SaysYes(v jsontext.Value) bool { return r.IsSuccess(r.At, leafText(At(v, r.At))) }

// Says returns an *Error for an answer to a reading that has another word at the place of the result
// than one of success: Absent, or Refused.
func (r Result) Says(v jsontext.Value) error {
	word := leafText(At(v, r.At))
	switch {
	case r.At == "" || word == "" || slices.Contains(r.Success, word):
		return nil
	case slices.Contains(r.Absent, word):
		return &Error{Outcome: Absent, Why: "the service holds nothing of this person, by the word that wire.result.absent has"}
	}
	return refused()
}

// Content returns the content of an answer, as Find does.
func (e Envelope) Content(v jsontext.Value) (jsontext.Value, error) { return e.Find(v, "", "") }

// Find returns what is at a place in the content of an answer; setting is the name of the setting
// that says where. The error is a *Error: Refused where an object around it says no, and
// unrecognised where nothing is there. An answer that is null, an empty array, or an
// object of nothing but nulls, is found in place of it.
func (e Envelope) Find(v jsontext.Value, setting string, at jsontext.Pointer) (jsontext.Value, error) {
	around, found := e.lead(v, e.At+at)
	for _, o := range around {
		if o.saysNo(outcomes) {
			return nil, refused()
		}
	}

	if found != nil {
		return found, nil
	}
	if list := At(v, (e.At + at).Parent()); isEmptyList(list) { // of none or one
		return list, nil
	}
	if isBlank(v) || isEmptyList(v) {
		return v, nil
	}
	if e.missesContent(v) || setting == "" {
		setting, at = "wire.envelope", e.At
	}

	return nil, &Error{
		Why:    "the answer has nothing at " + strconv.Quote(string(at)) + ", where " + setting + " points to; it is " + Structure(v),
		Advice: "correct the setting, or leave it out",
	}
}

func (e Envelope) missesContent(v jsontext.Value) bool { return At(v, e.At) == nil }

// lead returns the objects around what a pointer leads to, the outermost first and without what is
// ignored, and what it leads to; nil if there is nothing.
func (e Envelope) lead(v jsontext.Value, at jsontext.Pointer) (around []*Object, found jsontext.Value) {
	var here jsontext.Pointer
	for name := range at.Tokens() {
		if v.Kind() == '{' {
			around = append(around, e.open(v, here))
		}
		v = child(v, name)
		here = here.AppendToken(name)
	}

	return around, v
}

// open returns the object v, which stands at a place, without the leaves that are ignored.
func (e Envelope) open(v jsontext.Value, at jsontext.Pointer) *Object {
	all := Open(v)
	if len(e.Ignored) == 0 && e.Result.At == "" {
		return all
	}

	o := &Object{}
	for _, m := range all.members {
		if !e.Ignores(at.AppendToken(m.name), m.value) {
			o.members = append(o.members, m)
		}
	}

	return o
}

// Ignores reports whether a value at a place of the answer says nothing. An object with something in
// it is never ignored, and an array only if it has the links to pages.
func (e Envelope) Ignores(at jsontext.Pointer, v jsontext.Value) bool {
	if at == e.Result.At && e.Result.IsSuccess(at, leafText(v)) {
		return true
	}

	want, isNamed := e.Ignored[at]
	isLeaf := !isComposite(v) || !jsonvalue.Told(v)
	isList := want == AnyValue && IsLinks(v)
	isExpected := want == AnyValue || want == leafText(v)
	mayBeIgnored := isLeaf || isList

	return isNamed && mayBeIgnored && isExpected
}

// leafText returns a value as wire.ignored has it: a text without its quotes, anything else as it
// is spelled.
func leafText(v jsontext.Value) string {
	if v.Kind() == '"' {
		return jsonvalue.Text(v)
	}
	return string(v)
}

// At returns what a pointer leads to from a value (RFC 6901); nil if there is nothing.
func At(v jsontext.Value, p jsontext.Pointer) jsontext.Value {
	for name := range p.Tokens() {
		v = child(v, name)
	}
	return v
}

// child returns the member or the element of a value that a token of a pointer names; nil if there
// is none.
func child(v jsontext.Value, token string) jsontext.Value {
	if v.Kind() == '[' {
		elements := jsonvalue.Elements(v)
		i, err := strconv.ParseUint(token, 10, 31)
		if err != nil || int(i) >= len(elements) || strconv.FormatUint(i, 10) != token {
			return nil
		}
		return elements[i]
	}

	return jsonvalue.Members(v)[token]
}

// unexplained returns the Error of an answer with nothing at a place where the content is expected, and
// something beside it that may say why; nil where nothing stands there but what says yes or nothing, names
// the person or the call, or dates it.
func (e Envelope) unexplained(v jsontext.Value, at jsontext.Pointer) *Error {
	var beside []jsontext.Pointer
	for _, leaf := range e.Beside(v, at) {
		m := member{folded: jsonvalue.Fold(leaf.At.LastToken()), value: leaf.Value}
		isSuccess := m.isNamed(resultFields) && isWord(leafText(leaf.Value), successWords)
		isExplained := m.saysYes() || isSuccess || m.isNamed(personFields+" "+idFields+" "+createdFields+" traceid")
		if jsonvalue.Told(leaf.Value) && !isExplained {
			beside = append(beside, leaf.At)
		}
	}
	if len(beside) == 0 {
		return nil
	}

	return &Error{
		Why:    "the answer has nothing at " + strconv.Quote(string(at)) + ", and what stands beside it may say why: " + shownPlaces(beside),
		Advice: "look at it: wire.result says by which words an answer says that there is nothing, and wire.ignored leaves out what says nothing",
	}
}

// resultFields are the folded names of members that say, by a word or a number, what came of a request,
// and successWords the usual ones of success.
const (
	resultCodes  = "code statuscode errcode errno errorcode retcode ret resultcode returncode respcode"
	resultFields = resultCodes + " status result"
	successWords = "0 00000 1 200 20000 ok success succeeded true"
)

// isFailure reports whether the member is a code that is not one of success.
func (m member) isFailure() bool {
	isCode := m.isNamed(resultCodes) && scalar(m.value) != ""
	return isCode && !isWord(scalar(m.value), successWords)
}

// Leaf is a value of an answer that is neither an object nor an array, or one that is empty.
type Leaf struct {
	At    jsontext.Pointer
	Value jsontext.Value
}

// Beside returns the leaves of an answer that stand neither in one of its parts nor are ignored, in
// their order.
func (e Envelope) Beside(v jsontext.Value, parts ...jsontext.Pointer) (leaves []Leaf) {
	var look func(at jsontext.Pointer, v jsontext.Value)
	look = func(at jsontext.Pointer, v jsontext.Value) {
		for _, part := range parts {
			if part.Contains(at) {
				return
			}
		}

		isIgnored := e.Ignores(at, v)
		if !isIgnored && isComposite(v) && jsonvalue.Told(v) {
			for name, member := range jsonvalue.EachMember(v) {
				look(at.AppendToken(string(name)), member)
			}
			for i, element := range jsonvalue.Elements(v) {
				look(at.AppendToken(strconv.Itoa(i)), element)
			}
			return
		}

		if !isIgnored {
			leaves = append(leaves, Leaf{at, v})
		}
	}
	look("", v)

	return leaves
}
