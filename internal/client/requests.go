package client

import (
	"context"
	"net/http"
	"time"
)

var (
	opDeleteData = operation{name: "Delete all data of a user", method: http.MethodDelete, effect: true, queues: true, lingers: true, suffix: "/all-data"}
	opGetAllData = operation{name: "Get all data of a user", method: http.MethodGet, effect: true, queues: true, lingers: true, streams: true, suffix: "/all-data"}
)

// Receipt is the service's answer to a deferred request that it has accepted.
type Receipt struct {
	// ID is the service's identifier of the request; empty where it gave none.
	ID string
	// At is when the service accepted it: its own word, or else the time of the answer.
	At time.Time
	// Delivered reports that the answer was written to the writer of FetchData, and
	// that by its structure it is the person's data.
	Delivered bool
}

// DeleteData is DELETE …/user/:identityId/all-data (section 4), a deferred request;
// deleting data does not revoke consent. It is sent once, and never by itself again:
// each request that arrives is another one in the service's queue. Package deferred
// decides when. Errors are *Error.
func (c *Client) DeleteData(ctx context.Context, scope Scope, identity string) (Receipt, error) {
	to, err := scope.ofPerson(identity, opDeleteData)
	if err != nil {
		return Receipt{}, invalid(opDeleteData, err)
	}

	got, err := c.do(ctx, opDeleteData, to, payload{}, identity)
	if err != nil {
		return Receipt{}, err
	}
	if err := got.complaint(); err != nil {
		return Receipt{}, err
	}
	return receiptOf(got.json), nil
}

// DeferredError returns an error about a deferred operation, one of Operations, that
// no answer of the service has caused. An empty operation is the pending list.
func DeferredError(operation string, scope Scope, kind ErrorClass, detail string) *Error {
	op, suffix := opListPending, "/pending-requests"
	switch operation {
	case OperationDataDeletion:
		op = opDeleteData
	case OperationDataAccess:
		op = opGetAllData
	case OperationProfileUpdate:
		op = opUpdateProfile
	}
	if op.suffix != "" {
		suffix = "/user/{identityId}" + op.suffix
	}

	family, _ := scope.family()
	return &Error{
		Class: kind, Operation: op.name, Method: op.method, Template: family + "/compliance" + suffix,
		Detail: detail, Queued: op.queues,
	}
}
