// SPDX-License-Identifier: MPL-2.0

package client

import (
	"errors"
	"time"
)

// FormatInstant returns an instant in RFC 3339, in UTC, to the millisecond. Milliseconds
// of zero are left out.
func FormatInstant(t time.Time) string {
	return t.UTC().Truncate(time.Millisecond).Format("2006-01-02T15:04:05.999Z07:00")
}

// dayLayout is how the interface writes a UTC date (section 4, Export).
const dayLayout = "2006-01-02"

// ParseDay parses a UTC date, YYYY-MM-DD and nothing else.
func ParseDay(text string) (time.Time, error) {
	day, err := time.Parse(dayLayout, text)
	if err != nil || day.Format(dayLayout) != text {
		return time.Time{}, errors.New("has to be a date that exists, written YYYY-MM-DD, such as 2026-01-31")
	}
	return day, nil
}

// FormatDay returns the UTC date of an instant.
func FormatDay(t time.Time) string { return t.UTC().Format(dayLayout) }
