package deferred

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// failure returns an error about the request.
func (r Request) failure(kind client.ErrorClass, detail string) *client.Error {
	return client.DeferredError(r.Type, r.Scope, kind, detail)
}

// asError completes errors that are a context's alone.
func (r Request) asError(err error) error {
	if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if own, ok := errors.AsType[*client.Error](err); ok {
		return own
	}
	return r.failure(client.ClassCancelled, "the run was interrupted or its time was up, and nothing was sent")
}

func (r Request) isAgainst(operation string) bool { return slices.Contains(r.Against, operation) }

// conflict refuses what another pending request of the person stands against.
func (r Request) conflict(record client.PendingRecord) error {
	id, _ := record.ID.Get()
	operation, _ := record.RequestType.Get()
	err := r.conflictWith(id, operation)
	if status := record.ShownStatus(); status != "" && r.progressOf(record) == client.Unclear {
		err.Detail += "; its status " + status + " is not known to the provider: if it means that the request is over, name it in ended_statuses"
	}
	return err
}

func (r Request) conflictWith(id, operation string) *client.Error {
	return r.failure(client.ClassConflict,
		"conflicting pending request "+client.ShownID(id)+" ("+operation+") of the same person; nothing was sent")
}

// unreadable refuses to send beside a list that cannot be read as a whole.
func (r Request) unreadable(gap string) error {
	return r.failure(client.ClassPayload,
		"the list of pending requests cannot be read as a whole, so another request of the person cannot be excluded: "+gap+"; nothing was sent. "+
			"wire.pending_identity_field names the field that holds the person; pending_list = \"partial\" takes what is understood for the whole list")
}

// refusal is the error of a request that was certainly not carried out. Where it was
// the second try, nothing is known of the first one still.
func (l *life) refusal(err error) error {
	second, ok := errors.AsType[*client.Error](err)
	if !ok || l.lost == nil {
		return l.request.asError(err)
	}

	unknown := client.UnknownOutcome(l.lost, nil)
	unknown.Detail += ", and sending it once more failed: " + second.Title()
	unknown.Status, unknown.Code, unknown.Message = second.Status, second.Code, second.Message
	return unknown
}

// Rejection returns the error of a request that the service accepted and then failed.
func (r Request) Rejection(s Submission, report Report) error {
	id := "without an id"
	if s.ID != "" {
		id = strconv.Quote(client.ShownID(s.ID))
	}

	err := r.failure(client.ClassServer, "the service accepted request "+id+" and then failed it")
	err.Code = report.Code
	return err
}

// unknownOutcome is the error of a submission that may have arrived.
func (l *life) unknownOutcome(look error) error {
	if l.lost == nil {
		unknown := l.request.failure(client.ClassUnknownOutcome, "whether the service has accepted the request is still not known")
		if seen, ok := errors.AsType[*client.Error](look); ok {
			unknown.Detail += "; looking at the service failed: " + seen.Title()
		}
		return unknown
	}

	unknown := client.UnknownOutcome(l.lost, look)
	if look == nil {
		unknown.Detail += ", and no such request is pending: either it never arrived, or it is done already"
	}
	if l.report.Gap != "" {
		unknown.Detail += "; the pending list cannot be read as a whole: " + l.report.Gap
	}
	return unknown
}
