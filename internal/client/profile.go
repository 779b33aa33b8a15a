package client

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	answers "github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

var (
	opGetProfile    = operation{name: "Get user profile", method: http.MethodGet, fresh: true, path: "/compliance/user/{identityId}/profile"}
	opUpdateProfile = operation{name: "Update user profile", method: http.MethodPatch, effect: true, lingers: true, path: "/compliance/user/{identityId}/profile"}
)

// GetProfile is GET …/user/:identityId/profile (section 4). managed are members that the
// caller knows of; an answer that has them in another place is an error. Errors are *Error,
// of ClassNotFound where the service itself says that there is none.
func (c *Client) GetProfile(ctx context.Context, scope Scope, identity string, managed map[string]jsontext.Value) (answers.Profile, error) {
	to, err := scope.ofPerson(identity, opGetProfile)
	if err != nil {
		return answers.Profile{}, err
	}

	got, err := c.sender.do(ctx, request{op: opGetProfile, to: to, private: []string{identity}})
	if err != nil {
		return answers.Profile{}, err
	}
	if err := got.wantBody(); err != nil {
		return answers.Profile{}, err
	}

	profile, err := answers.ReadProfile(got.json, c.wire.ProfileMember, managed)

	return profile, got.problem(err)
}

// UpdateProfile is PATCH …/user/:identityId/profile (section 4), a deferred request that is
// usually fulfilled within 60 seconds (section 8). It sends the given members once; package
// deferred decides when. Errors are *Error.
func (c *Client) UpdateProfile(ctx context.Context, scope Scope, identity string, members map[string]jsontext.Value) (answers.Receipt, error) {
	to, err := scope.ofPerson(identity, opUpdateProfile)
	if err != nil {
		return answers.Receipt{}, err
	}

	p := payload{body: []byte(jsonvalue.FormatObject(members)), contentType: "application/json", attribute: "profile"}
	private := []string{identity}
	for _, v := range members {
		private = append(private, privateValues(v)...)
	}

	got, err := c.sender.do(ctx, request{op: opUpdateProfile, to: to, payload: p, private: private})
	if err != nil {
		return answers.Receipt{}, err
	}

	receipt, err := answers.ReadUpdateReceipt(got.status, got.json, identity, members)

	return got.receipt(receipt, err)
}

// ProfileHolds returns a function that reports whether the profile has members with these
// values, which is the effect of an update.
func (c *Client) ProfileHolds(scope Scope, identity string, members map[string]jsontext.Value) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		p, err := c.GetProfile(ctx, scope, identity, members)
		if IsClass(err, ClassNotFound) {
			return false, nil
		}
		return err == nil && p.Holds(members), err
	}
}

// ProfileGone returns a function that reports whether the person has no profile, or an
// empty one, which is the visible effect of a deletion.
func (c *Client) ProfileGone(scope Scope, identity string) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		p, err := c.GetProfile(ctx, scope, identity, nil)
		if IsClass(err, ClassNotFound) {
			return true, nil
		}
		return err == nil && len(p.Members) == 0, err
	}
}
