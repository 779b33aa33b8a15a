package client

import (
	"context"
	"errors"
	"net/http"
	"time"

	answers "github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
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
	if err := answers.ReadUser(got.json); err != nil {
		return nil, got.problem(err)
	}

	return got.json, nil
}

// SessionToken is a JSON Web Token for tools beside this client (sections 2 and 5).
type SessionToken struct {
	Token string
	// Expires is what the token states, or else one hour after the login. The service's
	// clock may be another.
	Expires time.Time
}

// NewSessionToken logs in with e-mail and password and returns the token of that login,
// whose life has just begun. The token that the client's own requests share stays as it
// is. Errors are *Error, of ClassInvalid if the client has no e-mail and password.
//
// A rejected login is not repeated, so that no account is locked.
func (c *Client) NewSessionToken(ctx context.Context) (SessionToken, error) {
	l, ok := c.sender.auth.credential.(*login)
	if !ok {
		return SessionToken{}, invalid(opLogin, errors.New("the provider has no email and password to log in with"))
	}

	began := time.Now()
	t, err := l.logIn(ctx)
	if err != nil {
		return SessionToken{}, l.transport.newCall(request{op: opLogin, to: loginEndpoint}).transportError(err)
	}

	expires := t.claims.expires
	if expires.IsZero() {
		expires = began.Add(tokenLifetime)
	}

	return SessionToken{Token: t.text, Expires: expires}, nil
}
