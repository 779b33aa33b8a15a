// SPDX-License-Identifier: MPL-2.0

package client

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

var (
	opCurrentUser       = transport.Operation{Name: "Get current user", Method: http.MethodGet}
	currentUserEndpoint = transport.Expand("/v1/user/self")
)

// CurrentUser is GET /v1/user/self (section 4). It returns the user of the credentials as
// JSON, since the interface says nothing else of the body. Errors are *Error.
func (c *Client) CurrentUser(ctx context.Context) ([]byte, error) {
	got, err := c.sender.Do(ctx, transport.Request{Op: opCurrentUser, To: currentUserEndpoint})
	if err != nil {
		return nil, err
	}

	return got.JSON, failure(got, cmp.Or(c.wire.Result.Says(got.JSON), answer.ReadUser(got.JSON)))
}

// NewSessionToken logs in with e-mail and password and returns the token of that login, which the
// client's own requests do not use (sections 2 and 5). It expires when it says so, or else one hour
// after the login. A rejected login is not repeated, so that no account is locked. Errors are *Error, of
// ClassInvalid if the client has no e-mail and password.
func (c *Client) NewSessionToken(ctx context.Context) (token string, expires time.Time, err error) {
	return c.sender.NewToken(ctx)
}
