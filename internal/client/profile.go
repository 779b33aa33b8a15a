package client

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	opGetProfile    = operation{name: "Get user profile", method: http.MethodGet, suffix: "/profile"}
	opUpdateProfile = operation{name: "Update user profile", method: http.MethodPatch, effect: true, lingers: true, suffix: "/profile"}

	profileWrappers = []string{"profile", "data", "result", "user"}
)

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
		if !ok && want.Kind() != 'n' || ok && !SameJSON(got, want) {
			return false
		}
	}
	return true
}

// GetProfile is GET …/user/:identityId/profile (section 4). Errors are *Error;
// ClassNotFound where the service itself says that there is none.
func (c *Client) GetProfile(ctx context.Context, scope Scope, identity string) (Profile, error) {
	to, err := scope.ofPerson(identity, opGetProfile)
	if err != nil {
		return Profile{}, invalid(opGetProfile, err)
	}

	got, err := c.do(ctx, opGetProfile, to, payload{}, identity)
	if err != nil {
		return Profile{}, err
	}
	if err := got.wantBody(); err != nil {
		return Profile{}, err
	}
	if got.json.Kind() != '{' {
		return Profile{}, got.unexpected("$: expected an object, found " + kindName(got.json))
	}

	members := membersOf(got.json)
	if onlyComplains(members) {
		return Profile{}, got.complaint()
	}
	for _, wrapper := range profileWrappers {
		if inner := members[wrapper]; len(members) == 1 && inner.Kind() == '{' {
			members = membersOf(inner)
			break
		}
	}
	return Profile{Members: members, JSON: got.json}, nil
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

// UpdateProfile is PATCH …/user/:identityId/profile (section 4), a deferred request,
// usually fulfilled within 60 seconds (section 8). Only the members given are sent,
// once; package deferred decides when. Errors are *Error.
func (c *Client) UpdateProfile(ctx context.Context, scope Scope, identity string, members map[string]jsontext.Value) (Receipt, error) {
	to, err := scope.ofPerson(identity, opUpdateProfile)
	if err != nil {
		return Receipt{}, invalid(opUpdateProfile, err)
	}

	p := payload{body: []byte(FormatObject(members)), contentType: "application/json", attribute: "profile"}
	private := []string{identity}
	for _, v := range members {
		private = append(private, privateValues(v)...)
	}
	got, err := c.do(ctx, opUpdateProfile, to, p, private...)
	if err != nil {
		return Receipt{}, err
	}
	if onlyComplains(membersOf(got.json)) {
		return Receipt{}, got.complaint()
	}

	if !isAcknowledgement(got.json) {
		return Receipt{At: time.Now()}, nil // the profile, whose id is not a request's
	}
	return receiptOf(got.json), nil
}

// ProfileHolds returns a function that reports whether a profile has members with
// these values: the effect of an update.
func (c *Client) ProfileHolds(scope Scope, identity string, members map[string]jsontext.Value) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		p, err := c.GetProfile(ctx, scope, identity)
		if IsClass(err, ClassNotFound) {
			return false, nil
		}
		return err == nil && p.Holds(members), err
	}
}

// ProfileGone returns a function that reports whether a person has no profile, or an
// empty one: what can be seen of a deletion.
func (c *Client) ProfileGone(scope Scope, identity string) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		p, err := c.GetProfile(ctx, scope, identity)
		if IsClass(err, ClassNotFound) {
			return true, nil
		}
		return err == nil && len(p.Members) == 0, err
	}
}
