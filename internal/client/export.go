package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

var opExport = operation{name: "Export records", method: http.MethodGet, streams: true}

// dayLayout is how the interface writes a UTC date (section 4, Export).
const dayLayout = "2006-01-02"

// ParseDay reads a UTC date, YYYY-MM-DD and nothing else.
func ParseDay(text string) (time.Time, error) {
	day, err := time.Parse(dayLayout, text)
	if err != nil || day.Format(dayLayout) != text {
		return time.Time{}, errors.New("has to be a date that exists, written YYYY-MM-DD, such as 2026-01-31")
	}
	return day, nil
}

// FormatDay writes the UTC date of an instant.
func FormatDay(t time.Time) string { return t.UTC().Format(dayLayout) }

// ExportQuery says what to export.
type ExportQuery struct {
	// Day is the UTC date, as ParseDay gives it.
	Day time.Time
	// Kinds are the wanted kinds; none are all. Records whose kind cannot be told are
	// always among what is exported.
	Kinds []records.Kind
}

func (q ExportQuery) wants(k records.Kind) bool {
	return k == records.Unknown || len(q.Kinds) == 0 || slices.Contains(q.Kinds, k)
}

// ExportSink takes the records of a day. Its errors end the export and are returned
// as they are.
type ExportSink interface {
	// Restart forgets every record so far: the day is read from its beginning again.
	Restart() error
	// Record takes one record, which is the caller's again when it returns.
	Record(kind records.Kind, record jsontext.Value) error
}

// Export is GET …/export for one UTC day (section 4, Export): it reads the answer as
// it comes, in constant memory, and hands its records to the sink. With
// wire.export_kind_parameter there is one request for each kind, otherwise one whose
// answer is split by its shape.
//
// An answer that breaks off begins again, as often as a request is repeated, and is
// never taken for a short day: without an error the day was read to its end. Errors
// are *Error, or the sink's.
func (c *Client) Export(ctx context.Context, scope Scope, q ExportQuery, sink ExportSink) (records.Counts, error) {
	to, err := scope.export()
	if err != nil {
		return records.Counts{}, invalid(opExport, err)
	}
	attempts := 0
	for try := 0; ; try++ {
		counts, err := c.exportOnce(ctx, to, q, sink)
		e, failed := errors.AsType[*Error](err)
		if !failed {
			return counts, err
		}
		if e.Operation == opExport.name {
			e.Attempts += attempts
		}
		if !e.midway || try == c.retries.RetryMax {
			return counts, e
		}
		attempts = e.Attempts
		if pause(ctx, backoff(0, 0, try, nil)) != nil {
			return counts, e
		}
		if err := sink.Restart(); err != nil {
			return counts, err
		}
	}
}

// exportOnce reads the day once.
func (c *Client) exportOnce(ctx context.Context, to endpoint, q ExportQuery, sink ExportSink) (total records.Counts, err error) {
	query := url.Values{"utcDate": {FormatDay(q.Day)}}
	if c.wire.ExportKindParameter == "" {
		return c.exportPart(ctx, to, query, records.Unknown, q, sink)
	}
	for _, k := range records.Kinds {
		if !q.wants(k) {
			continue
		}
		query.Set(c.wire.ExportKindParameter, c.wire.exportKindValue(k))
		counts, err := c.exportPart(ctx, to, query, k, q, sink)
		for i, n := range counts {
			total[i] += n
		}
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// exportPart is one request. asked is the kind that it asks for, if it does.
func (c *Client) exportPart(ctx context.Context, to endpoint, query url.Values, asked records.Kind, q ExportQuery, sink ExportSink) (counts records.Counts, err error) {
	var alone jsontext.Value // the only record, where it may be no record at all
	seen := 0
	emit := func(kind records.Kind, record jsontext.Value) error {
		if seen++; seen == 1 && (kind == records.Unknown || asked != records.Unknown) {
			alone = record.Clone()
		} else {
			alone = nil
		}
		if !q.wants(kind) {
			return nil
		}
		counts[kind]++
		return sink.Record(kind, record)
	}
	s, err := c.stream(ctx, opExport, to, payload{query: query.Encode()})
	if err != nil {
		return counts, err
	}
	defer s.close()
	if err := s.split(asked, emit); err != nil {
		return counts, err
	}
	if said, failed := complaintInside(alone); failed {
		e := s.call.fail(KindRejected, s.resp.StatusCode, "the answer has a status of success and an error inside")
		s.call.quote(e, said)
		return counts, e
	}
	return counts, nil
}
