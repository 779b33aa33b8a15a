// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"context"
	"errors"
	"strconv"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// failure returns an error about the request.
func (r Request) failure(class transport.ErrorClass, detail string) *transport.Error {
	return client.DeferredError(r.Type, r.Person.Scope, class, detail)
}

// asError returns a context's error as a *transport.Error, and any other error as it is.
func (r Request) asError(err error) error {
	if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}

	if own, ok := errors.AsType[*transport.Error](err); ok {
		return own
	}
	return r.failure(transport.ClassCancelled, "the run was interrupted or its time was up, and nothing was sent")
}

// conflict returns the error about a pending request of the person that conflicts with
// this one. isUnclear: its status is not known.
func (r Request) conflict(id, requestType string, isUnclear bool) *transport.Error {
	err := r.failure(transport.ClassConflict,
		"conflicting pending request "+client.ShownID(id, r.Person.Identity)+" ("+requestType+") of the same person; nothing was sent")
	if isUnclear {
		err.Detail += "; its status is not known to the provider: if it means that the request is over, name it in wire.pending.statuses"
	}
	return err
}

// refusal returns the error of a request that was certainly not carried out. If that was
// the second attempt, the outcome of the first one is still unknown.
func (x *execution) refusal(err error) error {
	second, ok := errors.AsType[*transport.Error](err)
	if !ok || x.lost == nil {
		return x.request.asError(err)
	}

	unknown := transport.UnknownOutcome(x.lost, nil)
	unknown.Detail += ", and sending it once more failed: " + second.Title()
	unknown.Status, unknown.Code, unknown.Message = second.Status, second.Code, second.Message

	return unknown
}

// Rejection returns the error of a request that the service accepted and then failed.
func (r Request) Rejection(s Submission, seen Observed) error {
	id := "without an id"
	if s.ID != "" {
		id = strconv.Quote(client.ShownID(s.ID, r.Person.Identity))
	}

	err := r.failure(transport.ClassServer, "the service accepted request "+id+" and then failed it")
	err.Code = seen.Code
	return err
}

// unknownOutcome returns the error of a submission that may have arrived. look is the
// error of looking for it; nil if it was not found.
func (x *execution) unknownOutcome(look error) error {
	if x.lost == nil {
		unknown := x.request.failure(transport.ClassUnknownOutcome, "whether the service has accepted the request is still not known")
		if seen, ok := errors.AsType[*transport.Error](look); ok {
			unknown.Detail += "; looking at the service failed: " + seen.Title()
		}
		return unknown
	}

	unknown := transport.UnknownOutcome(x.lost, look)
	if look == nil {
		unknown.Detail += ", and no such request is pending: either it never arrived, or it is done already"
	}

	if x.observed.Gap != "" {
		unknown.Detail += "; the pending list cannot be read as a whole: " + x.observed.Gap
	}

	return unknown
}
