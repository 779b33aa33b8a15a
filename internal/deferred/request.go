// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
)

// Request is one deferred request about one person: what it is, how it is sent, and how
// its effect is read.
type Request struct {
	client.Person

	Type string // one of answer.RequestTypes
	// IdempotencyKey distinguishes requests of one type about one person: those with the same key are one.
	IdempotencyKey string
	// Against are request types that must not be pending for the person at the same time.
	Against []string
	// Earlier is the ID of the request that the object stands for; empty if it stands for none.
	// While the list shows it for somebody else, nothing is sent beside it.
	Earlier string

	// Adopts lets a pending request of the same type stand for this one, so that nothing
	// is sent.
	Adopts bool
	// Once lets a request that this process has submitted with the same idempotency key stand for
	// this one, even if it is fulfilled.
	Once bool
	// Repeatable: sending twice does no harm, because the values are absolute. A request
	// that seems not to have arrived is sent once more.
	Repeatable bool
	// Ready: an earlier request has been carried out, so that data may come at once.
	Ready bool
	// EffectKnownAbsent: the caller knows that the effect is not visible yet, so that it
	// need not be measured before sending.
	EffectKnownAbsent bool

	// Superseded reports whether the request is no longer wanted, so that nothing is sent.
	// Submit calls it once the person is locked. If nil, the request is always wanted.
	Superseded func() bool

	// Send sends the request once. Its errors are those of the client.
	Send func(ctx context.Context) (answer.Receipt, error)
	// Effect reads the effect once. If nil, there is no effect to see.
	Effect func(ctx context.Context) (Sight, error)
}

// Sight is one reading of an effect: what it shows, whether a cache has kept it, and when the
// service made it; zero if it does not say so.
type Sight struct {
	Shows  proof.Effect
	Cached bool
	Date   time.Time
}

// AnyIdempotencyKey is that of a request that stands for each one which this process
// submits for the same person, whatever its idempotency key.
const AnyIdempotencyKey = "invocation"

// Submission is what is known about one request, and State how far it has come.
type (
	Submission = proof.Submission
	State      = proof.State
)

// The states of a request.
const (
	Unsent     = proof.Unsent
	Unanswered = proof.Unanswered
	Accepted   = proof.Accepted
	Listed     = proof.Listed
	Fulfilled  = proof.Fulfilled
	Failed     = proof.Failed
)

// IsToSend reports whether a request is still to be sent for an object that stands for a
// submission: that of somebody else has come to nothing, or it is not known whether the service
// has its own.
func IsToSend(s Submission) bool {
	isVoid := s.Adopted && s.State == Failed
	return isVoid || s.State == Unanswered
}

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
	// NotUnderstood is the structure of an answer to the request that is no receipt; empty
	// if it is one. The request was sent, and is treated as accepted.
	NotUnderstood string
	// Unproven: for as long as the list may lag, nothing has shown what has become of the request.
	Unproven bool
	// Gap says why the latest reading of the pending list proved less than it could.
	Gap string
	// Interrupted: the run was interrupted while it waited for the request.
	Interrupted bool
	// Err is why a wait ended early, unless its time was up or its context ended.
	Err error
}

// Encode returns a submission as JSON.
func Encode(s Submission) []byte {
	text, _ := json.Marshal(s) // cannot fail for texts, flags and times of this era
	return text
}

// earlier are fields and states of submissions that earlier versions of the provider stored.
type earlier struct {
	Seen         bool      `json:"seen"`
	MissingSince time.Time `json:"missing_since"`
	MissingDate  time.Time `json:"missing_date"`
	EffectBefore bool      `json:"effect_before"`
}

// statesBefore are the states of earlier versions.
var statesBefore = map[State]State{"lost": Unanswered, "delivered": Accepted, "left": Listed, "dropped": Failed}

// Decode returns the submission that Encode returned as text, now or in an earlier version; the zero
// Submission for any other text.
func Decode(text []byte) Submission {
	var s Submission
	var before earlier
	if len(text) == 0 || json.Unmarshal(text, &s) != nil || json.Unmarshal(text, &before) != nil {
		return Submission{}
	}
	if s.State == Unsent || s.Type != "" {
		return s
	}

	s.IsListed, s.Explained = before.Seen && s.ID != "", before.EffectBefore
	s.Absent = proof.Mark{At: before.MissingSince, Date: before.MissingDate}
	s.Dropped = s.State == "dropped"
	if state, isBefore := statesBefore[s.State]; isBefore {
		s.State = state
	}

	return s
}
