// SPDX-License-Identifier: MPL-2.0

package answer

import (
	"math"
	"slices"
	"strconv"
	"time"
)

// Optional is a field of an answer: absent, null or a value. The zero Optional is absent.
type Optional[T any] struct {
	Value T // zero unless it is Given
	Given bool
	Null  bool
}

// Some returns a field with a value.
func Some[T any](v T) Optional[T] { return Optional[T]{Value: v, Given: true} }

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
	TimeRFC3339: {time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700"},
	TimeUTC:     {"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"},
	TimeDate:    {time.DateOnly},
}

// earliestInstant is the first one that counts as a time, and endOfInstants is later than all that
// RFC 3339 can write, as state has to.
var (
	earliestInstant = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	endOfInstants   = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
)

// truth returns the truth value that true, false, 1 or 0 stand for, or one of these as text.
func (n *node) truth() (isTrue, ok bool) {
	isTrue, ok = truths[n.word]
	return isTrue, ok
}

func (n *node) string() (string, bool) { return n.text, n.Kind() == '"' }

// instant returns an instant in one of the forms that are always read, RFC 3339 text and milliseconds
// since 1970, or in another one. An empty text is the zero Time, and so is an instant before the year 2000,
// which programs write for none. It reports false for any other value.
func (n *node) instant(form string) (time.Time, bool) {
	for _, layout := range slices.Concat(layouts[TimeRFC3339], layouts[form]) {
		at, err := time.Parse(layout, n.text)
		if err != nil {
			continue
		}
		isTime := at.Before(endOfInstants)
		if !isTime || at.Before(earliestInstant) {
			at = time.Time{}
		}

		return at.UTC(), isTime
	}

	number, err := strconv.ParseFloat(n.text, 64)
	if err != nil {
		return time.Time{}, string(n.Value) == `""`
	}

	return instantOf(number, form)
}

// instantOf returns the instant of a number since 1970, in the unit in which it is one. Numbers of milliseconds
// between 1970 and 2000 are of seconds or of something else, which would make every choice look older than it is.
func instantOf(number float64, form string) (time.Time, bool) {
	micros := []float64{1000, 1, 0.001}
	if form == TimeUnixS {
		micros = append(micros, 1_000_000) // with a fraction, as Jackson writes it
	}
	for _, perUnit := range micros {
		at := time.UnixMicro(int64(math.Round(number * perUnit))).UTC()
		if !at.Before(earliestInstant) && at.Before(endOfInstants) {
			return at, true
		}
	}

	return time.Time{}, number <= 0
}
