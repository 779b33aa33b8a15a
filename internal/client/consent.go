// SPDX-License-Identifier: MPL-2.0

package client

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
)

var (
	opGetConsent    = transport.Operation{Name: "Get consent", Method: http.MethodGet, Path: "/compliance/user/{identityId}/consent"}
	opUpdateConsent = transport.Operation{Name: "Update consent", Method: http.MethodPatch, Kind: transport.Writes, Path: "/compliance/user/{identityId}/consent"}
)

// GetConsent is GET …/user/:identityId/consent (section 4). Errors are *Error, of
// ClassNotFound where the service says that there is no consent, as wire.absent says, by
// null, or by an empty object, and ErrCached.
func (c *Client) GetConsent(ctx context.Context, p Person) (decode.Consent, error) {
	read, err := c.ReadConsent(ctx, p)
	if err == nil && read.Cached {
		return decode.Consent{}, ErrCached
	}

	return read.Record, err
}

// ReadConsent is GetConsent for a judgement: what a cache says is marked and not an error, and where
// there is no record, the reading says so beside the error.
func (c *Client) ReadConsent(ctx context.Context, p Person) (read choice.Reading, err error) {
	got, err := c.ask(ctx, p, transport.Request{Op: opGetConsent})
	if err == nil {
		read.Cached = got.Cached
		if read.Record, err = c.consent.Read(got.JSON); err != nil {
			reads := func(with Wire) bool { _, err := with.consentCall().Read(got.JSON); return err == nil }
			err = failure(got, c.wire.advise(err, infer.Consent(infer.Answer{Body: got.JSON}), reads))
		}
		read.Print = choice.PrintOf(read.Record)
	}
	if e, failed := errors.AsType[*transport.Error](err); failed {
		read.IsNone, read.Cached = e.Class == transport.ClassNotFound, e.Cached
	}

	if named := read.Record.Identity; named != "" && decode.PersonKey(named) != decode.PersonKey(p.Identity) {
		return choice.Reading{}, transport.NewError(got.Exchange, transport.ClassPayload, "the record names another person than the request, in identityId")
	}

	return read, err
}

// consentCall returns how consent records are read.
func (w Wire) consentCall() decode.ConsentCall {
	c := w.Consent
	return decode.ConsentCall{Envelope: w.Envelope, At: c.At, OmitsFalse: c.OmitsFalse, TimeFormat: cmp.Or(c.TimeAnswered, c.TimeFormat)}
}

// Readings of a consent that nothing may be decided by.
var (
	ErrCached  error = transport.NewError(about(opGetConsent), transport.ClassCached, "the answer has a header Age, or its Date is before that of an earlier answer: a cache has kept it, so that it may be older than the person's latest choice, and nothing is decided by it")
	ErrMissing error = transport.NewError(about(opGetConsent), transport.ClassNotFound, "a record of this person was seen before, and the service cannot remove one; a gateway may have answered in its place, and the person may have made a later choice")
)

// keptAs is how a time is kept, by wire.consent.time_kept.
var keptAs = map[string]choice.Keeping{
	"ms": {Precision: time.Millisecond}, KeptS: {Precision: time.Second}, KeptMinute: {Precision: time.Minute}, KeptDay: {Precision: 24 * time.Hour},
	KeptByService: {SetsTime: true},
}

// sentAs are the forms in which a time is sent: as text in a layout, or as the number of units since 1970.
// None is finer than a millisecond, which the interface's type Date (section 2) can be expected to hold.
var sentAs = map[string]struct {
	layout    string
	unit      int64         // in milliseconds
	precision time.Duration // zero for milliseconds
}{
	decode.TimeRFC3339: {layout: instantLayout},
	decode.TimeUTC:     {layout: strings.TrimSuffix(instantLayout, "Z07:00")},
	decode.TimeDate:    {layout: time.DateOnly, precision: 24 * time.Hour},
	decode.TimeUnixMS:  {unit: 1},
	decode.TimeUnixS:   {unit: 1000, precision: time.Second},
}

// keeping returns how the service keeps consent records.
func (w ConsentWire) keeping() choice.Keeping {
	k := keptAs[w.TimeKept]
	return choice.Keeping{Precision: max(k.Precision, sentAs[w.TimeFormat].precision), SetsTime: k.SetsTime, Altered: w.Altered}
}

// ConsentSettings returns the settings of a Keeping.
func ConsentSettings(k choice.Keeping) infer.Settings {
	settings := infer.Settings{}
	for word, kept := range keptAs {
		if kept.Precision == k.Precision && kept.SetsTime == k.SetsTime {
			settings["/consent/time_kept"] = word
		}
	}
	var altered []any // as of JSON
	for _, name := range slices.Sorted(slices.Values(k.Altered)) {
		altered = append(altered, name)
	}
	if len(altered) > 0 {
		settings["/consent/altered"] = altered
	}

	return settings
}

// request returns the request that sends a record (section 2): the five clauses and manual always, the
// other fields where they are set.
func (w ConsentWire) request(u choice.Record) (r transport.Request, err error) {
	r.Op = opUpdateConsent
	fields := u.Values()
	for name, value := range fields {
		switch v := value.(type) {
		case netip.Addr:
			fields[name] = MappedIPv6(v)
			r.Private = []string{MappedIPv6(v), v.Unmap().String()}
		case time.Time:
			as := sentAs[w.TimeFormat]
			fields[name] = v.UTC().Truncate(time.Millisecond).Format(as.layout)
			if as.unit > 0 {
				fields[name] = v.UnixMilli() / as.unit
			}
		}
	}

	err = r.SetParameters(w.ParametersIn, fields)

	return r, err
}

