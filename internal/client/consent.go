package client

import (
	"context"
	"net/http"
)

var (
	opGetConsent    = operation{name: "Get consent", method: http.MethodGet, path: "/compliance/user/{identityId}/consent"}
	opUpdateConsent = operation{name: "Update consent", method: http.MethodPatch, effect: true, path: "/compliance/user/{identityId}/consent"}
)

// GetConsent is GET …/user/:identityId/consent (section 4). Errors are *Error, of
// ClassNotFound where the service says that there is no consent, by a 404 of its own, by
// null, or by an empty object.
func (c *Client) GetConsent(ctx context.Context, scope Scope, identity string) (Consent, error) {
	held, _, err := c.readConsent(ctx, scope, identity)
	return held, err
}

// readConsent returns the record and the answer that it was read from.
func (c *Client) readConsent(ctx context.Context, scope Scope, identity string) (Consent, answer, error) {
	to, err := scope.ofPerson(identity, opGetConsent)
	if err != nil {
		return Consent{}, answer{}, err
	}

	got, err := c.sender.do(ctx, request{op: opGetConsent, to: to, private: []string{identity}})
	if err != nil {
		return Consent{}, got, err
	}
	if err := got.wantBody(); err != nil {
		return Consent{}, got, err
	}

	held, err := got.consent()

	return held, got, err
}
