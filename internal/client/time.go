package client

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/jsonvalue"
)

// instantParameter returns an instant in one of TimeFormats. It is in UTC, to the
// millisecond, which the interface's type Date (section 2) can be expected to hold.
func instantParameter(t time.Time, format string) any {
	if format == TimeUnixMS {
		return t.UnixMilli()
	}
	return FormatInstant(t)
}

// FormatInstant returns an instant in RFC 3339, in UTC, to the millisecond. Milliseconds
// of zero are left out.
func FormatInstant(t time.Time) string {
	return t.UTC().Truncate(time.Millisecond).Format("2006-01-02T15:04:05.999Z07:00")
}

// readInstant returns an instant in the forms that services use: RFC 3339 text, or
// milliseconds since 1970. It reports false for any other value.
func readInstant(v jsontext.Value) (time.Time, bool) {
	switch v.Kind() {
	case '"':
		return parseInstantText(jsonvalue.Text(v))
	case '0':
		return parseMilliseconds(string(v))
	}
	return time.Time{}, false
}

// earliestMilliseconds is the year 2000. Smaller numbers are seconds or something else, and
// would make every choice look older than it is.
const earliestMilliseconds = 946_684_800_000

func parseMilliseconds(s string) (time.Time, bool) {
	ms, err := strconv.ParseInt(s, 10, 64)
	return time.UnixMilli(ms).UTC(), err == nil && ms >= earliestMilliseconds
}

func parseInstantText(s string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), true
		}
	}
	return parseMilliseconds(s)
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

// Pause waits for d, or until the context ends. It returns the context's error then.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()

	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
