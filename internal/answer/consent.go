// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Clauses is the number of clauses in a consent record (section 2).
const Clauses = 5

var (
	// ClauseNames are the parameters of the clauses.
	ClauseNames = [Clauses]string{"clause_1_consent", "clause_2_consent", "clause_3_consent", "clause_4_consent", "clause_5_consent"}
	// ConsentFields are the parameters of a consent record.
	ConsentFields = append(ClauseNames[:], "user_ipv6", "agreement_time", "manual")
)

// IsConsentMember reports whether a member of a consent record is recognised by its name.
func IsConsentMember(name string) bool {
	return slices.ContainsFunc(ConsentFields, func(field string) bool { return sameWord(field, name) })
}

// Consent is the latest consent state at the service. The interface does not show the
// fields of this answer: they are expected under the names of the update.
type Consent struct {
	Clauses       [Clauses]Optional[bool]
	UserIPv6      Optional[string]
	AgreementTime Optional[time.Time]
	Manual        Optional[bool]
	Identity      string // the person whom the record names, by the interface's own name; empty if it names none
	JSON          []byte // the complete answer
}

// LaterThan reports whether the record has an agreement_time after t, to the millisecond.
func (c Consent) LaterThan(t time.Time) bool {
	held, ok := c.AgreementTime.Get()
	return ok && held.UnixMilli() > t.UnixMilli()
}

// IsUntimed reports whether the record has no agreement_time, null or absent: neither says
// when the person chose.
func (c Consent) IsUntimed() bool {
	_, timed := c.AgreementTime.Get()
	return !timed
}

// HasClauses reports whether the record has all five clauses, with these values.
func (c Consent) HasClauses(want [Clauses]bool) bool {
	for i, agreed := range want {
		if v, ok := c.Clauses[i].Get(); !ok || v != agreed {
			return false
		}
	}
	return true
}

// ConsentCall is a call that answers with a consent record, and the settings for it.
type ConsentCall struct {
	Envelope Envelope
	At       jsontext.Pointer // wire.consent.at: where the record is; empty finds it
	// TimeFormat is wire.consent.time_answered, or else wire.consent.time_format: a form of times that is read beside RFC 3339 and
	// milliseconds.
	TimeFormat string
}

// ReadConsent is Read without settings.
func ReadConsent(v jsontext.Value) (Consent, error) { return ConsentCall{}.Read(v) }

// Read returns the consent record of an answer: the object where At says, or else the outermost one
// that has all five clauses. Objects inside of it, such as a history, are not looked at. A field
// that is not beside the clauses is that of the closest object around them. The error is a *Error.
// It is Absent where the answer is null or empty, or all five clauses are null: the service knows
// of no choice.
func (c ConsentCall) Read(v jsontext.Value) (Consent, error) {
	found, err := c.Envelope.Find(v, "wire.consent.at", c.At)
	if err != nil {
		return Consent{}, err
	}

	at := c.Envelope.At + c.At
	if c.Envelope.open(found, at).saysNo(outcomes) {
		return Consent{}, refused()
	}
	if isBlank(found) || isEmptyList(found) {
		if problem := c.Envelope.unexplained(v, at); problem != nil {
			return Consent{}, problem
		}
		return Consent{}, &Error{Outcome: Absent, Why: "the service holds no consent of this person; its answer is empty"}
	}
	if found.Kind() != '{' {
		return Consent{}, wantObject(found)
	}

	around, _ := c.Envelope.lead(v, at)
	path, problem := outermostConsent(append(around, Open(found)))
	if problem != nil {
		return Consent{}, problem
	}
	if path == nil {
		return Consent{}, &Error{Why: "no object of the answer has the five clauses of a consent record, clause_1_consent to clause_5_consent; it is " + Structure(found)}
	}

	return c.record(path, v)
}

