package customtypes

import (
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

type (
	// Instant is an RFC 3339 time, compared to the millisecond.
	Instant = Text[instantFormat, time.Time]
	// InstantType is the type of Instant.
	InstantType = TextType[instantFormat, time.Time]
)

// NewInstant returns t as text in UTC, to the millisecond.
func NewInstant(t time.Time) Instant {
	return Instant{basetypes.NewStringValue(client.FormatInstant(t))}
}

// ParseInstant parses a time by the rules of Instant, for values that are not attributes.
// The error completes a sentence about the value and never holds it.
func ParseInstant(text string) (time.Time, error) { return instantFormat{}.Parse(text) }

type instantFormat struct{}

func (instantFormat) Parse(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return t, errors.New("must be an RFC 3339 time with a zone, such as 2026-01-31T12:00:00Z")
	}

	if t.Year() < 2000 {
		return t, errors.New("must be a time in or after the year 2000")
	}

	return t, nil
}

func (instantFormat) Equal(a, b time.Time) bool { return a.UnixMilli() == b.UnixMilli() }
