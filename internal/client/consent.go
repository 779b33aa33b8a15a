// SPDX-License-Identifier: MPL-2.0

package client

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
)

var (
	opGetConsent    = transport.Operation{Name: "Get consent", Method: http.MethodGet, Path: "/compliance/user/{identityId}/consent"}
	opUpdateConsent = transport.Operation{Name: "Update consent", Method: http.MethodPatch, Effect: true, Path: "/compliance/user/{identityId}/consent"}
)

// GetConsent is GET …/user/:identityId/consent (section 4). Errors are *Error, of
// ClassNotFound where the service says that there is no consent, as wire.absent says, by
// null, or by an empty object.
func (c *Client) GetConsent(ctx context.Context, p Person) (answer.Consent, error) {
	return c.config.Wire.consentOf(c.ask(ctx, p, transport.Request{Op: opGetConsent}))
}

// consentOf returns the consent record that a request was answered with, or its error.
func (w Wire) consentOf(got transport.Answer, err error) (answer.Consent, error) {
	if err != nil {
		return answer.Consent{}, w.judgeAbsence(err)
	}

	held, err := w.readConsent(got.JSON)
	if p, ok := errors.AsType[*answer.Error](err); ok && p.Outcome == answer.Unrecognised {
		reads := func(with Wire) bool { _, err := with.readConsent(got.JSON); return err == nil }
		if settings := w.advise(got.JSON, infer.Consent, reads); settings != "" {
			p.Advice = answer.Admits(settings)
		}
	}

	return held, problem(got, err)
}

// readConsent returns the consent record of an answer, or a *answer.Error.
func (w Wire) readConsent(v jsontext.Value) (answer.Consent, error) {
	return answer.ConsentCall{Envelope: w.envelope(), At: w.Consent.At, TimeFormat: w.Consent.TimeFormat}.Read(v)
}

// ConsentUpdate is the consent record that is sent (section 2). The five clauses and
// manual are always sent, the other fields where they are set.
type ConsentUpdate struct {
	Clauses       [answer.Clauses]bool
	UserIPv6      netip.Addr // sent in IPv6 form, IPv4 mapped; the zero Addr is not sent
	AgreementTime time.Time  // sent to the millisecond; the zero Time is not sent
	Manual        bool

	// KeepLaterThan protects the person's choice; zero does not. Nothing is written where
	// the service holds a later agreement_time, and a record without one is an error with
	// the cause ErrUntimed.
	KeepLaterThan time.Time
	// LastWritten returns what the last write that is known to be ours has left; nil if
	// there is none. A record without agreement_time that holds this choice, or the
	// clauses of the update, is no later choice. It is called with each comparison, while
	// no other update of the person is under way. It may be nil.
	LastWritten func() *Choice
	// OnlyKnown writes nothing for a person without a consent record, which is an error of
	// ClassNotFound.
	OnlyKnown bool
	// Skip says which record at the service makes the update unnecessary.
	Skip ConsentSkip
	// Superseded is called before each comparison, while no other update of the person is
	// under way. If it returns true, nothing is sent; nil never does.
	Superseded func() bool
	// Confirmed is called after the service has confirmed the write, while no other update
	// of the person is under way. It may be nil.
	Confirmed func()
}

// Choice is what a person, or a write, has chosen.
type Choice struct {
	Clauses [answer.Clauses]bool
	Manual  bool
}

// ConsentSkip says which record makes an update unnecessary, so that nothing is written and
// the outcome is ConsentUnchanged.
type ConsentSkip int

// The rules for unnecessary updates.
const (
	SkipNever       ConsentSkip = iota
	SkipSameRecord              // a record that is what the update would make of it
	SkipSameClauses             // a record with the five clauses of the update, whatever else it holds
)

// ErrUntimed is the cause of the error of an update with KeepLaterThan where the service's
// record has no agreement_time, null or absent, and is not known to be ours.
var ErrUntimed = errors.New("the service's record has no agreement_time")

// Choice returns what the update sends.
func (u ConsentUpdate) Choice() Choice { return Choice{u.Clauses, u.Manual} }

// ConsentOutcome is the outcome of an update that did not fail.
type ConsentOutcome int

// The outcomes of an update.
const (
	ConsentUnchanged  ConsentOutcome = iota // nothing was written, by the rule in Skip
	ConsentWritten                          // the record was written
	ConsentKept                             // a later choice of the person stands
	ConsentSuperseded                       // Superseded returned true
)

// ConsentResult is the result of an update.
type ConsentResult struct {
	Outcome ConsentOutcome
	Kept    *answer.Consent // the record that stands; nil unless Outcome is ConsentKept
}

// parameters returns the fields to send, by name (section 2).
func (u ConsentUpdate) parameters(w Wire) map[string]any {
	fields := map[string]any{"manual": u.Manual}
	for i, agreed := range u.Clauses {
		fields[answer.ClauseNames[i]] = agreed
	}
	if u.UserIPv6.IsValid() {
		fields["user_ipv6"] = MappedIPv6(u.UserIPv6)
	}
	if !u.AgreementTime.IsZero() {
		// To the millisecond, which the interface's type Date (section 2) can be expected to hold.
		fields["agreement_time"] = sentTime(u.AgreementTime, w.Consent.TimeFormat)
	}

	return fields
}

