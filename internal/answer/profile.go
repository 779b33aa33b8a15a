// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Profile is a user's profile record. The interface does not show its fields (section 2):
// it is an object of any members.
type Profile struct {
	Members map[string]jsontext.Value
	JSON    []byte // the complete answer
	Cached  bool   // a cache has kept the answer for some time
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
// the member that wire.profile_member names. managed are members of a profile that the
// caller knows of: an object with one of them is a profile, whatever else it has, and one
// without is not if it says no. The error is a *Error.
func ReadProfile(v jsontext.Value, wrapper string, managed map[string]jsontext.Value) (Profile, error) {
	if v.Kind() != '{' {
		return Profile{}, wantObject(v)
	}

	members := jsonvalue.Members(v)
	if Open(v).saysNo(outcomes) && (wrapper != "" || !shareName(members, managed)) {
		return Profile{}, refused()
	}

	if wrapper == "" {
		if problem := wrapped(members, managed); problem != nil {
			return Profile{}, problem
		}
		return Profile{Members: members, JSON: v}, nil
	}

	inside, found := members[wrapper]
	if !found && len(members) > 0 || found && inside.Kind() != '{' && inside.Kind() != 'n' {
		return Profile{}, unrecognised("the answer has no object in the member that wire.profile_member names" + Members(v, ""))
	}

	return Profile{Members: jsonvalue.Members(inside), JSON: v}, nil
}

// wrapped returns the Error of an answer whose only member is an object that holds what is
// managed: taken as it is, it would never hold it.
func wrapped(members, managed map[string]jsontext.Value) *Error {
	name, inside := soleMember(members)
	if _, isManaged := managed[name]; isManaged || inside.Kind() != '{' {
		return nil
	}

	if !shareName(jsonvalue.Members(inside), managed) {
		return nil
	}

	return &Error{
		Why:     "the only member of the answer, " + shown([]string{name}) + ", is an object with members of the profile",
		Setting: setting("wire.profile_member", name),
	}
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

// soleMember returns the only member of an object.
func soleMember(members map[string]jsontext.Value) (string, jsontext.Value) {
	if len(members) != 1 {
		return "", nil
	}
	for name, v := range members {
		return name, v
	}
	return "", nil
}
