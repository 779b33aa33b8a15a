// SPDX-License-Identifier: MPL-2.0

// Package choice judges whose choice a consent record is. It gathers the facts of an Evidence, and reads
// off a table whose choice that is and what each action does. It sends nothing and knows no Terraform.
//
// The table is rows below; the guide "Consent as code" shows it.
package choice

import (
	"cmp"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
)

// Reading is what the service says of a person.
type Reading struct {
	Record decode.Consent
	Print  Print // of Record
	IsNone bool  // there is no record
	Cached bool  // the answer is from a cache

	// Lost reports that the answer to a write was lost. Before is what the service held before any write; nil if it was
	// not read, zero if there was no record.
	Lost   bool
	Before *Print
}

// Confirmed is a write that the service has confirmed. The zero Confirmed stands for no write.
type Confirmed struct {
	Sent  Print
	Shown Print // the record that the service showed of it; zero if it showed none
}

// Evidence is all that a verdict depends on.
type Evidence struct {
	Reading
	Action  Action
	Wanted  Record // what is to be there; of a withdrawal, only the clauses count
	Keeping Keeping

	Anew      bool      // Wanted is sent although the record may have it already, since fields that are not shown may differ
	Overrules bool      // keep_later_choice is false
	Since     time.Time // the agreement_time that later choices are compared with; zero if there is none

	Known bool      // a record of the person was seen or written before
	Twice bool      // it is the second reading, a lag after the first one
	Taken bool      // another object of the run keeps the person
	Last  Confirmed // the last write that is known to be ours
}

// Fact is a set of facts about a reading.
type Fact uint16

// The facts that decide.
const (
	FactTaken     Fact = 1 << iota // another object of the run keeps the person; of a withdrawal
	FactCached                     // the answer is from a cache
	FactNone                       // the service says that there is no record
	FactKnown                      // a record of the person was seen or written before
	FactTwice                      // two fresh readings, a lag apart, say the same
	FactLost                       // a write was sent, and its answer was lost
	FactSame                       // the record is what is wanted
	FactAnew                       // what is wanted is sent in any case
	FactOurs                       // the record is as we wrote it last, or as it was shown then
	FactOverrules                  // keep_later_choice is false
	FactChanged                    // the record is another one than before the lost write
	FactLater                      // the record's time is after the configured one
	FactClauses                    // the record has the five clauses that are wanted
	FactUntimed                    // the times cannot be compared
)

// Verdict says whose choice a record is.
type Verdict int

// The verdicts.
const (
	ByAnother Verdict = iota
	Unread
	Missing
	Doubted
	Nobody
	Arrived
	Resent
	Same
	Ours
	Overruled
	Later
	Agreed
	Untimed
	Earlier
)

// Action is what asks for a verdict.
type Action int

// The actions.
const (
	Refresh  Action = iota // of an object in state
	Plan                   // of an object or a row
	Write                  // of an object or a row
	Withdraw               // of an object or a row
	actions                // how many there are
)

// Act is what an action does.
type Act uint8

// The acts.
const (
	Nothing  Act = iota // there is nothing to do; a refresh holds on to what is in state
	Send                // write or withdraw
	Stand               // leave the record alone, and warn
	Take                // take the record into state
	Ask                 // read again after a lag
	Forget              // remove the object from state
	Report              // report the record as missing, with a warning
	Refuse              // an error, and nothing is sent
	Withhold            // leave the record to the other object, and warn
	NumActs             // how many there are
)

type acts = [actions]Act

type row struct {
	facts   Fact
	verdict Verdict
	acts    acts
	says    string // what the service holds
}

