package client

import (
	"context"
	"net/http"
	"strings"
	"time"

	answers "github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
)

var opListPending = operation{name: "List pending actions", method: http.MethodGet, fresh: true, path: "/compliance/pending-requests"}

// ListPending is GET …/pending-requests (section 4), which lists only deferrable actions.
// Errors are *Error.
func (c *Client) ListPending(ctx context.Context, scope Scope) (answers.PendingList, error) {
	to, err := scope.endpoint(opListPending)
	if err != nil {
		return answers.PendingList{}, err
	}

	got, err := c.sender.do(ctx, request{op: opListPending, to: to})
	if err != nil {
		return answers.PendingList{}, err
	}
	if err := got.wantBody(); err != nil {
		return answers.PendingList{}, err
	}

	list, err := answers.ListCall{
		IdentityField:  c.wire.PendingIdentityField,
		IgnoredMembers: listed(c.wire.PendingIgnoredMembers),
		EndedStatuses:  c.wire.EndedStatuses,
		Continued:      got.continued,
	}.Read(got.json)
	if err != nil {
		return answers.PendingList{}, got.problem(err)
	}

	list.Cached, list.Date = got.cached, got.date
	list.Gap = got.call.redact.clean(list.Gap)
	for i, r := range list.Records {
		if r.Code != "" {
			person, _ := r.Identity.Get()
			list.Records[i].Code = newRedactor(person).text(got.call.redact.clean(r.Code), limitShown)
		}
	}

	return list, nil
}

// limitShown bounds what is shown of a code or an identifier of the service, in characters.
const limitShown = 80

// ShownID returns the service's identifier of a request about a person for a message:
// escaped, cut, and without the person and what looks like one or like a secret.
func ShownID(id, person string) string { return newRedactor(person).text(id, limitShown) }

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
var deferredOperations = map[string]operation{
	answers.RequestDataDeletion:  opDeleteData,
	answers.RequestDataAccess:    opGetAllData,
	answers.RequestProfileUpdate: opUpdateProfile,
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
