package client

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	opGetProfile    = operation{name: "Get user profile", method: http.MethodGet, suffix: "/profile"}
	opUpdateProfile = operation{name: "Update user profile", method: http.MethodPatch, effect: true, suffix: "/profile"}

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
// KindNotFound where the service itself says that there is none.
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

// UpdateProfile is PATCH …/user/:identityId/profile (section 4), a deferred
// request, usually fulfilled within 60 seconds (section 8). Only the members given
// are sent. Errors are *Error: KindConflict where a deletion of the person's data
// is pending.
//
// Where the answer is lost, the pending list and the profile are looked at: found
// there is accepted, and otherwise the update, whose values are absolute, is sent
// once more.
func (c *Client) UpdateProfile(ctx context.Context, scope Scope, identity string, members map[string]jsontext.Value) (Request, error) {
	return c.updateProfile(ctx, scope, identity, members, false)
}

// AdoptProfileUpdate is UpdateProfile where an earlier update may have been accepted
// without anybody knowing: one that is pending already is adopted, and nothing is
// sent. Whether it has the same values shows when it is fulfilled.
func (c *Client) AdoptProfileUpdate(ctx context.Context, scope Scope, identity string, members map[string]jsontext.Value) (Request, error) {
	return c.updateProfile(ctx, scope, identity, members, true)
}

func (c *Client) updateProfile(ctx context.Context, scope Scope, identity string, members map[string]jsontext.Value, adoptPending bool) (Request, error) {
	to, unlock, err := c.alone(ctx, scope, identity, opUpdateProfile)
	if err != nil {
		return Request{}, err
	}
	defer unlock()
	if !c.readOnly {
		seen, err := c.feedOf(scope).recent(ctx)
		if err != nil {
			return Request{}, c.asError(opListPending, err)
		}
		if r, ok := adopt(seen.about(identity), OperationProfileUpdate); ok && adoptPending {
			return r, nil
		}
		if err := conflict(opUpdateProfile, to, seen.about(identity), []string{OperationDataDeletion}); err != nil {
			return Request{}, err
		}
	}
	r, err := c.patchProfile(ctx, to, identity, members)
	c.feedOf(scope).outdate()
	lost, failed := errors.AsType[*Error](err)
	switch {
	case !failed || !lost.Ambiguous:
		return r, err
	case lost.Kind == KindCancelled:
		return c.findQuickly(ctx, scope, identity, OperationProfileUpdate, lost)
	}
	r, found, err := c.findProfileUpdate(ctx, scope, identity, members)
	switch {
	case err != nil:
		return Request{}, lost.unknownOutcome(err)
	case found:
		return r, nil
	}
	return c.patchProfile(ctx, to, identity, members)
}

func (c *Client) patchProfile(ctx context.Context, to endpoint, identity string, members map[string]jsontext.Value) (Request, error) {
	p := payload{body: []byte(FormatObject(members)), contentType: "application/json", attribute: "profile"}
	private := []string{identity}
	for _, v := range members {
		private = append(private, privateValues(v)...)
	}
	got, err := c.do(ctx, opUpdateProfile, to, p, private...)
	if err != nil {
		return Request{}, err
	}
	if onlyComplains(membersOf(got.json)) {
		return Request{}, got.complaint()
	}
	record := readRecord(unwrapped(got.json))
	r := Request{At: time.Now()}
	if isTicket(got.json) {
		r.ID, _ = record.ID.Get()
	}
	return r, nil
}

// findProfileUpdate looks for an update whose answer was lost: as a pending
// request, or as the values themselves.
func (c *Client) findProfileUpdate(ctx context.Context, scope Scope, identity string, members map[string]jsontext.Value) (Request, bool, error) {
	seen, err := c.feedOf(scope).next(ctx, time.Now())
	if err != nil {
		return Request{}, false, c.asError(opListPending, err)
	}
	if r, ok := adopt(seen.about(identity), OperationProfileUpdate); ok {
		return r, true, nil
	}
	p, err := c.GetProfile(ctx, scope, identity)
	if IsKind(err, KindNotFound) {
		return Request{}, false, nil
	}
	return Request{At: time.Now()}, err == nil && p.Holds(members), err
}

// ProfileHolds is the effect of an update, for Await.
func (c *Client) ProfileHolds(scope Scope, identity string, members map[string]jsontext.Value) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		p, err := c.GetProfile(ctx, scope, identity)
		if IsKind(err, KindNotFound) {
			return false, nil
		}
		return err == nil && p.Holds(members), err
	}
}

// ProfileGone is the effect of a deletion, for Await: the person has no profile any
// more, or an empty one.
func (c *Client) ProfileGone(scope Scope, identity string) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		p, err := c.GetProfile(ctx, scope, identity)
		if IsKind(err, KindNotFound) {
			return true, nil
		}
		return err == nil && len(p.Members) == 0, err
	}
}
