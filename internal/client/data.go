package client

import (
	"context"
	"errors"
	"io"
	"net/http"

	answers "github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
)

var (
	opDeleteData = operation{
		name:    "Delete all data of a user",
		method:  http.MethodDelete,
		path:    "/compliance/user/{identityId}/all-data",
		effect:  true,
		queues:  true,
		lingers: true,
	}
	opGetAllData = operation{
		name:    "Get all data of a user",
		method:  http.MethodGet,
		path:    "/compliance/user/{identityId}/all-data",
		effect:  true,
		queues:  true,
		lingers: true,
		streams: true,
	}
)

// DeleteData is DELETE …/user/:identityId/all-data (section 4), a deferred request. Deleting
// data does not revoke consent. The request is sent once, since each that arrives is another
// one in the service's queue; package deferred decides when. Errors are *Error.
func (c *Client) DeleteData(ctx context.Context, scope Scope, identity string) (answers.Receipt, error) {
	to, err := scope.ofPerson(identity, opDeleteData)
	if err != nil {
		return answers.Receipt{}, err
	}

	got, err := c.sender.do(ctx, request{op: opDeleteData, to: to, private: []string{identity}})
	if err != nil {
		return answers.Receipt{}, err
	}

	receipt, err := answers.ReadReceipt(got.status, got.json, identity)

	return got.receipt(receipt, err)
}

// FetchData is GET …/user/:identityId/all-data (section 4), a deferred request. The request
// is sent once, since each that arrives is another one in the service's queue; package
// deferred decides when.
//
// An answer with status 200 that is recognised as the data is written to w as it comes,
// whatever its size, and the receipt says Delivered; what is written without that is not the
// data. The caller sets Person and Seen in the call.
// That the same call returns the data once the request is fulfilled is our assumption: the
// interface shows no other way. Errors are *Error, or those of w as they are.
func (c *Client) FetchData(ctx context.Context, scope Scope, call answers.DataCall, w io.Writer) (answers.Receipt, error) {
	to, err := scope.ofPerson(call.Person, opGetAllData)
	if err != nil {
		return answers.Receipt{}, err
	}

	if c.wire.PendingList == ListIgnored && c.wire.AllDataMember == "" {
		return answers.Receipt{}, invalid(opGetAllData, errors.New("where wire.pending_list is \"ignored\", only wire.all_data_member shows that an answer is the data; nothing was sent"))
	}

	s, err := c.sender.stream(ctx, request{op: opGetAllData, to: to, private: []string{call.Person}})
	if err != nil {
		return answers.Receipt{}, err
	}
	defer s.close()

	call.Member = c.wire.AllDataMember

	return s.receipt(ctx, call, w)
}