// rows are the table. The first row whose facts all hold decides.
var rows = []row{
	// facts, verdict, acts of a refresh, a plan, a write and a withdrawal
	{FactTaken, ByAnother, acts{Refuse, Refuse, Refuse, Withhold}, "the record of a person whom another resource keeps"},
	{FactCached, Unread, acts{Refuse, Refuse, Refuse, Refuse}, "an answer from a cache"},
	{FactNone | FactKnown | FactTwice, Missing, acts{Forget, Send, Refuse, Report}, "no record of somebody known, in two readings `wire.lag` apart"},
	{FactNone | FactKnown, Doubted, acts{Ask, Ask, Refuse, Ask}, "no record of somebody known, in one reading"},
	{FactNone, Nobody, acts{Forget, Send, Send, Nothing}, "no record, and none was known"},
	{FactLost | FactSame, Arrived, acts{Nothing, Nothing, Nothing, Nothing}, "what was just sent, although the answer was lost"},
	{FactSame | FactAnew, Resent, acts{Nothing, Nothing, Send, Nothing}, "what is configured, as far as it shows; a single resource is created or changed"},
	{FactSame, Same, acts{Nothing, Nothing, Nothing, Nothing}, "what is configured"},
	{FactOurs, Ours, acts{Nothing, Send, Send, Send}, "what the resource wrote last, or what the service then showed of it"},
	{FactOverrules, Overruled, acts{Take, Send, Send, Send}, "anything else, with `keep_later_choice = false`"},
	{FactLost | FactChanged, Later, acts{Take, Stand, Stand, Stand}, "another record than before, although the answer to a write was lost"},
	{FactLater, Later, acts{Take, Stand, Stand, Stand}, "another record, with a time after the configured `agreement_time`"},
	{FactUntimed | FactClauses, Agreed, acts{Take, Send, Send, Send}, "the configured clauses, and no two times to compare"},
	{FactUntimed, Untimed, acts{Take, Stand, Stand, Stand}, "other clauses, and no two times to compare"},
	{0, Earlier, acts{Take, Send, Send, Send}, "another record, with a time that is not later"},
}

// Judge returns the verdict about an Evidence, and what its action does then. Where there is no record, the
// facts about its content say nothing.
func Judge(e Evidence) (Verdict, Act) {
	wanted := e.Wanted.Print()
	hasClauses := e.Print.Clauses == wanted.Clauses
	isChanged := e.Print != *cmp.Or(e.Before, &e.Print)
	isLater, isUntimed := e.compareTimes()

	// After a lost write, a new record is that write, whatever the service has made of the address.
	differing := e.Keeping.Differences(wanted, e.Print)
	isArrived := isChanged && slices.Equal(differing, []string{"user_ipv6"})
	isSame := len(differing) == 0 || isArrived
	if e.Action == Withdraw {
		isSame = hasClauses
	}

	var all Fact
	for fact, holds := range map[Fact]bool{
		FactTaken:     e.Taken,
		FactCached:    e.Cached,
		FactNone:      e.IsNone,
		FactKnown:     e.Known,
		FactTwice:     e.Twice,
		FactLost:      e.Lost,
		FactSame:      isSame,
		FactAnew:      e.Anew,
		FactOurs:      e.isOurs(),
		FactOverrules: e.Overrules,
		FactChanged:   isChanged,
		FactLater:     isLater,
		FactClauses:   hasClauses,
		FactUntimed:   isUntimed,
	} {
		if holds {
			all |= fact
		}
	}

	i := 0
	for all&rows[i].facts != rows[i].facts { // the last row has none
		i++
	}

	return rows[i].verdict, rows[i].acts[e.Action]
}

// isOurs reports whether the record is what we wrote last: as the service showed it then, or as it was
// sent. Where the hash of an address is not known, the address does not count.
func (e Evidence) isOurs() bool {
	if e.Last == (Confirmed{}) {
		return false
	}

	sent, held := e.Last.Sent, e.Print
	sent.Time = cmp.Or(sent.Time, 1) // a time that was not sent is that of the service, or of another choice
	if e.Last.Shown.Address == 0 {
		held.Address = 0
	}

	return held == e.Last.Shown || len(e.Keeping.Differences(sent, e.Print)) == 0
}

// compareTimes compares the record's time with the configured one. Within the precision of the
// service, the order of the two is not known.
//
// If the service has shown our last write with another time than was sent, that time takes the place
// of the configured one: what came after the write is later, and another record with the same time may
// be.
func (e Evidence) compareTimes() (isLater, isUntimed bool) {
	if e.Print.Time == 0 || e.Since.IsZero() {
		return false, true
	}

	since, precision := e.Since.UnixMilli(), int64(0)
	if shown := e.Last.Shown.Time; since == e.Last.Sent.Time && cmp.Or(shown, since) != since {
		since, precision = shown, 1
	}
	precision = max(precision, e.Keeping.precision(e.Print.Time, since))
	before := since - e.Print.Time

	return before < 0, before >= 0 && before < precision
}
