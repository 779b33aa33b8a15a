// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// Optional is a field of an answer: absent, null or a value. The zero Optional is absent.
type Optional[T any] struct {
	value   T
	present bool
	null    bool
}

// Some returns a field with a value.
func Some[T any](v T) Optional[T] { return Optional[T]{value: v, present: true} }

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
		o.fail(name + ": expected " + expected + ", found " + jsonvalue.KindName(v.Kind()))
		return Optional[T]{}
	}

	return Some(value)
}

func (o *Object) boolean(name string) Optional[bool] {
	return read(o, name, "a boolean", func(v jsontext.Value) (bool, bool) {
		return v.Kind() == 't', v.Kind() == 't' || v.Kind() == 'f'
	})
}

func (o *Object) text(name string) Optional[string] {
	return read(o, name, "a string", func(v jsontext.Value) (string, bool) {
		return jsonvalue.Text(v), v.Kind() == '"'
	})
}

// instant returns a field that is an instant. One before the year 2000 is absent, since
// programs write such instants for none.
func (o *Object) instant(name string) Optional[time.Time] {
	at := read(o, name, "an RFC 3339 time or milliseconds since 1970", instant)
	if t, ok := at.Get(); ok && t.Before(earliestInstant) {
		return Optional[time.Time]{}
	}

	return at
}

// earliestInstant is the first one that counts as a time.
var earliestInstant = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// instant returns an instant in the forms that services use: RFC 3339 text, or milliseconds
// since 1970. It reports false for any other value.
func instant(v jsontext.Value) (time.Time, bool) {
	text := scalar(v)
	if v.Kind() == '"' {
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700"} {
			if t, err := time.Parse(layout, text); err == nil {
				return t.UTC(), true
			}
		}
	}

	// Between 1970 and 2000 are numbers of seconds or something else, which would make every
	// choice look older than it is.
	ms, err := strconv.ParseInt(text, 10, 64)

	return time.UnixMilli(ms).UTC(), err == nil && (ms <= 0 || ms >= earliestInstant.UnixMilli())
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
