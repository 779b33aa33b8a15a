package deferred

import (
	"context"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// How a request uses the pending list.
const (
	// ListComplete sends only after a list that was understood as a whole.
	ListComplete = "complete"
	// ListPartial takes what is understood of a list for the whole of it.
	ListPartial = "partial"
	// ListIgnored never asks for the list; only the effect tells the end then.
	ListIgnored = "ignored"
)

// Request is one deferred request about one person: what it is, how it is sent, and
// how its effect is seen.
type Request struct {
	Scope    client.Scope
	Identity string
	Type     string // one of client.RequestTypes
	// Occasion tells requests of one type about one person apart.
	Occasion string
	// Against are request types that must not be pending for the person beside this one.
	Against []string

	// Adopts lets a pending request of the same type stand for this one, so that
	// nothing is sent.
	Adopts bool
	// Once lets a request that this process knows to be submitted for the same occasion
	// stand for this one, also where it is fulfilled.
	Once bool
	// Repeatable is set where sending twice does no harm, because the values are
	// absolute: a request that nothing shows to have arrived is sent once more.
	Repeatable bool
	// EffectKnownAbsent is set where the caller knows that the effect cannot be seen
	// yet, so that nobody has to look before sending.
	EffectKnownAbsent bool

	// Superseded is asked in the person's turn, before anything else. true: the request
	// is not wanted any more, and nothing is sent. nil: it is always wanted.
	Superseded func() bool

	// List is how the pending list is used; empty is ListComplete.
	List string
	// EndedStatuses are statuses by which the service means that a request is over.
	EndedStatuses []string

	// Send sends the request once. Its errors are those of the client: Ambiguous says
	// that the service may have accepted it all the same.
	Send func(ctx context.Context) (client.Receipt, error)
	// Effect reports whether the effect can be seen at the service. nil: there is
	// nothing to see, and only the list tells the end.
	Effect func(ctx context.Context) (bool, error)
}

// Report is what a call noticed beside the new Submission.
type Report struct {
	// Adopted: a request that was pending already stands for this one, and nothing
	// was sent. Others are the ids of further pending requests of the same operation.
	Adopted bool
	Others  []string
	// Superseded: Request.Superseded was true, and nothing was sent.
	Superseded bool
	// Known: this process has met the request before, and nothing was sent.
	Known bool
	// Code is the service's code of a failure.
	Code string
	// Status is a status that the provider does not know, escaped and cut; the request
	// is treated as pending.
	Status string
	// Gap says why the pending list could not be read as a whole.
	Gap string
	// Interrupted: the run ended while the request was waited for.
	Interrupted bool
	// Err is why a wait ended early, where it was neither time nor an ending.
	Err error
}
