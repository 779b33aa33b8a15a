// SPDX-License-Identifier: MPL-2.0

package choice

import (
	"crypto/sha256"
	"encoding/binary"
	"net/netip"
	"slices"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
)

// Record is a consent record to write, or that was written (section 2).
type Record struct {
	Clauses       [answer.Clauses]bool
	UserIPv6      netip.Addr // the zero Addr is not sent
	AgreementTime time.Time  // to the millisecond; the zero Time is not sent
	Manual        bool
}

// Differences returns the names of the fields that a record holds with another value than was sent,
// at a service that keeps everything as it was sent.
func (r Record) Differences(held answer.Consent) []string { return Keeping{}.Differences(r, held) }

// Reading is what the service says of a person.
type Reading struct {
	Held   answer.Consent
	IsNone bool // there is no record
	Cached bool // the answer is from a cache
	Twice  bool // it is the second reading, a lag after the first one

	// Lost reports that a write was sent whose answer was lost. Before is what the service
	// held before that; nil if it was not read, zero if there was no record.
	Lost   bool
	Before *answer.Consent
}

// Keeping is how the service keeps what it is sent, as wire.consent says.
type Keeping struct {
	Precision time.Duration // of a time; zero if that is not told
	SetsTime  bool          // the service sets the time itself
	Altered   []string      // fields that it does not show as they were sent
}

// Confirmed is a write that the service has confirmed. The zero Confirmed is none.
type Confirmed struct {
	Sent  Print
	Shown Print // the record that the service showed of it; zero if it showed none
}

// Evidence is all that a verdict depends on.
type Evidence struct {
	Reading
	Wanted  Record // what is to be there; a withdrawal wants five false clauses and nothing else
	Keeping Keeping

	Withdraws bool      // only the clauses of Wanted count
	Anew      bool      // Wanted is sent although the record may have it already, since fields that are not shown may differ
	Overrules bool      // keep_later_choice is false
	Since     time.Time // the agreement_time that later choices are compared with; zero if there is none

	Known bool      // a record of the person was seen or written before
	Taken bool      // another object of the run keeps the person
	Last  Confirmed // the last write that is known to be ours
}

// facts gathers the facts of an Evidence.
func (e Evidence) facts() Fact {
	all := factIf(FactTaken, e.Taken) | factIf(FactCached, e.Cached) | factIf(FactOverrules, e.Overrules) | factIf(FactAnew, e.Anew)
	if e.IsNone {
		return all | FactNone | factIf(FactKnown, e.Known) | factIf(FactTwice, e.Twice)
	}

	held := PrintOf(e.Held)
	isChanged := e.Before != nil && held != PrintOf(*e.Before)
	all |= factIf(FactLost, e.Lost) | factIf(FactChanged, isChanged) |
		factIf(FactSame, e.isWanted(isChanged)) | factIf(FactOurs, e.isOurs(held)) | factIf(FactClauses, e.Held.HasClauses(e.Wanted.Clauses))

	return all | e.times()
}

func factIf(f Fact, holds bool) Fact {
	if holds {
		return f
	}
	return 0
}

// times compares the record's time with the configured one. Within the precision of the service,
// which of the two came first is not known.
func (e Evidence) times() Fact {
	at, isTimed := e.Held.AgreementTime.Get()
	since, isExact := e.reference()
	if !isTimed || since.IsZero() {
		return FactUntimed
	}

	before := time.Duration(since.UnixMilli()-at.UnixMilli()) * time.Millisecond
	if before < 0 {
		return FactLater
	}
	if before == 0 && !isExact {
		return FactUntimed
	}

	precision := e.Keeping.precision(at, since)

	return factIf(FactUntimed, precision > time.Millisecond && before < precision)
}

// reference returns the time that the record's is compared with, and whether an equal one is no later
// choice. Of a write with that time, which the service has shown with another one, it is the other:
// what came after that write is later, and whatever is shown with the same time may be.
func (e Evidence) reference() (since time.Time, isExact bool) {
	sent, shown := e.Last.Sent.Time, e.Last.Shown.Time
	isAltered := shown != 0 && shown != sent
	if !isAltered || e.Since.IsZero() || e.Since.UnixMilli() != sent {
		return e.Since, true
	}

	return time.UnixMilli(shown), false
}

// isWanted reports whether the record is what is wanted. A null in place of a value is a
// difference. A record that has come about since a lost write is that write, whatever address the
// service has made of the one that was sent.
func (e Evidence) isWanted(isChanged bool) bool {
	if e.Withdraws {
		return e.Held.HasClauses(e.Wanted.Clauses)
	}

	differing := e.Keeping.Differences(e.Wanted, e.Held)
	if e.Lost {
		isAddress := isChanged && slices.Equal(differing, []string{"user_ipv6"})
		return len(differing) == 0 || isAddress
	}

	lacksAddress := e.Wanted.UserIPv6.IsValid() && e.Held.UserIPv6.IsNull()
	lacksTime := !e.Wanted.AgreementTime.IsZero() && e.Held.AgreementTime.IsNull()
	lacksAny := lacksAddress || lacksTime

	return len(differing) == 0 && !lacksAny
}

