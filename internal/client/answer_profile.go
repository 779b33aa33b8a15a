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

// Holds reports whether the profile has all these members with these values; null
// is as good as absent.
func (p Profile) Holds(members map[string]jsontext.Value) bool {
	for name, want := range members {
		got, ok := p.Members[name]
		if !ok && want.Kind() != 'n' || ok && !jsonvalue.Equal(got, want) {
			return false
		}
	}
	return true
}

// onlyComplains tells an error from a profile that happens to have a member of
// such a name.
func onlyComplains(members map[string]jsontext.Value) bool {
	said := isComplaint(members)
	for name := range members {
		if !slices.Contains([]string{"error", "errors", "message", "code", "status", "success"}, name) {
			return false
		}
	}
	return said
}