// MappedIPv6 returns an address in the form of the interface: IPv4 is mapped into IPv6
// space (section 2, user_ipv6).
func MappedIPv6(a netip.Addr) string { return netip.AddrFrom16(a.As16()).String() }

// FormatInstant returns an instant in RFC 3339, in UTC, to the millisecond, and an empty text for the zero time.
// Milliseconds of zero are left out.
func FormatInstant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Truncate(time.Millisecond).Format(instantLayout)
}

const instantLayout = "2006-01-02T15:04:05.999Z07:00"

// CheckAgreed returns an error if a time of agreement lies in the future. The error completes
// a sentence about the value and never holds it.
func CheckAgreed(agreed time.Time) error {
	const clockSkew = 5 * time.Minute // but no zone: a local time written with Z would outlast the choices of hours
	if agreed.After(time.Now().Add(clockSkew)) {
		return errors.New("lies in the future, so that a later choice of the person could not be recognised; check the zone (Z is UTC) and the clock of this machine")
	}

	return nil
}

// ConsentWrite is an update and how it is decided on.
type ConsentWrite struct {
	choice.Record

	Judge    func(read choice.Reading) (send bool) // by what was read right before
	Blind    bool                                  // sends the update without a reading, unless the answer to it is lost
	ReadBack bool                                  // reads the record after a write whose answer does not show it
}

// ConsentResult is the result of an update that did not fail.
type ConsentResult struct {
	Sent  bool         // and confirmed; otherwise Judge has said no
	Shown choice.Print // of the record as the service shows it after the write; zero if it does not
}

// UpdateConsent is PATCH …/user/:identityId/consent (section 4). The caller holds Consents for the
// person. The result means nothing beside an error.
//
// An update is judged right before it is sent: both requests have one admission, and a write that
// has to wait in between is judged again. A choice of the person can be overwritten only if it
// reaches the service between the answer to the reading and the arrival of the write.
//
// Where the answer is lost, the consent is read back and judged with that. The update, whose
// values are absolute, is sent once more at most. A success with an answer that is neither empty
// nor a record with these clauses counts if a reading shows the update. Errors are *Error.
func (c *Client) UpdateConsent(ctx context.Context, p Person, u ConsentWrite) (ConsentResult, error) {
	request, err := c.wire.Consent.request(u.Record)
	if err != nil {
		return ConsentResult{}, transport.NewError(about(opUpdateConsent), transport.ClassInvalid, err.Error())
	}

	w := &consentWrite{client: c, person: p, update: u, request: request}

	err = c.Repeat(ctx, func(ctx context.Context) error {
		turns, step := 2, w.compare
		if w.update.Blind {
			turns, step = 1, w.send
		}
		ctx, leave, err := c.Admit(ctx, turns)
		if err != nil {
			return transport.CauseError(about(opUpdateConsent), err)
		}
		defer leave()

		return step(ctx)
	})
	switch {
	case w.lost != nil:
		return ConsentResult{}, transport.UnknownOutcome(w.lost, err)
	case !w.isSent:
		return ConsentResult{}, err
	}

	return w.confirm(ctx)
}

// consentWrite is one update on its way.
type consentWrite struct {
	client  *Client
	person  Person
	update  ConsentWrite
	request transport.Request

	before *choice.Print    // what the service held before the first send; nil if it was not read
	got    transport.Answer // to the last send
	isSent bool             // the last send did not fail

	lost  *transport.Error // of the last send, where its outcome is not known
	sends int              // whose outcome was not known
}

// compare reads the record, and sends the update if that is the judgement. A read-only client reads too,
// and refuses only a write that is needed.
func (w *consentWrite) compare(ctx context.Context) error {
	read, err := w.client.ReadConsent(ctx, w.person)
	if err != nil && !read.IsNone {
		return err
	}

	if w.sends == 0 {
		w.before = &read.Print // zero where there is none
	}
	read.Lost, read.Before = w.sends > 0, w.before

	lost := w.lost
	w.lost = nil
	switch {
	case !w.update.Judge(read):
		return nil
	case w.sends == transport.LimitSends:
		return lost.Final()
	}

	return w.send(ctx)
}

// send sends the update.
func (w *consentWrite) send(ctx context.Context) (err error) {
	w.got, err = w.client.ask(ctx, w.person, w.request)
	w.isSent = err == nil
	e, failed := errors.AsType[*transport.Error](err)
	if failed && e.Ambiguous && e.Class != transport.ClassCancelled {
		w.lost, w.update.Blind = e, false
		w.sends++
	}

	return err
}

// confirm takes the record that the answer to a write shows, or reads it where that is wanted or the
// answer is something else. A reading that fails does not undo a success that says nothing.
func (w *consentWrite) confirm(ctx context.Context) (ConsentResult, error) {
	if decode.SaysNo(w.got.JSON) {
		return ConsentResult{}, transport.Refusal(w.got)
	}
	isSilent := len(w.got.JSON) == 0
	if isSilent && !w.update.ReadBack {
		return ConsentResult{Sent: true}, nil
	}

	held, err := w.client.consent.Read(w.got.JSON) // zero beside an error
	if !held.HasClauses(w.update.Clauses) {
		held, err = w.client.GetConsent(ctx, w.person)
	}

	switch {
	case held.HasClauses(w.update.Clauses):
		return ConsentResult{true, choice.PrintOf(held)}, nil
	case isSilent:
		return ConsentResult{Sent: true}, nil
	case err == nil, transport.IsClass(err, transport.ClassNotFound):
		return ConsentResult{}, transport.NewError(w.got.Exchange, transport.ClassRejected, "the service answered with a success, and does not hold what was sent")
	}

	return ConsentResult{}, transport.UnknownOutcome(transport.NewError(w.got.Exchange, transport.ClassPayload, "the answer does not show the record"), err)
}
