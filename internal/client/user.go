package client

import (
	"context"
	"net/http"
)

var (
	opCurrentUser       = operation{name: "Get current user", method: http.MethodGet}
	currentUserEndpoint = expand("/v1/user/self")
)

// CurrentUser is GET /v1/user/self (section 4). It returns the user of the credentials as
// JSON, since the interface says nothing else of the body. Errors are *Error.
func (c *Client) CurrentUser(ctx context.Context) ([]byte, error) {
	got, err := c.sender.do(ctx, request{op: opCurrentUser, to: currentUserEndpoint})
	if err != nil {
		return nil, err
	}
	if err := got.wantBody(); err != nil {
		return nil, err
	}
	return got.json, got.complaint()
}
