// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Profile is a user's profile record. The interface does not show its fields (section 2):
// it is an object of any members.
type Profile struct {
	Members map[string]jsontext.Value
	// Cached and Date are those of the answer, as in transport.Answer.
	Cached bool
	Date   time.Time
}

// Holds reports whether the profile has all these members with these values. A null
// member is equal to an absent one.
func (p Profile) Holds(members map[string]jsontext.Value) bool {
	for name, want := range members {
		got, ok := p.Members[name]
		if !ok {
			got = jsontext.Value("null")
		}
		if !jsonvalue.Equal(got, want) {
			return false
		}
	}

	return true
}

// ProfileCall is a call that answers with a profile, and the settings for it.
type ProfileCall struct {
	Envelope Envelope
	// At is wire.profile.at: where the profile is. Nil takes the content for it, unless it looks
	// like an envelope.
	At *jsontext.Pointer
	// Managed are members of the profile that the caller manages, or has just sent. An object with
	// one of them is the profile, whatever else it has.
	Managed map[string]jsontext.Value
}

// Read returns the profile of an answer: the object where At says, or else the content itself. An
// object without members is an empty profile. The error is a *Error.
func (c ProfileCall) Read(v jsontext.Value) (Profile, error) {
	var at jsontext.Pointer
	if c.At != nil {
		at = *c.At
	}
	found, err := c.Envelope.Find(v, "wire.profile.at", at)
	if err != nil {
		return Profile{}, err
	}

	isTold := at != "" || c.Envelope.At != ""
	isNothing := isTold && isNull(found) && v.Kind() == '{'
	if isNothing || isEmptyList(found) {
		if problem := c.Envelope.unexplained(v, c.Envelope.At+at); problem != nil {
			return Profile{}, problem
		}
		return Profile{}, nil
	}
	if found.Kind() != '{' {
		return Profile{}, wantObject(found)
	}

	members := jsonvalue.Members(found)
	if shareName(members, c.Managed) {
		return Profile{Members: members}, nil
	}
	if c.Envelope.open(found, c.Envelope.At+at).saysNo(outcomes) {
		return Profile{}, refused()
	}
	if c.At == nil {
		if problem := c.enveloped(found); problem != nil {
			return Profile{}, problem
		}
	}

	return Profile{Members: members}, nil
}

// enveloped returns the Error of an object that looks like an envelope: members that are managed
// stand in an object inside, or, where none is known, one object stands beside nothing but words of
// envelopes, or such words stand alone. One with a code of failure refuses. It returns nil for any other
// object.
func (c ProfileCall) enveloped(v jsontext.Value) *Error {
	if envelopeOf(v) != nil && slices.ContainsFunc(Open(v).members, member.isFailure) {
		return refused()
	}

	inside := c.holders("", v)
	if len(c.Managed) == 0 {
		inside = envelopeOf(v)
	}
	if inside == nil {
		return nil
	}

	e := &Error{Why: "the answer may be an envelope around the profile: it is " + Structure(v), Advice: Admits("wire.profile.at")}
	if len(inside) == 1 && isShown(inside[0]) {
		e.Advice = Admits(`wire.profile.at = "` + string(inside[0]) + `"`)
	}
	e.Advice += `; wire.profile.at = "" says that the answer itself is the profile`

	return e
}

// holders returns where objects inside of an object have managed members; nil if none has.
func (c ProfileCall) holders(at jsontext.Pointer, v jsontext.Value) (found []jsontext.Pointer) {
	for _, m := range Open(v).members {
		inside := at.AppendToken(m.name)
		if shareName(jsonvalue.Members(m.value), c.Managed) {
			found = append(found, inside)
		} else {
			found = append(found, c.holders(inside, m.value)...)
		}
	}

	return found
}

// paging are the folded names of members that say where a page is among others.
const paging = "cursor paging pagination page"

// words are the folded names of members that envelopes have beside their content.
const words = describing + " " + resultFields + " data results ok success message msg errmsg detail title jsonapi version" +
	" included took timestamp requestid traceid " + paging

// envelopeOf returns where an object that consists of words of envelopes, and of at most one other
// object, may have its content: not nil, and empty where that is not known. It is nil for any other
// object.
func envelopeOf(v jsontext.Value) []jsontext.Pointer {
	found, others := []jsontext.Pointer{}, 0
	o := Open(v)
	for _, m := range o.members {
		isWord := m.isNamed(words)
		if !isWord && m.value.Kind() != '{' {
			return nil
		}
		if !isWord {
			others++
		}
		if m.value.Kind() == '{' && !m.isNamed(describing+" "+paging) {
			found = append(found, jsontext.Pointer("").AppendToken(m.name))
		}
	}
	if len(o.members) == 0 || others > 1 {
		return nil
	}

	return found
}

// isShown reports whether each name of a pointer has the form of a field's name.
func isShown(at jsontext.Pointer) bool {
	for name := range at.Tokens() {
		if !jsonvalue.IsFieldName(name) {
			return false
		}
	}
	return true
}

// shareName reports whether two objects have a member of the same name.
func shareName(a, b map[string]jsontext.Value) bool {
	for name := range a {
		if _, has := b[name]; has {
			return true
		}
	}
	return false
}
