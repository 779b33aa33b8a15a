package client

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

var profileWrappers = []string{"profile", "data", "result", "user"}

// Profile is a user's profile record. The interface does not show its fields
// (section 2): it is an object of any members.
type Profile struct {
	Members map[string]jsontext.Value
	JSON    []byte // the complete answer
}

// Holds reports whether the profile has all these members with these values. A null
// member is equal to an absent one.
func (p Profile) Holds(members map[string]jsontext.Value) bool {
	for name, want := range members {
		if !p.holds(name, want) {
			return false
		}
	}
	return true
}

func (p Profile) holds(name string, want jsontext.Value) bool {
	got, ok := p.Members[name]
	if !ok {
		return want.Kind() == 'n'
	}
	return jsonvalue.Equal(got, want)
}

// profile returns the profile of the answer: the object, or the one in a wrapper that is
// its only member.
func (a answer) profile() (Profile, error) {
	if a.json.Kind() != '{' {
		return Profile{}, a.unexpected("$: expected an object, found " + jsonvalue.KindName(a.json.Kind()))
	}

	if onlyComplains(a.json) {
		return Profile{}, a.complaint()
	}

	members := jsonvalue.Members(a.json)
	r := newRecord("$", a.json)
	if wrapper, ok := r.wrapper(profileWrappers); ok && len(members) == 1 {
		members = r.inner(wrapper).members
	}

	return Profile{Members: members, JSON: a.json}, nil
}

// complaintMembers are the members of an answer that is nothing but an error.
var complaintMembers = []string{"error", "errors", "message", "code", "status", "success"}

// onlyComplains reports whether an object is an error, and not a profile that happens to
// have a member of such a name.
func onlyComplains(v jsontext.Value) bool {
	for name := range jsonvalue.EachMember(v) {
		if !slices.Contains(complaintMembers, string(name)) {
			return false
		}
	}
	return isComplaint(v)
}
