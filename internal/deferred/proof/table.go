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

// The values of List. Unread is a reading that is stale, not whole, or older than the request, or has a record that may
// be the request.
const (
	Unread      List = iota // nothing
	Absent                  // not the request
	AbsentTwice             // not the request, for the second time, a lag after the first
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
	ReadAgain Action = iota // another reading may show more
	End                     // it is decided
	GiveUp                  // no further reading can be expected to show more
	Repeat                  // the same, and the request may be sent once more where that does no harm
)

// Verdict is what is concluded from a reading: the state that the request is in from then on, and what follows.
type Verdict struct {
	State  State
	Action Action
}

var (
	isUnanswered = Verdict{Unanswered, ReadAgain}
	isUnknown    = Verdict{Unanswered, Repeat}
	isAccepted   = Verdict{Accepted, ReadAgain}
	isUnproven   = Verdict{Accepted, GiveUp}
	isListed     = Verdict{Listed, ReadAgain}
	isFulfilled  = Verdict{Fulfilled, End}
	hasFailed    = Verdict{Failed, End}
)

// Row is the verdicts for what a list shows of a request in one state, by effect.
type Row [Proven + 1]Verdict

// whatever returns the row of a verdict that does not depend on the effect.
func whatever(v Verdict) Row { return Row{v, v, v, v, v, v} }

// always returns the rows of a list that decides whatever the state is.
func always(r Row) map[State]Row { return map[State]Row{Unanswered: r, Accepted: r, Listed: r} }

// stays are the rows of a list that decides nothing.
var stays = map[State]Row{Unanswered: whatever(isUnanswered), Accepted: whatever(isAccepted), Listed: whatever(isListed)}

// Table has all conclusions from one reading of the list and the effect, about a request that was sent and is not over.
var Table = map[List]map[State]Row{
	Unread: stays,
	Absent: {
		//            no effect,    unreadable,   missing,      altered,      shown,        proven
		Unanswered: {isUnanswered, isUnanswered, isUnanswered, isUnanswered, isUnanswered, isFulfilled},
		Accepted:   {isAccepted, isAccepted, isAccepted, isAccepted, isAccepted, isFulfilled},
		Listed:     {isListed, isListed, isListed, isListed, isListed, isFulfilled},
	},
	AbsentTwice: {
		Unanswered: {isUnknown, isUnanswered, isUnknown, isUnknown, isUnanswered, isFulfilled},
		Accepted:   {isUnproven, isAccepted, isAccepted, isUnproven, isAccepted, isFulfilled},
		Listed:     {isFulfilled, isListed, hasFailed, hasFailed, isListed, isFulfilled},
	},
	Unclear:    always(whatever(isAccepted)),
	Waiting:    always(whatever(isListed)),
	DoneOnce:   always(whatever(isListed)),
	Done:       always(whatever(isFulfilled)),
	Over:       always(Row{isFulfilled, isListed, hasFailed, hasFailed, isListed, isFulfilled}),
	SaysFailed: always(whatever(hasFailed)),
}
