// SPDX-License-Identifier: MPL-2.0

package client

import (
	"context"
	"net/http"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

var opListPending = transport.Operation{Name: "List pending actions", Method: http.MethodGet, Path: "/compliance/pending-requests"}

// ListPending is GET …/pending-requests (section 4), which lists only deferrable actions.
// Errors are *Error.
func (c *Client) ListPending(ctx context.Context, scope Scope) (answer.PendingList, error) {
	to, err := scope.endpoint(opListPending)
	if err != nil {
		return answer.PendingList{}, err
	}
	got, err := c.sender.Do(ctx, transport.Request{Op: opListPending, To: to})
	if err != nil {
		return answer.PendingList{}, err
	}

	wire := c.config.Wire
	list, err := answer.ListCall{
		IdentityField:  wire.Pending.Identity.LastToken(),
		IgnoredMembers: wire.ignoredNames(),
		EndedStatuses:  wire.Pending.Statuses[StatusEnded],
		Continued:      transport.IsContinued(got.Response.Header),
	}.Read(got.JSON)
	if err != nil {
		return answer.PendingList{}, problem(got, err)
	}

	list.Cached, list.Date = got.Cached, got.Date
	list.Gap = got.Redact.Clean(list.Gap)
	for i, r := range list.Records {
		if r.Code != "" {
			person, _ := r.Identity.Get()
			list.Records[i].Code = ShownID(got.Redact.Clean(r.Code), person)
		}
	}

	return list, nil
}

// ShownID returns an identifier or a code that the service gives to a request about a person, for
// a message: escaped, cut to 80 characters, and without the person and what looks like one or like
// a secret.
func ShownID(id, person string) string { return transport.NewRedactor(person).Text(id, 80) }

// PendingListUse returns how the pending list is used: ListWhole, ListPartial or ListIgnored.
func (c *Client) PendingListUse() string { return c.config.Wire.Pending.Use }

// PendingListLag returns how long the pending list may lag behind a submission.
func (c *Client) PendingListLag() time.Duration {
	lag, _ := time.ParseDuration(c.config.Wire.Lag) // it was validated
	return lag
}

// LockPerson waits until nothing else of this process submits deferred requests about a
// person, or until the context ends. The caller calls unlock.
func (c *Client) LockPerson(ctx context.Context, p Person) (unlock func(), err error) {
	return c.requests.lock(ctx, p)
}

// deferredOperations are the operations that submit requests, by request type.
var deferredOperations = map[string]transport.Operation{
	answer.RequestDataDeletion:  opDeleteData,
	answer.RequestDataAccess:    opGetAllData,
	answer.RequestProfileUpdate: opUpdateProfile,
}

// DeferredError returns an error about a request of a type that no answer of the service
// has caused. An empty request type stands for the pending list.
func DeferredError(requestType string, scope Scope, class transport.ErrorClass, detail string) *transport.Error {
	op, ok := deferredOperations[requestType]
	if !ok {
		op = opListPending
	}

	family, _ := scope.family()

	return transport.NewError(transport.About(op, transport.Expand(family+op.Path)), class, detail)
}
