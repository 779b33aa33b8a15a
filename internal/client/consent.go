// SPDX-License-Identifier: MPL-2.0

package client

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
)

var (
	opGetConsent    = transport.Operation{Name: "Get consent", Method: http.MethodGet, Path: "/compliance/user/{identityId}/consent"}
	opUpdateConsent = transport.Operation{Name: "Update consent", Method: http.MethodPatch, Effect: true, Path: "/compliance/user/{identityId}/consent"}
)

// GetConsent is GET …/user/:identityId/consent (section 4). Errors are *Error, of
// ClassNotFound where the service says that there is no consent, as wire.absent says, by
// null, or by an empty object, and ErrCached.
func (c *Client) GetConsent(ctx context.Context, p Person) (answer.Consent, error) {
	read, err := c.readConsent(ctx, p)
	if err == nil && read.Cached {
		err = ErrCached
	}

	return read.Held, err
}

// ReadConsent is GetConsent for a judgement: that there is no record is a reading too, and what a
// cache says is marked. Errors are *Error.
func (c *Client) ReadConsent(ctx context.Context, p Person) (choice.Reading, error) {
	read, err := c.readConsent(ctx, p)
	if read.IsNone {
		err = nil
	}

	return read, err
}

// readConsent reads the record of a person. Where there is none, the reading says so beside the error.
func (c *Client) readConsent(ctx context.Context, p Person) (read choice.Reading, err error) {
	w := c.config.Wire
	got, err := c.ask(ctx, p, transport.Request{Op: opGetConsent})
	if err != nil {
		err = w.judgeAbsence(err)
	} else {
		read.Held, err = w.consentOf(got.JSON)
		if p, ok := errors.AsType[*answer.Error](err); ok && p.Outcome == answer.Unrecognised {
			reads := func(with Wire) bool { _, err := with.consentOf(got.JSON); return err == nil }
			if settings := w.advise(got.JSON, infer.Consent, reads); settings != "" {
				p.Advice = answer.Admits(settings)
			}
		}
		if err != nil {
			err = answerError(got, err)
		}
	}
	if named := read.Held.Identity; named != "" && !p.isNamed(named) {
		return read, transport.NewError(got.Exchange, transport.ClassPayload, "the record names another person than the request, in identityId")
	}

	read.Cached = got.Cached
	if e, failed := errors.AsType[*transport.Error](err); failed {
		read.IsNone = e.Class == transport.ClassNotFound
		read.Cached = e.Cached
	}

	return read, err
}

// consentOf returns the consent record of an answer, or a *answer.Error.
func (w Wire) consentOf(v jsontext.Value) (answer.Consent, error) {
	return answer.ConsentCall{Envelope: w.envelope(), At: w.Consent.At, TimeFormat: cmp.Or(w.Consent.TimeAnswered, w.Consent.TimeFormat)}.Read(v)
}

// isNamed reports whether a record that names this identity may be of the person: a service may
// respell it.
func (p Person) isNamed(identity string) bool {
	decoded, err := url.PathUnescape(identity)
	if err != nil {
		decoded = identity
	}

	return strings.EqualFold(identity, p.Identity) || strings.EqualFold(decoded, p.Identity)
}

// Readings of a consent that nothing may be decided by.
var (
	ErrCached error = unusable(transport.ClassCached, "the answer has a header Age, or its Date is before that of an earlier answer: a cache has kept it, so that it may be older than the person's latest choice, and nothing is decided by it")
	ErrGone   error = unusable(transport.ClassNotFound, "a record of this person was seen before, and the service cannot remove one; a gateway may have answered in its place, and the person may have made a later choice")
)

func unusable(class transport.ErrorClass, detail string) *transport.Error {
	return &transport.Error{Class: class, Operation: opGetConsent.Name, Method: opGetConsent.Method, Template: "…" + opGetConsent.Path, Detail: detail}
}

// ConsentUpdate is the consent record that is sent (section 2). The five clauses and
// manual are always sent, the other fields where they are set.
type ConsentUpdate = choice.Record

// keptTo are how exactly a time is kept, by wire.consent.time_kept, and sentTo by the format in which
// it is sent.
var (
	keptTo = map[string]time.Duration{KeptMS: time.Millisecond, KeptS: time.Second, KeptMinute: time.Minute, KeptDay: 24 * time.Hour}
	sentTo = map[string]time.Duration{answer.TimeUnixS: time.Second, answer.TimeDate: 24 * time.Hour}
)

// Keeping returns how the service keeps consent records, as the settings say.
func (c *Client) Keeping() choice.Keeping {
	w := c.config.Wire.Consent
	return choice.Keeping{
		Precision: max(keptTo[w.TimeKept], sentTo[w.TimeFormat]),
		SetsTime:  w.TimeKept == KeptByService,
		Altered:   w.Altered,
	}
}

// ConsentSettings returns the settings of a Keeping as they are written in a provider block.
func ConsentSettings(k choice.Keeping) string {
	var settings []string
	for _, word := range TimesKept {
		if isKept := keptTo[word] == k.Precision && k.Precision > 0; isKept {
			settings = append(settings, `time_kept = "`+word+`"`)
		}
	}
	if k.SetsTime {
		settings = append(settings, `time_kept = "`+KeptByService+`"`)
	}
	if len(k.Altered) > 0 {
		settings = append(settings, `altered = ["`+strings.Join(k.Altered, `", "`)+`"]`)
	}

	return "wire {\n  consent {\n    " + strings.Join(settings, "\n    ") + "\n  }\n}"
}

// parametersOf returns the fields to send, by name (section 2).
func (w Wire) parametersOf(u ConsentUpdate) map[string]any {
	fields := u.Values()
	for name, value := range fields {
		switch v := value.(type) {
		case netip.Addr:
			fields[name] = MappedIPv6(v)
		case time.Time:
			// To the millisecond, which the interface's type Date (section 2) can be expected to hold.
			fields[name] = sentTime(v, w.Consent.TimeFormat)
		}
	}

	return fields
}

// sentTime returns a time in the format of a request.
func sentTime(t time.Time, format string) any {
	switch format {
	case answer.TimeUnixMS:
		return t.UnixMilli()
	case answer.TimeUnixS:
		return t.Unix()
	case answer.TimeUTC:
		return strings.TrimSuffix(FormatInstant(t), "Z")
	case answer.TimeDate:
		return FormatDay(t)
	}

	return FormatInstant(t)
}

// privateIn returns the values of the update that no message may show.
func privateIn(u ConsentUpdate) (private []string) {
	for _, value := range u.Values() {
		switch v := value.(type) {
		case netip.Addr:
			private = append(private, MappedIPv6(v), v.String(), v.Unmap().String())
		case string:
			private = append(private, v)
		}
	}

	return private
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
