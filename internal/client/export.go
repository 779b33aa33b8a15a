// SPDX-License-Identifier: MPL-2.0

package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

var opExport = transport.Operation{Name: "Export records", Method: http.MethodGet, Kind: transport.Exports, Path: "/export", Streams: true}

// errNoExport is the error of an export in the older path family (section 4).
var errNoExport = errors.New("the export does not exist in the account path family; set org_id and project_id, here or in the provider block")

// ExportQuery selects the records of an export.
type ExportQuery struct {
	// Day is the UTC date, as ParseDay returns it.
	Day time.Time
	// Kinds are the wanted kinds; none means all.
	Kinds []records.Kind
	// Finished makes the export fail where the Date of an answer shows that the day is not
	// over by the service's clock.
	Finished bool
}

// ExportResult describes a day that was read to its end.
type ExportResult struct {
	Counts records.Counts
	// InvalidUTF8 is the number of records in which bytes that are not UTF-8 were
	// replaced; see Wire.Export.InvalidUTF8.
	InvalidUTF8 int64
	// Date is when the service made its answer, by its own clock, also where a cache has kept it
	// since; by this machine's clock where it sent no time. Of several answers it is the earliest.
	Date time.Time
	// Complete reports whether the day was over when it was read, by the service's clock and by
	// this machine's.
	Complete bool
}

// Records yields the records of a day in the order of the answer, each until the next one is taken.
type Records = iter.Seq2[records.Kind, jsontext.Value]

// limitExport bounds an export, which may otherwise come byte by byte for ever.
const limitExport = 24 * time.Hour

// Export is GET …/export for one UTC day (section 4, Export). It calls read, which takes the
// records as they come, in constant memory: those of one request for each kind, with
// wire.export.kind_parameter, or else of one. After an answer that broke off, it calls read again with
// the day from its beginning, as often as a request is repeated.
//
// Errors are *Error, or read's as it is; without one the day was read to its end, unless read stopped
// before.
func (c *Client) Export(ctx context.Context, scope Scope, q ExportQuery, read func(Records) error) (ExportResult, error) {
	if scope.AccountID != "" {
		return ExportResult{}, transport.Invalid(opExport, errNoExport)
	}
	whole := ctx
	ctx, cancel := context.WithTimeout(ctx, limitExport)
	defer cancel()

	x := &exporting{client: c, scope: scope, query: q, take: read}
	for _, kind := range records.Kinds {
		if len(q.Kinds) == 0 || slices.Contains(q.Kinds, kind) {
			x.kinds = append(x.kinds, kind)
		}
	}
	err := c.sender.Repeat(ctx, x.read)
	if e, failed := errors.AsType[*transport.Error](err); failed && ctx.Err() != nil && whole.Err() == nil {
		e.Class, e.Detail = transport.ClassTimeout, "the export did not end within "+limitExport.String()
	}

	return x.result, err
}

// exporting is a day while it is read.
type exporting struct {
	client *Client
	scope  Scope
	query  ExportQuery
	kinds  []records.Kind // that are wanted

	take   func(Records) error
	result ExportResult
	seen   records.Seen    // with a parameter for the kind
	before *records.Reader // of the last page; nil before the first
}

// errStopped ends the reading where no more records are taken.
var errStopped = errors.New("no more records are taken")

// read reads the day from its beginning. Its error is *Error, or that of who takes the records.
func (x *exporting) read(ctx context.Context) error {
	x.result = ExportResult{Complete: x.query.Day.Before(x.client.Today())}
	x.seen, x.before = nil, nil

	var err error
	refused := x.take(func(yield func(records.Kind, jsontext.Value) bool) { err = x.day(ctx, yield) })
	if errors.Is(err, errStopped) {
		return refused
	}

	return cmp.Or(err, refused)
}

// day yields the records of all pages: of one answer, or of one for each kind.
func (x *exporting) day(ctx context.Context, yield func(records.Kind, jsontext.Value) bool) error {
	wire, asked := x.client.wire.Export, []records.Kind{records.Unknown}
	if wire.KindParameter != "" {
		asked, x.seen = x.kinds, records.Seen{}
	}

	for _, kind := range asked {
		query := url.Values{}
		if kind != records.Unknown {
			query.Set(wire.KindParameter, wire.KindValues[kind.Plural()])
		}
		query.Set("utcDate", x.query.Day.Format(dayLayout)) // last: nothing takes the place of the day

		pages := &pages{base: x.client.base, own: query, query: query.Encode()}
		for more := true; more; {
			s, err := x.client.ask(ctx, Person{Scope: x.scope}, transport.Request{Op: opExport, Query: pages.query})
			if err != nil {
				return err
			}
			read, err := x.page(s, kind, yield)
			s.Body.Close()
			if err != nil {
				return err
			}
			if more, err = pages.follow(read); err != nil {
				return transport.NewError(s.Exchange, transport.ClassPayload, err.Error())
			}
		}
	}

	return nil
}