// record returns the record that a path of objects leads to, from its outermost object.
func (c ConsentCall) record(path []*Object, v jsontext.Value) (Consent, error) {
	o := path[len(path)-1]
	with := func(name string) *Object {
		for _, around := range slices.Backward(path) {
			if around.has(jsonvalue.Fold(name)) {
				return around
			}
		}
		return o
	}

	timed, addressed, marked := with("agreement_time"), with("user_ipv6"), with("manual")
	held := Consent{
		UserIPv6:      read(addressed, "user_ipv6", "a string", func(v jsontext.Value) (string, bool) { return jsonvalue.Text(v), v.Kind() == '"' }),
		AgreementTime: timed.agreementTime(c.TimeFormat),
		Manual:        marked.boolean("manual"),
		Identity:      scalar(with("identityId").field(jsonvalue.Fold("identityId"))),
		JSON:          v,
	}
	nulls := 0
	for i, name := range ClauseNames {
		held.Clauses[i] = o.boolean(name)
		if held.Clauses[i].IsNull() {
			nulls++
		}
	}

	if problem := cmp.Or(o.problem, timed.problem, addressed.problem, marked.problem); problem != nil {
		return Consent{}, problem
	}
	if nulls == Clauses {
		return Consent{}, &Error{Outcome: Absent, Why: "the service holds no consent of this person; all its clauses are null"}
	}

	return held, nil
}

// isEmptyList reports whether a value is an array without elements, which is how PHP writes an object
// without members.
func isEmptyList(v jsontext.Value) bool { return v.Kind() == '[' && !jsonvalue.Told(v) }

// isBlank reports whether a value is null, or an object of nothing but such values.
func isBlank(v jsontext.Value) bool {
	if v.Kind() != '{' {
		return isNull(v)
	}
	return !slices.ContainsFunc(Open(v).members, func(m member) bool { return !isBlank(m.value) })
}

// outermostConsent returns the way to the outermost object with five clauses in the last of some
// objects; nil if there is none. An object with some of them, or several objects at one depth, are
// an Error: which of them is the latest state is not known.
func outermostConsent(around []*Object) ([]*Object, *Error) {
	for level := [][]*Object{around}; len(level) > 0; {
		var found, next [][]*Object
		for _, path := range level {
			o := path[len(path)-1]
			switch o.clauses() {
			case 0:
				for _, inside := range o.objects("") {
					next = append(next, append(slices.Clone(path), inside))
				}
			case Clauses:
				found = append(found, path)
			default:
				return nil, &Error{Why: "an object of the answer has some of the five clauses and not all"}
			}
		}

		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			return nil, &Error{
				Why:    "the answer has clauses in more than one object, so that the record of this person is not known",
				Advice: "wire.consent.at points to the record",
			}
		}
		level = next
	}

	return nil, nil
}

// clauses returns how many of the five clauses the object has.
func (o *Object) clauses() (n int) {
	for _, name := range ClauseNames {
		if o.has(jsonvalue.Fold(name)) {
			n++
		}
	}
	return n
}

// Optional is a field of an answer: absent, null or a value. The zero Optional is absent.
type Optional[T any] struct {
	value   T
	present bool
	null    bool
}

// Some returns a field with a value.
func Some[T any](v T) Optional[T] { return Optional[T]{value: v, present: true} }

// Null returns a field that is null.
func Null[T any]() Optional[T] { return Optional[T]{present: true, null: true} }

// optionalText returns a field that is absent where it is empty.
func optionalText(text string) Optional[string] {
	return Optional[string]{value: text, present: text != ""}
}

// Get returns the value, and whether the field has one.
func (o Optional[T]) Get() (T, bool) { return o.value, o.present && !o.null }

// IsAbsent reports whether the answer does not have the field.
func (o Optional[T]) IsAbsent() bool { return !o.present }

// IsNull reports whether the answer has the field as null.
func (o Optional[T]) IsNull() bool { return o.present && o.null }

// read returns a field of the object, whose name is as the interface spells it. expected
// says what convert accepts, for the Error of any other value.
func read[T any](o *Object, name, expected string, convert func(jsontext.Value) (T, bool)) Optional[T] {
	v := o.field(jsonvalue.Fold(name))
	if v == nil {
		isNull := o.has(jsonvalue.Fold(name))
		return Optional[T]{present: isNull, null: isNull}
	}

	value, ok := convert(v)
	if !ok {
		o.problem = cmp.Or(o.problem, &Error{Why: name + ": expected " + expected + ", found " + jsonvalue.KindName(v.Kind())})
		return Optional[T]{}
	}

	return Some(value)
}

// truths are the spellings of a truth value.
var truths = map[string]bool{"true": true, "false": false, "1": true, "0": false}

