// SPDX-License-Identifier: MPL-2.0

package decode

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Profile is a user's profile record, an object of any members (section 2).
type Profile struct {
	Members map[string]jsontext.Value
	Cached  bool      // as in transport.Answer
	Date    time.Time // as in transport.Answer
	IsNone  bool      // the service says that the person has none
}

// Holds reports whether the profile has all these members. A null member is equal to an absent one.
func (p Profile) Holds(members map[string]jsontext.Value) bool {
	for name, want := range members {
		got, isThere := p.Members[name]
		isNone := !isThere && want.Kind() == 'n'
		if !isNone && !jsonvalue.Equal(got, want) {
			return false
		}
	}
	return true
}

// ProfileCall is a call that answers with a profile, and the settings for it.
type ProfileCall struct {
	Envelope Envelope
	At       *jsontext.Pointer         // wire.profile.at: where the profile is; nil is the content, unless it looks like an envelope
	Managed  map[string]jsontext.Value // which the caller manages, or has just sent: an object with one of them is the profile
}

// Read returns the profile of an answer. An object without members is an empty profile, and so is nothing in an object.
// The error is an *Error.
func (c ProfileCall) Read(v jsontext.Value) (Profile, error) {
	answer := c.Envelope.decode(v)
	found, err := c.Envelope.content(answer, *cmp.Or(c.At, new(jsontext.Pointer)))
	if err != nil {
		return Profile{}, err
	}

	profile := Profile{Members: jsonvalue.Members(found.Value)}
	isNothing := found.isBlank() && answer.Kind() != 'n' // null is not a profile
	switch {
	case found.shares(c.Managed):
		return profile, nil
	case found.says(refusalNames, Failed):
		return Profile{}, refused()
	case isNothing:
		return profile, cmp.Or(c.enveloped(found), unexplained(answer, found))
	case found.Kind() != '{':
		return Profile{}, wantObject(found.Value)
	}

	return profile, c.enveloped(found)
}

// shares reports whether an object has one of some members.
func (n *node) shares(members map[string]jsontext.Value) bool {
	isOne := func(m *node) bool { return members[m.key] != nil }
	return n.Kind() == '{' && slices.ContainsFunc(n.parts(), isOne)
}

// enveloped returns the Error of an object that looks like an envelope, unless At says that it is the profile: managed
// members stand in an object inside, or it is enclosed where none is known.
func (c ProfileCall) enveloped(n *node) error {
	inside, isEnvelope, isRefusal := n.enclosed()
	if len(c.Managed) > 0 {
		inside = n.outermost(func(object *node) bool { return object.shares(c.Managed) })
		isEnvelope = len(inside) > 0
	}

	switch {
	case c.At != nil:
		return nil
	case isRefusal:
		return refused()
	case !isEnvelope:
		return nil
	}

	setting := "wire.profile.at"
	if len(inside) == 1 {
		setting += " = " + Shown(jsontext.Pointer(strings.TrimPrefix(string(inside[0].at()), string(n.at()))))
	}

	return &Error{
		Why:    "the answer may be an envelope around the profile: it is " + Structure(n.Value),
		Advice: Admits(setting) + `; wire.profile.at = "" says that the answer itself is the profile`,
	}
}

// enclosed reports whether an object has nothing but words of envelopes and at most one other object, which may be its
// content, and whether its code says that the service has failed then.
func (n *node) enclosed() (content []*node, isEnvelope, isRefusal bool) {
	only := n.only(describingNames)
	if only != nil {
		content = []*node{only}
	}
	isOther := func(m *node) bool { return m != only && !m.isIgnored && !slices.Contains(envelopeNames, m.name) }

	isEnvelope = len(n.parts()) > 0 && !slices.ContainsFunc(n.parts(), isOther)

	return content, isEnvelope, isEnvelope && n.says(codeNames, Failed)
}
