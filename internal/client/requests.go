package client

import (
	"context"
	"strings"
)

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