// boolean returns a field that is a truth value: true, false, 1 or 0, or one of these as text.
func (o *Object) boolean(name string) Optional[bool] {
	return read(o, name, "a boolean", func(v jsontext.Value) (truth, ok bool) {
		truth, ok = truths[leafText(v)]
		return truth, ok
	})
}

// Forms of times.
const (
	TimeRFC3339 = "rfc3339"
	TimeUnixMS  = "unix_ms"
	TimeUnixS   = "unix_s"
	TimeUTC     = "utc"  // RFC 3339 without a zone
	TimeDate    = "date" // its first moment
)

// layouts are those of the forms that are text.
var layouts = map[string][]string{
	TimeUTC:  {"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"},
	TimeDate: {time.DateOnly},
}

// agreementTime returns the field agreement_time, which may have a form of times that is told. One
// before the year 2000 is absent, since programs write such instants for none. The Error names the
// form that the value has.
func (o *Object) agreementTime(form string) Optional[time.Time] {
	const name = "agreement_time"
	if v := o.field(jsonvalue.Fold(name)); v.Kind() == '"' && jsonvalue.Text(v) == "" { // is none
		return Optional[time.Time]{}
	}

	at := read(o, name, "an RFC 3339 time or milliseconds since 1970", func(v jsontext.Value) (time.Time, bool) { return instantAs(v, form) })
	if t, ok := at.Get(); ok && t.Before(earliestInstant) {
		return Optional[time.Time]{}
	}

	if o.problem != nil && strings.HasPrefix(o.problem.Why, name) {
		v := o.field(jsonvalue.Fold(name))
		isForm := func(other string) bool { _, ok := instantAs(v, other); return ok }
		forms := []string{TimeUnixS, TimeUTC, TimeDate}
		if i := slices.IndexFunc(forms, isForm); i >= 0 {
			o.problem.Advice = Admits(`wire.consent.time_format = "` + forms[i] + `"`)
		}
	}

	return at
}

// instantAs returns an instant in one of the forms that are always read, or in another one. It
// reports false for any other value.
func instantAs(v jsontext.Value, form string) (time.Time, bool) {
	if at, ok := instant(v); ok {
		return at, true
	}

	if form == TimeUnixS {
		since1970, err := time.ParseDuration(scalar(v) + "s") // with a fraction, as Jackson writes it
		at := time.Unix(0, 0).UTC().Add(since1970)
		return at, err == nil && !at.Before(earliestInstant) && at.Before(endOfInstants)
	}

	for _, layout := range layouts[form] {
		if at, err := time.Parse(layout, jsonvalue.Text(v)); err == nil {
			return at, true
		}
	}

	return time.Time{}, false
}

// earliestInstant is the first one that counts as a time, and endOfInstants is later than all that
// RFC 3339 can write, as state has to.
var (
	earliestInstant = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	endOfInstants   = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
)

// instant returns an instant in the forms that services use: RFC 3339 text, or milliseconds
// since 1970. It reports false for any other value.
func instant(v jsontext.Value) (time.Time, bool) {
	text := scalar(v)
	if v.Kind() == '"' {
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700"} {
			if t, err := time.Parse(layout, text); err == nil {
				return t.UTC(), t.Before(endOfInstants)
			}
		}
	}

	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, false
	}
	if number <= 0 {
		return time.UnixMilli(number).UTC(), true
	}

	// Numbers of microseconds and nanoseconds would be after the end. Between 1970 and 2000 are numbers
	// of seconds or something else, which would make every choice look older than it is.
	for _, perMilli := range []int64{1, 1000, 1_000_000} {
		if ms := number / perMilli; ms < endOfInstants.UnixMilli() {
			return time.UnixMilli(ms).UTC(), ms >= earliestInstant.UnixMilli()
		}
	}

	return time.Time{}, false
}

// scalar returns the text of a string, or a number as it is spelled; empty for any other
// value.
func scalar(v jsontext.Value) string {
	if v.Kind() == '0' {
		return string(v)
	}
	return jsonvalue.Text(v)
}

// identifier returns text, a number, or the identifier in an object, such as {"$oid": "…"}
// or a user; empty for any other value.
func identifier(v jsontext.Value) string {
	if v.Kind() == '{' {
		return scalar(Open(v).field("oid id identityid"))
	}
	return scalar(v)
}
