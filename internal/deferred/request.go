package deferred

import (
	"context"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// How a request uses the pending list.
const (
	// ListComplete sends a request only if the list was understood completely.
	ListComplete = "complete"
	// ListPartial takes the part of the list that is understood for all of it.
	ListPartial = "partial"
	// ListIgnored never reads the list, so that only the effect shows the end.
	ListIgnored = "ignored"
)

// Request is one deferred request about one person: what it is, how it is sent, and how
// its effect is measured.
type Request struct {
	Scope    client.Scope
	Identity string
	Type     string // one of client.RequestTypes
	// Occasion distinguishes requests of one type about one person.
	Occasion string
	// Against are request types that must not be pending for the person at the same time.
	Against []string

	// Adopts lets a pending request of the same type stand for this one, so that nothing
	// is sent.
	Adopts bool
	// Once lets a request that this process has submitted for the same occasion stand for
	// this one, even if it is fulfilled.
	Once bool
	// Repeatable: sending twice does no harm, because the values are absolute. A request
	// that seems not to have arrived is sent once more.
	Repeatable bool
	// EffectKnownAbsent: the caller knows that the effect is not visible yet, so that it
	// need not be measured before sending.
	EffectKnownAbsent bool

	// Superseded reports whether the request is no longer wanted, so that nothing is sent.
	// Submit calls it once the person is locked. If nil, the request is always wanted.
	Superseded func() bool

	// List is how the pending list is used; empty means ListComplete.
	List string
	// EndedStatuses are statuses with which the service says that a request is over.
	EndedStatuses []string

	// Send sends the request once. Its errors are those of the client: one that is
	// Ambiguous means that the service may have accepted the request.
	Send func(ctx context.Context) (client.Receipt, error)
	// Effect reports whether the service shows the effect. If nil, there is none to see,
	// and only the list shows the end.
	Effect func(ctx context.Context) (bool, error)
}

// Report is what a call noticed in addition to the new Submission.
type Report struct {
	// Adopted: a request that was pending already stands for this one, and nothing was
	// sent. Others are the IDs of further pending requests of the same type.
	Adopted bool
	Others  []string
	// Superseded: Request.Superseded returned true, and nothing was sent.
	Superseded bool
	// Known: this process knew the request already, and nothing was sent.
	Known bool
	// Code is the service's code of a failure.
	Code string
	// Status is a status that the provider does not know, escaped and shortened. The
	// request is treated as pending.
	Status string
	// Gap says why the pending list could not be read completely.
	Gap string
	// Interrupted: the run was interrupted while it waited for the request.
	Interrupted bool
	// Err is why a wait ended early, unless its time was up or its context ended.
	Err error
}