// isOurs reports whether the record is what we wrote last.
func (e Evidence) isOurs(held Print) bool {
	if e.Last == (Confirmed{}) {
		return false
	}
	return e.Last.Shown.is(held) || e.Keeping.shows(e.Last.Sent, held)
}

// Differences returns the names of the fields that a record holds with another value than was
// sent. A field that the record lacks or has as null counts as equal, except a clause, and so does
// one that the service alters.
func (k Keeping) Differences(sent Record, held answer.Consent) (names []string) {
	for i, name := range answer.ClauseNames {
		if agreed, ok := held.Clauses[i].Get(); !ok || agreed != sent.Clauses[i] {
			names = append(names, name)
		}
	}

	text, hasAddress := held.UserIPv6.Get()
	if hasAddress && sent.UserIPv6.IsValid() && canonical(text) != sent.UserIPv6.Unmap().String() {
		names = append(names, "user_ipv6")
	}
	at, hasTime := held.AgreementTime.Get()
	if hasTime && !sent.AgreementTime.IsZero() && !k.sameTime(at, sent.AgreementTime) {
		names = append(names, "agreement_time")
	}
	if manual, ok := held.Manual.Get(); ok && manual != sent.Manual {
		names = append(names, "manual")
	}

	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(k.Altered, name) })
}

// sameTime reports whether a time may be one that was sent, as exactly as the service keeps it.
func (k Keeping) sameTime(held, sent time.Time) bool {
	if k.SetsTime {
		return true
	}

	apart := time.Duration(held.UnixMilli()-sent.UnixMilli()) * time.Millisecond

	return apart.Abs() < k.precision(held, sent)
}

// precision returns how exactly the service keeps a time: what is told, and otherwise a second if a
// time that was sent with a fraction has none.
func (k Keeping) precision(held, sent time.Time) time.Duration {
	if k.Precision > 0 {
		return k.Precision
	}
	if held.UnixMilli()%1000 == 0 && sent.UnixMilli()%1000 != 0 {
		return time.Second
	}
	return time.Millisecond
}

// Print is a record without its personal data, which a run can remember of millions of people and a
// state can hold. The zero Print is none.
type Print struct {
	Time    int64  `json:"t,omitzero"` // in milliseconds since 1970; 0 for none
	Address uint32 `json:"a,omitzero"` // a part of a hash; 0 for none
	Fields  uint16 `json:"f,omitzero"` // two bits for manual and each clause: 0 absent, 1 null, 2 false, 3 true
}

// is reports whether the print is that of a record, whatever its address if the print has none.
func (p Print) is(held Print) bool {
	if p.Address == 0 {
		held.Address = 0
	}
	return p == held
}

// PrintOf returns the print of a record at the service.
func PrintOf(held answer.Consent) Print {
	p := Print{Fields: bitsOf(held.Manual)}
	for _, agreed := range held.Clauses {
		p.Fields = p.Fields<<2 | bitsOf(agreed)
	}
	if at, ok := held.AgreementTime.Get(); ok {
		p.Time = at.UnixMilli()
	}
	if text, ok := held.UserIPv6.Get(); ok {
		p.Address = hash(canonical(text))
	}

	return p
}

func bitsOf(o answer.Optional[bool]) uint16 {
	agreed, isKnown := o.Get()
	switch {
	case o.IsNull():
		return 1
	case !isKnown:
		return 0
	case agreed:
		return 3
	default:
		return 2
	}
}

// Print returns the print of a record that is sent.
func (r Record) Print() Print {
	held := answer.Consent{Manual: answer.Some(r.Manual)}
	for i, agreed := range r.Clauses {
		held.Clauses[i] = answer.Some(agreed)
	}
	if !r.AgreementTime.IsZero() {
		held.AgreementTime = answer.Some(r.AgreementTime)
	}
	if r.UserIPv6.IsValid() {
		held.UserIPv6 = answer.Some(r.UserIPv6.String())
	}

	return PrintOf(held)
}

// Masks of Print.Fields.
const (
	maskManual = 3 << (2 * answer.Clauses)
	bitsShown  = 2 // of a value that is true or false
)

// shows reports whether a record may be what was sent. What a record does not show is no
// difference.
func (k Keeping) shows(sent, held Print) bool {
	for at := range answer.Clauses + 1 {
		mask := uint16(3) << (2 * at)
		isShown := held.Fields>>(2*at)&bitsShown != 0
		if isShown && held.Fields&mask != sent.Fields&mask && !k.alters(mask) {
			return false
		}
	}

	isSameAddress := held.Address == 0 || sent.Address == 0 || held.Address == sent.Address
	if !isSameAddress && !slices.Contains(k.Altered, "user_ipv6") {
		return false
	}

	return held.Time == 0 || k.sameTime(time.UnixMilli(held.Time), time.UnixMilli(sent.Time))
}

// alters reports whether the service alters the field of a mask.
func (k Keeping) alters(mask uint16) bool {
	return mask == maskManual && slices.Contains(k.Altered, "manual")
}

// canonical returns the one spelling of an address, and any other text as it is.
func canonical(text string) string {
	if address, err := netip.ParseAddr(text); err == nil {
		return address.Unmap().String()
	}
	return text
}

func hash(text string) uint32 {
	sum := sha256.Sum256([]byte(text))
	return max(1, binary.BigEndian.Uint32(sum[:]))
}
