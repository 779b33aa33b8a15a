// SPDX-License-Identifier: MPL-2.0

package client

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

var (
	opDeleteData = transport.Operation{
		Name:    "Delete all data of a user",
		Method:  http.MethodDelete,
		Path:    "/compliance/user/{identityId}/all-data",
		Effect:  true,
		Queues:  true,
		Lingers: true,
	}
	opGetAllData = transport.Operation{
		Name:    "Get all data of a user",
		Method:  http.MethodGet,
		Path:    "/compliance/user/{identityId}/all-data",
		Effect:  true,
		Queues:  true,
		Lingers: true,
		Streams: true,
	}
)

// DeleteData is DELETE …/user/:identityId/all-data (section 4), a deferred request. Deleting
// data does not revoke consent. The request is sent once, since each that arrives is another
// one in the service's queue; package deferred decides when. Errors are *Error.
func (c *Client) DeleteData(ctx context.Context, scope Scope, identity string) (answer.Receipt, error) {
	to, err := scope.ofPerson(identity, opDeleteData)
	if err != nil {
		return answer.Receipt{}, err
	}

	got, err := c.sender.Do(ctx, transport.Request{Op: opDeleteData, To: to, Private: []string{identity}})
	if err != nil {
		return answer.Receipt{}, err
	}

	receipt, err := answer.ReadReceipt(got.Status, got.JSON, identity)

	return shownReceipt(got, receipt, err)
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
func (c *Client) FetchData(ctx context.Context, scope Scope, call answer.DataCall, w io.Writer) (answer.Receipt, error) {
	to, err := scope.ofPerson(call.Person, opGetAllData)
	if err != nil {
		return answer.Receipt{}, err
	}

	if c.wire.PendingList == ListIgnored && c.wire.AllDataMember == "" {
		return answer.Receipt{}, transport.Invalid(opGetAllData, errors.New("where wire.pending_list is \"ignored\", only wire.all_data_member shows that an answer is the data; nothing was sent"))
	}

	s, err := c.sender.Stream(ctx, transport.Request{Op: opGetAllData, To: to, Private: []string{call.Person}})
	if err != nil {
		return answer.Receipt{}, err
	}
	defer s.Close()

	call.Member = c.wire.AllDataMember

	return dataReceipt(ctx, s, call, w)
}
