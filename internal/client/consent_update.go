package client

import (
	"errors"
	"net/netip"
	"time"
)

// ConsentUpdate is the consent record that is sent (section 2). The five clauses and
// manual are always sent, the other fields where they are set.
type ConsentUpdate struct {
	Clauses       [Clauses]bool
	UserIPv6      netip.Addr // sent in IPv6 form, IPv4 mapped; the zero Addr is not sent
	AgreementTime time.Time  // sent to the millisecond; the zero Time is not sent
	Manual        bool

	// KeepLaterThan protects the person's choice unless it is zero: nothing is written
	// where the service holds a later agreement_time, and a record without one is an
	// error with the cause ErrUntimed.
	KeepLaterThan time.Time
	// LastWritten are the clauses of the last write that is known to be ours; nil if
	// there is none. A record without agreement_time that has these clauses, or the
	// clauses of the update, is no later choice.
	LastWritten *[Clauses]bool
	// OnlyKnown writes nothing for a person without a consent record. The error is of
	// ClassNotFound then.
	OnlyKnown bool
	// OnlyDifferent writes nothing where the service holds all of it already. With
	// ClausesDecide, only the five clauses are compared: a person who has withdrawn in
	// another way needs no withdrawal.
	OnlyDifferent bool
	ClausesDecide bool
	// Superseded is called before each comparison, while no other update of the person is
	// under way; nil never supersedes. If it returns true, nothing is sent.
	Superseded func() bool
}

// ErrUntimed is the cause of the error of an update with KeepLaterThan where the service's
// record has no agreement_time, null or absent, and is not known to be ours.
var ErrUntimed = errors.New("the service's record has no agreement_time")

// comparesFirst reports whether the service is asked before it is written to.
func (u ConsentUpdate) comparesFirst() bool {
	return u.OnlyKnown || u.OnlyDifferent || !u.KeepLaterThan.IsZero()
}

// ConsentOutcome is the outcome of an update that did not fail.
type ConsentOutcome int

// The outcomes of an update: the service held all of it already, it was written, a later
// choice of the person stands, or Superseded returned true. Without OnlyDifferent nothing
// is Unchanged.
const (
	ConsentUnchanged ConsentOutcome = iota
	ConsentWritten
	ConsentKept
	ConsentSuperseded
)

// ConsentResult is the outcome of an update, and the record that was left alone if it is
// ConsentKept.
type ConsentResult struct {
	Outcome ConsentOutcome
	Kept    *Consent
}

// parameters returns the fields to send, in the order of section 2.
func (u ConsentUpdate) parameters(w Wire) []parameter {
	list := make([]parameter, 0, len(consentFields))
	for i, agreed := range u.Clauses {
		list = append(list, parameter{clauseName(i), agreed})
	}
	if u.UserIPv6.IsValid() {
		list = append(list, parameter{"user_ipv6", MappedIPv6(u.UserIPv6)})
	}
	if !u.AgreementTime.IsZero() {
		list = append(list, parameter{"agreement_time", instantParameter(u.AgreementTime, w.AgreementTimeFormat)})
	}

	return append(list, parameter{"manual", u.Manual})
}

// private returns the values of the update that no message may show.
func (u ConsentUpdate) private(identity string) []string {
	private := []string{identity}
	if a := u.UserIPv6; a.IsValid() {
		private = append(private, MappedIPv6(a), a.String(), a.Unmap().String())
	}

	return private
}

// isIn reports whether the service holds what was sent. A field that the answer lacks
// counts as equal, except a clause.
func (u ConsentUpdate) isIn(held Consent) bool {
	if !held.hasClauses(u.Clauses) {
		return false
	}

	if v, ok := held.Manual.Get(); ok && v != u.Manual {
		return false
	}
	if t, ok := held.AgreementTime.Get(); ok && !u.AgreementTime.IsZero() && t.UnixMilli() != u.AgreementTime.UnixMilli() {
		return false
	}
	if s, ok := held.UserIPv6.Get(); ok && u.UserIPv6.IsValid() {
		a, err := netip.ParseAddr(s)
		return err == nil && a.Unmap() == u.UserIPv6.Unmap()
	}

	return true
}

// isHeld reports whether there is nothing to send. Before anything was sent, a null in
// the place of a value to record is a difference.
func (u ConsentUpdate) isHeld(held Consent) bool {
	if u.ClausesDecide {
		return held.hasClauses(u.Clauses)
	}

	lacks := u.UserIPv6.IsValid() && held.UserIPv6.IsNull() || !u.AgreementTime.IsZero() && held.AgreementTime.IsNull()
	return !lacks && u.isIn(held)
}

// knows reports whether a record without agreement_time is ours, or one that the update
// does not change: then writing overrules no choice.
func (u ConsentUpdate) knows(held Consent) bool {
	return held.hasClauses(u.Clauses) || u.LastWritten != nil && held.hasClauses(*u.LastWritten)
}

// MappedIPv6 returns an address as the interface wants it: IPv4 mapped into IPv6 space
// (section 2, user_ipv6).
func MappedIPv6(a netip.Addr) string { return netip.AddrFrom16(a.As16()).String() }