// page yields the records of an answer, all of which are of the kind that was asked for, unless that is
// Unknown.
func (x *exporting) page(s transport.Answer, asked records.Kind, yield func(records.Kind, jsontext.Value) bool) (page, error) {
	if err := x.checkHead(s); err != nil {
		return page{}, err
	}
	if s.Status == http.StatusNoContent {
		return page{Answer: s}, nil
	}
	unpacked, err := transport.Unpack(s.Header, s.Body, s.Body.IsDelimited)
	if errors.Is(err, transport.ErrNothing) && x.client.wire.Export.Empty {
		unpacked, err = http.NoBody, nil
	}
	if err != nil {
		return page{}, failure(s, err)
	}
	defer unpacked.Close()

	options := x.options(x.client.wire, s.MediaType, asked)
	options.Seen, options.Before = x.seen, x.before
	reader := records.NewReader(unpacked, options)
	x.before = reader
	head := bytes.ToValidUTF8(reader.Head(), []byte("\uFFFD"))
	for kind, record := range reader.All() {
		if slices.Contains(x.kinds, kind) && !yield(kind, record) {
			return page{}, errStopped
		}
	}
	if err := x.checkEnd(s, reader, asked, head); err != nil {
		return page{}, err
	}

	result := reader.Result
	x.result.InvalidUTF8 += result.Replaced
	for _, kind := range x.kinds {
		x.result.Counts[kind] += result.Counts[kind]
	}

	return page{s, result.Next, result.Total, result.Counts.Total()}, nil
}

// options returns what settings and the media type say about an answer.
func (x *exporting) options(w Wire, mediaType string, asked records.Kind) records.Options {
	isLines := slices.Contains(typesOfLines, mediaType)
	return records.Options{Map: w.Export.Map, Envelope: w.Envelope, Wanted: x.kinds, Asked: asked, IsLines: isLines}
}

// typesOfLines are the media types of values that follow each other.
var typesOfLines = []string{
	"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl", "application/jsonlines", "application/x-jsonlines",
	"application/json-lines", "application/stream+json", "text/x-ndjson", "text/jsonl",
}

// checkHead returns the error of an answer that is not that of a whole day by its header, and notes
// when it was made by the service's clock. Only 200 and 204 answer an export: anything else would pass
// for a day without records, or with too few. Where only a finished day is wanted, one that was not
// over then is refused. Without a date, this machine's clock alone decides.
func (x *exporting) checkHead(s transport.Answer) error {
	if s.Header.Get("Content-Range") != "" {
		return transport.NewError(s.Exchange, transport.ClassPayload, "a Content-Range header says that the answer is a part of the day")
	}

	age, _ := strconv.ParseInt(s.Header.Get("Age"), 10, 32) // in seconds; the longest one if it is longer
	made := cmp.Or(s.Date, x.client.now()).Add(-time.Duration(max(age, 0)) * time.Second)
	if x.result.Date.IsZero() || made.Before(x.result.Date) {
		x.result.Date = made
	}

	isOver := !made.Before(x.query.Day.AddDate(0, 0, 1))
	x.result.Complete = x.result.Complete && isOver
	if x.query.Finished && !isOver {
		return transport.NewError(s.Exchange, transport.ClassNotReady, "by the service's clock it was "+made.UTC().Format("2006-01-02 15:04")+" UTC when it answered, so the day "+FormatDay(x.query.Day)+" was not over")
	}

	return nil
}

// pageTypes are the media types of pages for people, and of what gateways answer. An empty one would pass
// for a day without records.
var pageTypes = []string{"text/html", "application/xhtml+xml", "application/xml", "text/xml"}

// checkEnd returns the error of an answer that was not read to the end of the day. head is the
// beginning of its text.
//
// The end of the answer is that of the day where a length, the last chunk, or the last bracket of a
// single JSON value proves it. The end of a compressed stream proves nothing: another one may follow.
func (x *exporting) checkEnd(s transport.Answer, reader *records.Reader, asked records.Kind, head []byte) error {
	err, lost, wire := reader.Err, s.Body.Failure, x.client.wire
	begin := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\uFEFF")))
	isEmptyPage := len(begin) == 0 && slices.Contains(pageTypes, s.MediaType)
	isDelimited := reader.Result.Closed || s.Body.IsDelimited

	switch {
	case lost != nil:
		return failure(s, lost)
	case isEmptyPage, bytes.HasPrefix(begin, []byte("<")):
		return transport.PageError(s, head)
	case err == nil && !isDelimited:
		return failure(s, records.ErrTruncated)
	case err == nil:
		return s.EndError(wire.ignoresField)
	}

	reads := func(with Wire) error { return readHead(head, x.options(with, s.MediaType, asked)) }

	return failure(s, wire.advise(err, head, infer.Export, reads))
}

// readHead returns the error of reading the beginning of an answer; nil if it is cut behind a record.
func readHead(head []byte, options records.Options) error {
	reader := records.NewReader(bytes.NewReader(head), options)
	n := 0
	for range reader.All() {
		n++
	}
	if len(head) == records.LimitHead && n > 0 && errors.Is(reader.Err, records.ErrTruncated) {
		return nil
	}

	return reader.Err
}

// ignoresField reports whether the settings ignore a header field or trailer field.
func (w Wire) ignoresField(name string) bool {
	return w.Ignored[jsontext.Pointer("/"+name)] == AnyValue
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
