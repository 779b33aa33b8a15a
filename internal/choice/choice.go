// SPDX-License-Identifier: MPL-2.0

// Package choice judges whose choice a consent record is. It gathers the facts of an Evidence,
// reads the verdict off a table, and reads off a second table what each action does. It sends
// nothing and knows no Terraform.
//
// The tables are rows and acts below; the guide "Consent as code" shows both.
package choice

// Fact is a set of facts about a reading.
type Fact uint16

// The facts that decide.
const (
	FactTaken     Fact   = 1 << iota // another object of the run keeps the person; of a withdrawal
	FactCached                       // the answer is from a cache
	FactNone                         // the service says that there is no record
	FactKnown                        // a record of the person was seen or written before
	FactTwice                        // two fresh readings, a lag apart, say the same
	FactLost                         // a write was sent, and its answer was lost
	FactSame                         // the record is what is wanted
	FactAnew                         // what is wanted is sent in any case
	FactOurs                         // the record is as we wrote it last, or as it was shown then
	FactOverrules                    // keep_later_choice is false
	FactChanged                      // the record is another one than before the lost write
	FactLater                        // the record's time is after the configured one
	FactClauses                      // the record has the five clauses that are wanted
	FactUntimed                      // the times cannot be compared
	numFacts      = iota             // how many there are
)

// Verdict says whose choice a record is.
type Verdict int

// The verdicts.
const (
	ByAnother Verdict = iota
	Unread
	Gone
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

// rows are the verdicts by facts. The first row whose facts all hold decides.
var rows = []struct {
	facts   Fact
	verdict Verdict
	says    string
}{
	{FactTaken, ByAnother, "the record of a person whom another resource keeps"},
	{FactCached, Unread, "an answer from a cache"},
	{FactNone | FactKnown | FactTwice, Gone, "no record of somebody known, in two readings `wire.lag` apart"},
	{FactNone | FactKnown, Doubted, "no record of somebody known, in one reading"},
	{FactNone, Nobody, "no record, and none was known"},
	{FactLost | FactSame, Arrived, "what was just sent, although the answer was lost"},
	{FactSame | FactAnew, Resent, "what is configured, as far as it shows; a single resource is created or changed"},
	{FactSame, Same, "what is configured"},
	{FactOurs, Ours, "what the resource wrote last, or what the service then showed of it"},
	{FactOverrules, Overruled, "anything else, with `keep_later_choice = false`"},
	{FactLost | FactChanged, Later, "another record than before, although the answer to a write was lost"},
	{FactLater, Later, "another record, with a time after the configured `agreement_time`"},
	{FactUntimed | FactClauses, Agreed, "the configured clauses, and no two times to compare"},
	{FactUntimed, Untimed, "other clauses, and no two times to compare"},
	{0, Earlier, "another record, with a time that is not later"},
}

// Judge returns the verdict about an Evidence.
func Judge(e Evidence) Verdict { return e.facts().verdict() }

func (all Fact) verdict() Verdict {
	for _, row := range rows {
		if all&row.facts == row.facts {
			return row.verdict
		}
	}
	return Unread // not reached: the last row has no fact
}

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
type Act int

// The acts.
const (
	Nothing  Act = iota // there is nothing to do
	Send                // write or withdraw
	Stand               // leave the record alone, and warn
	Take                // take the record into state
	Hold                // hold on to what is in state
	Ask                 // read again after a lag
	Forget              // remove the object from state
	Report              // report the record as missing, with a warning
	Refuse              // an error, and nothing is sent
	Withhold            // leave the record to the other object, and warn
)

// acts are what each action does by verdict.
var acts = map[Verdict][actions]Act{
	//          Refresh, Plan, Write, Withdraw
	ByAnother: {Refuse, Refuse, Refuse, Withhold},
	Unread:    {Refuse, Refuse, Refuse, Refuse},
	Gone:      {Forget, Send, Refuse, Report},
	Doubted:   {Ask, Ask, Refuse, Ask},
	Nobody:    {Forget, Send, Send, Nothing},
	Arrived:   {Hold, Nothing, Nothing, Nothing},
	Resent:    {Hold, Nothing, Send, Nothing},
	Same:      {Hold, Nothing, Nothing, Nothing},
	Ours:      {Hold, Send, Send, Send},
	Overruled: {Take, Send, Send, Send},
	Later:     {Take, Stand, Stand, Stand},
	Agreed:    {Take, Send, Send, Send},
	Untimed:   {Take, Stand, Stand, Stand},
	Earlier:   {Take, Send, Send, Send},
}

// On returns what an action does.
func (v Verdict) On(a Action) Act { return acts[v][a] }
