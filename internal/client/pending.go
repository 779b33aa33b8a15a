package client

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

var opListPending = operation{name: "List pending actions", method: http.MethodGet, path: "/compliance/pending-requests"}

// ListPending is GET …/pending-requests (section 4), which lists only deferrable
// actions. Errors are *Error.
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

	found, ok := findList(got.json)
	if !ok {
		if err := got.complaint(); err != nil {
			return PendingList{}, err
		}
		return PendingList{}, got.unexpected("no list of pending requests was recognised in the answer")
	}

	list := PendingList{Gap: got.furtherPages(found)}
	for _, element := range jsonvalue.Elements(found) {
		if element.Kind() != '{' {
			list.Gap = "it holds an entry that is no object"
			continue
		}
		list.Records = append(list.Records, readRecord(element, c.wire.PendingIdentityField))
	}
	slices.SortFunc(list.Records, compareRecords)
	return list, nil
}

// PendingListLag returns how long the pending list may lag behind a submission.
func (c *Client) PendingListLag() time.Duration {
	lag, _ := time.ParseDuration(c.wire.PendingListLag) // it was validated
	return lag
}
