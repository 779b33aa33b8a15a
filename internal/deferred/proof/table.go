// SPDX-License-Identifier: MPL-2.0

package proof

// State is how far a request has come.
type State string

// The states of a request.
const (
	Unsent     State = ""           // nothing was sent
	Unanswered State = "unanswered" // sent, and whether the service accepted it is not known
	Accepted   State = "accepted"   // accepted, and its absence from the list says nothing
	Listed     State = "listed"     // accepted, and the list has shown it as pending
	Fulfilled  State = "fulfilled"  // carried out
	Failed     State = "failed"     // accepted, and came to nothing
)

// List is what one reading of the pending list shows of a request.
type List int

// The values of List. A reading that is stale, older than the request, or not whole is Unread.
const (
	Unread      List = iota // nothing
	Absent                  // not the request
	AbsentTwice             // not the request, for the second time, a lag after the first
	Ambiguous               // not the request, but a record that may be the request
	Unclear                 // the request, and its statuses are not known or disagree
	Waiting                 // the request as pending
	DoneOnce                // the request as done, in a record without its id
	Done                    // the same for the second time, or the request by its id as done
	Over                    // the same, with a status of which only wire says that the request is over
	SaysFailed              // the request as failed
)

// Effect is what one reading of the effect shows of a request.
type Effect int

// The values of Effect.
const (
	NoEffect   Effect = iota // nothing, ever: there is no effect, it was there before, or something else explains it
	Unreadable               // nothing this time: it could not be read, or the reading is stale
	Missing                  // what was there before the request
	Altered                  // neither what was there before nor the effect
	Shown                    // the effect
	Proven                   // the effect, for the second time, a lag after the first
)

// Action is what follows from a reading.
type Action int

// The values of Action.
const (
	Look   Action = iota // another reading may show more
	End                  // it is decided
	GiveUp               // no further reading can be expected to show more
)

// Verdict is what is concluded from a reading: the state that the request is in from then on, and
// what follows.
type Verdict struct {
	State  State
	Action Action
}

var (
	isUnanswered = Verdict{Unanswered, Look}
	isUnknown    = Verdict{Unanswered, GiveUp}
	isAccepted   = Verdict{Accepted, Look}
	isUnproven   = Verdict{Accepted, GiveUp}
	isListed     = Verdict{Listed, Look}
	isFulfilled  = Verdict{Fulfilled, End}
	hasFailed    = Verdict{Failed, End}
)

// row is the verdicts for one state and list, by effect.
type row [Proven + 1]Verdict

// whatever returns the row of a verdict that does not depend on the effect.
func whatever(v Verdict) row { return row{v, v, v, v, v, v} }

// table is everything that is ever concluded about a request that was sent. What is fulfilled or
// failed stays so.
var table = map[State]map[List]row{
	Unanswered: {
		//          no effect,    unseen,       missing,      altered,      shown,        proven
		Unread:      {isUnanswered, isUnanswered, isUnanswered, isUnanswered, isUnanswered, isUnanswered},
		Absent:      {isUnanswered, isUnanswered, isUnanswered, isUnanswered, isUnanswered, isFulfilled},
		AbsentTwice: {isUnknown, isUnanswered, isUnknown, isUnknown, isUnanswered, isFulfilled},
		Ambiguous:   whatever(isUnanswered),
		Unclear:     whatever(isAccepted),
		Waiting:     whatever(isListed),
		DoneOnce:    whatever(isListed),
		Done:        whatever(isFulfilled),
		Over:        {isFulfilled, isListed, hasFailed, hasFailed, isListed, isFulfilled},
		SaysFailed:  whatever(hasFailed),
	},
	Accepted: {
		Unread:      whatever(isAccepted),
		Absent:      {isAccepted, isAccepted, isAccepted, isAccepted, isAccepted, isFulfilled},
		AbsentTwice: {isUnproven, isAccepted, isAccepted, isUnproven, isAccepted, isFulfilled},
		Ambiguous:   whatever(isAccepted),
		Unclear:     whatever(isAccepted),
		Waiting:     whatever(isListed),
		DoneOnce:    whatever(isListed),
		Done:        whatever(isFulfilled),
		Over:        {isFulfilled, isListed, hasFailed, hasFailed, isListed, isFulfilled},
		SaysFailed:  whatever(hasFailed),
	},
	Listed: {
		Unread:      whatever(isListed),
		Absent:      {isListed, isListed, isListed, isListed, isListed, isFulfilled},
		AbsentTwice: {isFulfilled, isListed, hasFailed, hasFailed, isListed, isFulfilled},
		Ambiguous:   whatever(isListed),
		Unclear:     whatever(isAccepted),
		Waiting:     whatever(isListed),
		DoneOnce:    whatever(isListed),
		Done:        whatever(isFulfilled),
		Over:        {isFulfilled, isListed, hasFailed, hasFailed, isListed, isFulfilled},
		SaysFailed:  whatever(hasFailed),
	},
}

// Judge concludes from one reading of the list and the effect what has become of a request.
func Judge(s State, list List, effect Effect) Verdict {
	rows, isSent := table[s]
	if !isSent {
		return Verdict{s, End}
	}
	return rows[list][effect]
}
