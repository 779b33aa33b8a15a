package deferred

import (
	"time"

	"github.com/go-json-experiment/json"
)

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
// for the same occasion.
func (s State) IsOver() bool { return s == Failed || s == Dropped }

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
	// Occasion is Request.Occasion of the call that sent it.
	Occasion string `json:"occasion,omitempty"`
	// At is when the service accepted the request, as it says or else when its answer
	// came. Sent is when sending it ended: the list may lag from then on.
	At   time.Time `json:"at,omitzero"`
	Sent time.Time `json:"sent,omitzero"`
	// FulfilledAt is when the fulfilment was seen.
	FulfilledAt time.Time `json:"fulfilled_at,omitzero"`
	// Before are the keys of the records of the same person and request type that are not
	// this request. They distinguish it while it has no ID.
	Before []string `json:"before,omitempty"`
	// EffectBefore reports that the effect was visible before the request was sent, or was
	// not measured then. Seeing it afterwards then proves nothing.
	EffectBefore bool `json:"effect_before,omitempty"`
	// Interrupted reports that the run was interrupted while it waited, so that the next
	// one goes on waiting.
	Interrupted bool `json:"interrupted,omitempty"`
}

// Encode returns the submission as JSON.
func (s Submission) Encode() ([]byte, error) { return json.Marshal(s) }

// Decode returns the submission that Encode returned as text. It returns the zero
// Submission and false for any other text.
func Decode(text []byte) (Submission, bool) {
	var s Submission
	if len(text) == 0 || json.Unmarshal(text, &s) != nil {
		return Submission{}, false
	}
	return s, true
}
