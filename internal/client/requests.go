package client

import (
	"context"
	"net/http"
	"strings"
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

// LockPerson waits until nothing else of this process submits deferred requests about a
// person, or until the context ends. The caller calls unlock.
func (c *Client) LockPerson(ctx context.Context, scope Scope, identity string) (unlock func(), err error) {
	key := strings.Join([]string{scope.OrgID, scope.ProjectID, scope.AccountID, identity}, "\x00")
	return c.people.lock(ctx, key)
}

// deferredOperations are the operations that submit requests, by request type.
var deferredOperations = map[string]operation{
	RequestDataDeletion:  opDeleteData,
	RequestDataAccess:    opGetAllData,
	RequestProfileUpdate: opUpdateProfile,
}

// DeferredError returns an error about a request of a type that no answer of the service
// has caused. An empty request type stands for the pending list.
func DeferredError(requestType string, scope Scope, class ErrorClass, detail string) *Error {
	op, ok := deferredOperations[requestType]
	if !ok {
		op = opListPending
	}

	family, _ := scope.family()

	return &Error{
		Class:     class,
		Operation: op.name,
		Method:    op.method,
		Template:  family + op.path,
		Detail:    detail,
		Queued:    op.queues,
	}
}
