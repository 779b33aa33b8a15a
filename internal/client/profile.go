// SPDX-License-Identifier: MPL-2.0

package client

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

var (
	opGetProfile    = transport.Operation{Name: "Get user profile", Method: http.MethodGet, Path: "/compliance/user/{identityId}/profile"}
	opUpdateProfile = transport.Operation{Name: "Update user profile", Method: http.MethodPatch, Kind: transport.Writes, Path: "/compliance/user/{identityId}/profile"}
)

// GetProfile is GET …/user/:identityId/profile (section 4). managed are members that the
// caller knows of; an answer that has them in another place is an error. Errors are *Error,
// of ClassNotFound where the service itself says that there is none.
func (c *Client) GetProfile(ctx context.Context, p Person, managed map[string]jsontext.Value) (answer.Profile, error) {
	got, err := c.ask(ctx, p, transport.Request{Op: opGetProfile})
	if err != nil {
		return answer.Profile{}, err
	}

	profile, err := answer.ProfileCall{Envelope: c.wire.Envelope, At: c.wire.Profile.At, Managed: managed}.Read(got.JSON)
	profile.Cached, profile.Date = got.Cached, got.Date

	return profile, failure(got, err)
}

// UpdateProfile is PATCH …/user/:identityId/profile (section 4), a deferred request that is
// usually fulfilled within 60 seconds (section 8). It sends the given members once; package
// deferred decides when. Errors are *Error.
func (c *Client) UpdateProfile(ctx context.Context, p Person, members map[string]jsontext.Value) (answer.Receipt, error) {
	r := transport.Request{Op: opUpdateProfile, Body: []byte(jsonvalue.FormatObject(members)), ContentType: "application/json", Attribute: "profile"}
	for _, v := range members {
		r.Private = append(r.Private, transport.PrivateValues(v)...)
	}

	got, err := c.ask(ctx, p, r)
	if err != nil {
		return answer.Receipt{}, err
	}
	receipt, err := c.wire.Envelope.ReadUpdateReceipt(got.Status, got.JSON, p.Identity, members)

	return c.shown(got, receipt, err)
}
