// SPDX-License-Identifier: MPL-2.0

package answer

import (
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
		if !ok && want.Kind() != 'n' || ok && !jsonvalue.Equal(got, want) {
			return false
		}
	}
	return true
}

// ReadProfile returns the profile of an answer: the object as it is, or else the object in
// the member that wire.profile_member names; an object without members holds an empty one.
// managed are members of a profile that the caller knows of: an object with one of them is a
// profile, whatever else it has, and one without is not if it says no. A caller that knows of
// none is given the object with all that it says. The error is a *Error.
func ReadProfile(v jsontext.Value, wrapper string, managed map[string]jsontext.Value) (Profile, error) {
	if v.Kind() != '{' {
		return Profile{}, wantObject(v)
	}

	o, members := Open(v), jsonvalue.Members(v)
	isKnown := wrapper == "" && shareName(members, managed)
	if o.saysNo(outcomes) && !isKnown && (wrapper != "" || len(managed) > 0) {
		return Profile{}, refused()
	}

	if wrapper != "" {
		inside, found := members[wrapper]
		if inside.Kind() != '{' && !isNull(inside) || !found && len(members) > 0 {
			return Profile{}, &Error{Why: "the answer has no object in the member that wire.profile_member names" + Members(v, "")}
		}
		return Profile{Members: jsonvalue.Members(inside)}, nil
	}

	// Taken as it is, it would never hold what is managed.
	if inside := o.sole(); !isKnown && shareName(jsonvalue.Members(inside.value), managed) {
		return Profile{}, &Error{
			Why:    "the only member of the answer, " + Shown([]string{inside.name}) + ", is an object with members of the profile",
			Advice: admits(Assigned("wire.profile_member", inside.name)),
		}
	}

	return Profile{Members: members}, nil
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

// ReadToken returns the text of the token in the answer to a login (section 2). The error
// is a *Error.
func ReadToken(v jsontext.Value) (string, error) {
	if text := jsonvalue.Text(jsonvalue.Members(v)["token"]); text != "" {
		return text, nil
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
