// SPDX-License-Identifier: MPL-2.0

package client

import (
	"context"
	"net/http"
	"strings"
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

	list, err := answer.ListCall{
		IdentityField:  c.wire.PendingIdentityField,
		IgnoredMembers: listed(c.wire.PendingIgnoredMembers),
		EndedStatuses:  listed(c.wire.EndedStatuses),
		Continued:      transport.HasNextLink(got.Response.Header),
	}.Read(got.JSON)
	if err != nil {
		return answer.PendingList{}, problem(got, err)
	}

	list.Cached, list.Date = transport.Freshness(got.Response)
	list.Gap = got.Call.Redact.Clean(list.Gap)
	for i, r := range list.Records {
		if r.Code != "" {
			person, _ := r.Identity.Get()
			list.Records[i].Code = transport.NewRedactor(person).Text(got.Call.Redact.Clean(r.Code), limitShown)
		}
	}

	return list, nil
}

// limitShown bounds what is shown of a code or an identifier of the service, in characters.
const limitShown = 80

// ShownID returns the service's identifier of a request about a person for a message:
// escaped, cut, and without the person and what looks like one or like a secret.
func ShownID(id, person string) string { return transport.NewRedactor(person).Text(id, limitShown) }

// PendingListUse returns how the pending list is used: one of PendingListUses.
func (c *Client) PendingListUse() string { return c.wire.PendingList }

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

	return &transport.Error{
		Class:     class,
		Operation: op.Name,
		Method:    op.Method,
		Template:  family + op.Path,
		Detail:    detail,
		Queued:    op.Queues,
	}
}
