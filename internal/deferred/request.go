// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// Request is one deferred request about one person: what it is, how it is sent, and how
// its effect is measured.
type Request struct {
	Person client.Person
	Type   string // one of answer.RequestTypes
	// IdempotencyKey distinguishes requests of one type about one person: those with the same key are one.
	IdempotencyKey string
	// Against are request types that must not be pending for the person at the same time.
	Against []string

	// Adopts lets a pending request of the same type stand for this one, so that nothing
	// is sent.
	Adopts bool
	// Once lets a request that this process has submitted with the same idempotency key stand for
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

	// Send sends the request once. Its errors are those of the client: one that is
	// Ambiguous means that the service may have accepted the request.
	Send func(ctx context.Context) (answer.Receipt, error)
	// Effect reports whether the service shows the effect. An answer that the service dates
	// before sent proves nothing, and is an error that may pass. If nil, there is no effect
	// to see, and only the list shows the end.
	Effect func(ctx context.Context, sent time.Time) (bool, error)
}

// AnyIdempotencyKey is that of a request that stands for each one which this process
// submits for the same person, whatever its idempotency key.
const AnyIdempotencyKey = "invocation"

// Observed is what a call noticed in addition to the new Submission.
type Observed struct {
	// Adopted: a request that was pending already stands for this one, and nothing was
	// sent. Others are the IDs of further pending requests of the same type.
	Adopted bool
	Others  []string
	// Superseded: Request.Superseded returned true, and nothing was sent.
	Superseded bool
	// Known: this process knew the request already, and nothing was sent.
	Known bool
	// Delivered: the service answered with the data asked for.
	Delivered bool
	// Code is the service's code of a failure.
	Code string
	// UnknownStatus: the request has a status that is not known, and is treated as pending.
	UnknownStatus bool
	// NotUnderstood is the structure of an answer to the request that is no receipt; empty
	// if it is one. The request was sent, and is treated as accepted.
	NotUnderstood string
	// Unproven: for as long as the list may lag, nothing has shown that the request was
	// carried out: the list has never shown it, and no effect of it is visible.
	Unproven bool
	// Gap says why the pending list could not be read completely.
	Gap string
	// Interrupted: the run was interrupted while it waited for the request.
	Interrupted bool
	// Err is why a wait ended early, unless its time was up or its context ended.
	Err error
}

// State is how far a request has come.
type State string

// The states of a request. Left and Delivered are transient: a submission stays in them
// only if the next step failed.
const (
	Idle       State = ""           // nothing was sent
	Unanswered State = "unanswered" // sent; whether the service accepted it is not known
	Lost       State = "lost"       // unanswered, and nothing shows that it arrived
	Accepted   State = "accepted"   // accepted, and not yet seen in the pending list
	Delivered  State = "delivered"  // answered with what looks like the data asked for
	Listed     State = "listed"     // accepted and seen in the pending list
	Left       State = "left"       // no longer pending; its effect has to be measured
	Fulfilled  State = "fulfilled"  // carried out
	Failed     State = "failed"     // the service lists it as failed
	Dropped    State = "dropped"    // no longer pending, without its effect
)

// IsOpen reports whether the service may still be working on the request.
func (s State) IsOpen() bool { return s == Accepted || s == Listed || s == Left }

// IsOver reports whether the request came to nothing, so that another one has to be sent
// with the same idempotency key.
func (s State) IsOver() bool { return s == Failed || s == Dropped }

// IsUnanswered reports whether the request was sent, and it is not known whether the service
// has it.
func (s Submission) IsUnanswered() bool { return s.State == Unanswered || s.State == Lost }

// IsToSend reports whether a request is still to be sent with the same idempotency key: the one of
// another has come to nothing, or it is not known whether the service has the own one.
func (s Submission) IsToSend() bool { return s.Adopted && s.State.IsOver() || s.IsUnanswered() }

// isUncertain reports whether it is not known that the service has the request.
func (s State) isUncertain() bool { return s == Idle || s == Unanswered || s == Lost }

// isUndecided reports whether submitting the request has not come to an end.
func (s State) isUndecided() bool { return s.isUncertain() || s == Delivered }

// Submission is what is known about one request. The zero value is a request that was
// never sent.
type Submission struct {
	State State `json:"state,omitempty"`
	// ID is the service's identifier of the request; empty if it gave none.
	ID string `json:"id,omitempty"`
	// IdempotencyKey is Request.IdempotencyKey of the call that sent it.
	IdempotencyKey string `json:"idempotency_key,omitempty"`
	// Begun is when sending it first began.
	Begun time.Time `json:"begun,omitzero"`
	// At is when the service accepted the request, as it says or else when its answer
	// came. Sent is when sending it ended: the list may lag from then on.
	At   time.Time `json:"at,omitzero"`
	Sent time.Time `json:"sent,omitzero"`
	// SentDate is Begun by the service's clock, or earlier, and EndDate is Sent by that clock,
	// or later; zero if the list that was read before had no date.
	SentDate time.Time `json:"sent_date,omitzero"`
	EndDate  time.Time `json:"end_date,omitzero"`
	// FulfilledAt is when the fulfilment was seen.
	FulfilledAt time.Time `json:"fulfilled_at,omitzero"`
	// Seen reports that the list has shown the request, and so that ID is its ID in the
	// list. ListedAt is the time that the list gave it. MissingSince is when reading the first
	// complete list began that did not show it any more, and MissingDate the date of that list.
	Seen         bool      `json:"seen,omitempty"`
	ListedAt     time.Time `json:"listed_at,omitzero"`
	MissingSince time.Time `json:"missing_since,omitzero"`
	MissingDate  time.Time `json:"missing_date,omitzero"`
	// Before are the keys of the records of the same person and request type that are not
	// this request. They distinguish it as long as the list has not shown its ID.
	Before []string `json:"before,omitempty"`
	// Adopted reports that somebody else has sent the request. If it comes to nothing, the
	// one of the object has still to be sent.
	Adopted bool `json:"adopted,omitempty"`
	// EffectBefore reports that the effect was visible before the request was sent, was not
	// measured then, or may be that of a request that was pending then. Seeing it afterwards
	// then proves nothing.
	EffectBefore bool `json:"effect_before,omitempty"`
	// Interrupted reports that the run was interrupted while it waited, so that the next
	// one goes on waiting.
	Interrupted bool `json:"interrupted,omitempty"`
}

// Encode returns the submission as JSON.
func (s Submission) Encode() []byte {
	text, _ := json.Marshal(s) // cannot fail for texts, flags and times of this era
	return text
}

// Decode returns the submission that Encode returned as text; the zero Submission for any
// other text.
func Decode(text []byte) Submission {
	var s Submission
	if len(text) == 0 || json.Unmarshal(text, &s) != nil {
		return Submission{}
	}
	return s
}