// sentTime returns a time in the format of a request.
func sentTime(t time.Time, format string) any {
	switch format {
	case TimeUnixMS:
		return t.UnixMilli()
	case TimeUnixS:
		return t.Unix()
	case TimeUTC:
		return strings.TrimSuffix(FormatInstant(t), "Z")
	case TimeDate:
		return FormatDay(t)
	}

	return FormatInstant(t)
}

// private returns the values of the update and the person that no message may show.
func (u ConsentUpdate) private(identity string) []string {
	private := []string{identity}
	if a := u.UserIPv6; a.IsValid() {
		private = append(private, MappedIPv6(a), a.String(), a.Unmap().String())
	}
	return private
}

// Differences returns the names of the fields that a record holds with another value than was
// sent. A field that the record lacks or has as null counts as equal, except a clause.
func (u ConsentUpdate) Differences(held answer.Consent) []string {
	var names []string
	for i, name := range answer.ClauseNames {
		if agreed, ok := held.Clauses[i].Get(); !ok || agreed != u.Clauses[i] {
			names = append(names, name)
		}
	}

	if text, ok := held.UserIPv6.Get(); ok && u.UserIPv6.IsValid() {
		address, err := netip.ParseAddr(text) // in any spelling
		if err != nil || address.Unmap() != u.UserIPv6.Unmap() {
			names = append(names, "user_ipv6")
		}
	}
	if at, ok := held.AgreementTime.Get(); ok && !u.AgreementTime.IsZero() && !SameTime(at, u.AgreementTime) {
		names = append(names, "agreement_time")
	}
	if manual, ok := held.Manual.Get(); ok && manual != u.Manual {
		names = append(names, "manual")
	}

	return names
}

// matches reports whether the service holds what was sent.
func (u ConsentUpdate) matches(held answer.Consent) bool { return len(u.Differences(held)) == 0 }

// isChoiceOf is matches without the address, which a service may store in another form.
func (u ConsentUpdate) isChoiceOf(held answer.Consent) bool {
	return !slices.ContainsFunc(u.Differences(held), func(name string) bool { return name != "user_ipv6" })
}

// SameTime reports whether a time that the service holds may be one that was sent, to the
// precision that it shows: a service may keep seconds, cut or rounded.
func SameTime(held, sent time.Time) bool {
	inSeconds := held.UnixMilli()%1000 == 0
	return held.UnixMilli() == sent.UnixMilli() || inSeconds && held.Sub(sent).Abs() < time.Second
}

// isUnnecessary reports whether the record makes the update unnecessary, by the rule in Skip.
// The same record is what the update would make of it. Unlike in matches, a null in place of
// a value to record is a difference.
func (u ConsentUpdate) isUnnecessary(held answer.Consent) bool {
	lacksAddress := u.UserIPv6.IsValid() && held.UserIPv6.IsNull()
	lacksTime := !u.AgreementTime.IsZero() && held.AgreementTime.IsNull()
	isSame := !lacksAddress && !lacksTime && u.matches(held)

	return u.Skip == SkipSameRecord && isSame || u.Skip == SkipSameClauses && held.HasClauses(u.Clauses)
}

// mayOverrule reports whether the update may overrule a later choice: the record has changed while
// the update was on its way, or it is later or has no agreement_time, and is neither ours by its
// choice nor one that the update does not change. Ours is not later by the fraction of a second
// that the service does not keep.
func (u ConsentUpdate) mayOverrule(held answer.Consent, changed bool) bool {
	if u.KeepLaterThan.IsZero() {
		return false
	}

	at, _ := held.AgreementTime.Get()
	isLater := held.LaterThan(u.KeepLaterThan)
	if changed || isLater && !SameTime(at, u.KeepLaterThan) {
		return true
	}
	if !isLater && !held.IsUntimed() || held.HasClauses(u.Clauses) {
		return false
	}
	if u.LastWritten == nil {
		return true
	}

	last := u.LastWritten()
	manual, isKnown := held.Manual.Get()

	return last == nil || !held.HasClauses(last.Clauses) || isKnown && manual != last.Manual
}

// MappedIPv6 returns an address in the form of the interface: IPv4 is mapped into IPv6
// space (section 2, user_ipv6).
func MappedIPv6(a netip.Addr) string { return netip.AddrFrom16(a.As16()).String() }

// FormatInstant returns an instant in RFC 3339, in UTC, to the millisecond. Milliseconds
// of zero are left out.
func FormatInstant(t time.Time) string {
	return t.UTC().Truncate(time.Millisecond).Format("2006-01-02T15:04:05.999Z07:00")
}

// CheckAgreed returns an error if a time of agreement lies in the future. The error completes
// a sentence about the value and never holds it.
func CheckAgreed(agreed time.Time) error {
	// This allows for inaccurate clocks but not for zones: a local time written with Z would
	// outlast the choices of the next hours.
	const clockSkew = 5 * time.Minute
	if agreed.After(time.Now().Add(clockSkew)) {
		return errors.New("lies in the future, so that a later choice of the person could not be recognised; check the zone (Z is UTC) and the clock of this machine")
	}

	return nil
}
