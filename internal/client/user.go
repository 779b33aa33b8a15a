package client

import (
	"context"
	"net/http"
)

var (
	opCurrentUser       = operation{name: "Get current user", method: http.MethodGet}
	currentUserEndpoint = expand("/v1/user/self")
)

// CurrentUser is GET /v1/user/self (section 4): who the credentials belong to. The
// interface says of the body only that it is JSON, so the JSON is all there is.
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
