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
	opUpdateProfile = transport.Operation{Name: "Update user profile", Method: http.MethodPatch, Effect: true, Path: "/compliance/user/{identityId}/profile"}
)

// GetProfile is GET …/user/:identityId/profile (section 4). managed are members that the
// caller knows of; an answer that has them in another place is an error. Errors are *Error,
// of ClassNotFound where the service itself says that there is none.
func (c *Client) GetProfile(ctx context.Context, p Person, managed map[string]jsontext.Value) (answer.Profile, error) {
	got, err := c.ask(ctx, p, transport.Request{Op: opGetProfile})
	if err != nil {
		return answer.Profile{}, c.config.Wire.judgeAbsence(err)
	}

	profile, err := answer.ProfileCall{Envelope: c.config.Wire.envelope(), At: c.config.Wire.Profile.At, Managed: managed}.Read(got.JSON)
	profile.Cached, profile.Date = got.Cached, got.Date

	return profile, answerError(got, err)
}

// UpdateProfile is PATCH …/user/:identityId/profile (section 4), a deferred request that is
// usually fulfilled within 60 seconds (section 8). It sends the given members once; package
// deferred decides when. Errors are *Error.
func (c *Client) UpdateProfile(ctx context.Context, p Person, members map[string]jsontext.Value) (answer.Receipt, error) {
	payload := transport.Payload{Body: []byte(jsonvalue.FormatObject(members)), ContentType: "application/json", Attribute: "profile"}
	var private []string
	for _, v := range members {
		private = append(private, transport.PrivateValues(v)...)
	}

	got, err := c.ask(ctx, p, transport.Request{Op: opUpdateProfile, Payload: payload, Private: private})
	if err != nil {
		return answer.Receipt{}, err
	}

	receipt, err := c.config.Wire.envelope().ReadUpdateReceipt(got.Status, got.JSON, p.Identity, members)

	return shownReceipt(got, receipt, err)
}
