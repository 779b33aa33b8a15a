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

// mayBeAccepted returns the error of sending the request after which the service may have accepted
// it: one whose answer was lost, a redirect, for a service may point to the request that it has
// queued, and a conflict, which may be with the request itself. It returns nil for any other error.
func (r Request) mayBeAccepted(err error) *transport.Error {
	e, ok := errors.AsType[*transport.Error](err)
	if !ok || e.Operation != r.failure(e.Class, "").Operation {
		return nil
	}

	const redirect, conflict = 3, 409
	if e.Ambiguous || e.Status/100 == redirect || e.Status == conflict {
		return e
	}

	return nil
}

// Rejection returns the error of a request that the service accepted and then failed.
func (r Request) Rejection(s Submission) error {
	id := "without an id"
	if s.ShownID() != "" {
		id = strconv.Quote(client.ShownID(s.ShownID(), r.Identity))
	}

	err := r.failure(transport.ClassServer, "the service accepted request "+id+" and then failed it")
	err.Code = s.Code
	return err
}
