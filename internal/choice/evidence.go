// SPDX-License-Identifier: MPL-2.0

package choice

import (
	"cmp"
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
