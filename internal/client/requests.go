package client

import (
	"context"
	"strings"
)

// LockPerson waits until nothing else of this process submits deferred requests about
// a person, or until the context ends. The returned function gives the turn on.
func (c *Client) LockPerson(ctx context.Context, scope Scope, identity string) (unlock func(), err error) {
	key := strings.Join([]string{scope.OrgID, scope.ProjectID, scope.AccountID, identity}, "\x00")
	return c.people.lock(ctx, key)
}

// DeferredError returns an error about a deferred operation, one of Operations, that
// no answer of the service has caused. An empty operation is the pending list.
func DeferredError(operation string, scope Scope, kind ErrorClass, detail string) *Error {
	op := opListPending
	switch operation {
	case OperationDataDeletion:
		op = opDeleteData
	case OperationDataAccess:
		op = opGetAllData
	case OperationProfileUpdate:
		op = opUpdateProfile
	}

	family, _ := scope.family()
	return &Error{
		Class: kind, Operation: op.name, Method: op.method, Template: family + op.path,
		Detail: detail, Queued: op.queues,
	}
}
