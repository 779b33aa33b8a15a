package client

import (
	"context"
	"net/http"
	"time"
)

var opListPending = operation{name: "List pending actions", method: http.MethodGet, path: "/compliance/pending-requests"}

// ListPending is GET …/pending-requests (section 4), which lists only deferrable actions.
// Errors are *Error.
func (c *Client) ListPending(ctx context.Context, scope Scope) (PendingList, error) {
	to, err := scope.endpoint(opListPending)
	if err != nil {
		return PendingList{}, err
	}

	got, err := c.sender.do(ctx, request{op: opListPending, to: to})
	if err != nil {
		return PendingList{}, err
	}
	if err := got.wantBody(); err != nil {
		return PendingList{}, err
	}

	return got.pendingList(c.wire.PendingIdentityField)
}

// PendingListLag returns how long the pending list may lag behind a submission.
func (c *Client) PendingListLag() time.Duration {
	lag, _ := time.ParseDuration(c.wire.PendingListLag) // it was validated
	return lag
}
