// SPDX-License-Identifier: MPL-2.0

package client

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
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

// wants reports whether records of a kind are exported.
func (q ExportQuery) wants(k records.Kind) bool {
	return len(q.Kinds) == 0 || slices.Contains(q.Kinds, k)
}

// ExportResult describes a day that was read to its end.
type ExportResult struct {
	Counts records.Counts
	// InvalidUTF8 is the number of records in which bytes that are not UTF-8 were
	// replaced; see Wire.Export.InvalidUTF8.
	InvalidUTF8 int64
	// Date is when the service made its answer, by its own clock, also where a cache has kept it
	// since; zero where it sent no time. Of several answers it is the earliest.
	Date time.Time
}

// Over reports whether the day was over when it was read, by the service's clock and by
// this machine's, according to which it is today.
func (r ExportResult) Over(day, today time.Time) bool {
	isOverThere := r.Date.IsZero() || isOver(day, r.Date)

	return day.Before(today) && isOverThere
}

func isOver(day, now time.Time) bool { return !now.Before(day.AddDate(0, 0, 1)) }

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
	err := c.sender.Repeat(ctx, x.read)
	if e, failed := errors.AsType[*transport.Error](err); failed && ctx.Err() != nil && whole.Err() == nil {
		e.Class, e.Detail, e.Cause = transport.ClassTimeout, "the export did not end within "+limitExport.String(), nil
	}

	return x.result, err
}

// exporting is a day while it is read.
type exporting struct {
	client *Client
	scope  Scope
	query  ExportQuery

	take   func(Records) error
	result ExportResult
	seen   records.Seen    // with a parameter for the kind
	before *records.Reader // of the last page; nil before the first
	err    error           // *Error; nil if the day was read to its end
}

// read reads the day from its beginning. Its error is *Error, or that of who takes the records.
func (x *exporting) read(ctx context.Context) error {
	refused := x.take(x.day(ctx))
	if x.err != nil {
		return x.err
	}

	return refused
}

// day yields the records of the day from its beginning: of the answer to one request, or of one
// for each kind. Afterwards, x.err says why it could not be read.
func (x *exporting) day(ctx context.Context) Records {
	x.result, x.seen, x.before, x.err = ExportResult{}, nil, nil, nil

	asked := []records.Kind{records.Unknown}
	if x.wire().KindParameter != "" {
		asked = slices.DeleteFunc(slices.Clone(records.Kinds), func(k records.Kind) bool { return !x.query.wants(k) })
		x.seen = records.Seen{}
	}

	return func(yield func(records.Kind, jsontext.Value) bool) {
		for _, kind := range asked {
			if !x.part(ctx, kind, yield) {
				return
			}
		}
	}
}

func (x *exporting) wire() ExportWire { return x.client.wire.Export }

// part yields the records of one kind that is asked for, or of all kinds where asked is Unknown: those
// of all pages. It reports whether they were read to their end.
func (x *exporting) part(ctx context.Context, asked records.Kind, yield func(records.Kind, jsontext.Value) bool) bool {
	query := url.Values{"utcDate": {FormatDay(x.query.Day)}}
	if asked != records.Unknown {
		query.Set(x.wire().KindParameter, x.wire().KindValues[asked.Plural()])
	}

	pages := x.client.pagesOf(opExport, x.scope, query)
	for more := true; more; {
		s, err := x.client.ask(ctx, Person{Scope: x.scope}, transport.Request{Op: opExport, Query: pages.query})
		if err != nil {
			return x.fail(err)
		}

		read, isWhole := x.page(s, asked, yield)
		s.Body.Close()
		if !isWhole {
			return false
		}
		if more, err = pages.follow(read); err != nil {
			return x.fail(transport.NewError(s.Exchange, transport.ClassPayload, err.Error()))
		}
	}

	return true
}

// page yields the records of an answer, and reports whether it was read to its end.
func (x *exporting) page(s transport.Answer, asked records.Kind, yield func(records.Kind, jsontext.Value) bool) (read page, isWhole bool) {
	read.header = s.Header
	if err := x.checkHead(s); err != nil {
		return read, x.fail(err)
	}
	if s.Status == http.StatusNoContent {
		return read, true
	}

	unpacked, err := transport.Unpack(s.Header, s.Body, s.Body.IsDelimited)
	if errors.Is(err, transport.ErrNothing) && x.wire().Empty {
		unpacked, err = http.NoBody, nil
	}
	if err != nil {
		return read, x.fail(failure(s, err))
	}
	defer unpacked.Close()

	reader := records.NewReader(unpacked, x.options(x.client.wire, s.MediaType, asked))
	if x.before != nil {
		reader.Follows(x.before)
	}
	x.before = reader

	head := bytes.ToValidUTF8(reader.Head(), []byte("\uFFFD"))
	if isPage(s.MediaType, head) && s.Body.Failure == nil {
		return read, x.fail(transport.PageError(s, head))
	}
	for kind, record := range reader.All() {
		if !x.query.wants(kind) {
			continue
		}
		x.result.Counts[kind]++
		if !yield(kind, record) {
			return read, false
		}
	}
	if err := x.checkEnd(s, reader, asked, head); err != nil {
		return read, x.fail(err)
	}

	result := reader.Result
	x.result.InvalidUTF8 += result.Replaced
	read.next, read.total, read.records = result.Next, result.Total, result.Counts.Total()

	return read, true
}

// fail ends the reading with an error.
func (x *exporting) fail(err error) bool {
	x.err = err
	return false
}

// options returns what settings and the media type say about an answer.
func (x *exporting) options(w Wire, mediaType string, asked records.Kind) records.Options {
	wire := w.Export
	o := records.Options{
		Wanted: x.query.Kinds,
		Asked:  asked,
		Seen:   x.seen,

		Envelope: w.Envelope.At,
		At:       map[records.Kind]jsontext.Pointer{},
		Kind:     wire.Kind,
		Words:    map[string]records.Kind{},
		Record:   map[records.Kind]jsontext.Pointer{},

		Next:    wire.Next,
		Total:   wire.Total,
		Ignored: w.Ignored,
		Result:  w.Result,

		Lines:          wire.Lines,
		IsLines:        slices.Contains(typesOfLines, mediaType),
		Empty:          wire.Empty,
		ReplaceInvalid: wire.InvalidUTF8 == InvalidReplace,
	}

	for _, kind := range records.Kinds {
		key := kind.Plural()
		if at, ok := wire.At[key]; ok {
			o.At[kind] = at
		}
		if at, ok := wire.Record[key]; ok {
			o.Record[kind] = at
		}
		for _, word := range wire.Kinds[key] {
			o.Words[word] = kind
		}
	}

	return o
}

// typesOfLines are the media types of values that follow each other.
var typesOfLines = []string{
	"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl", "application/jsonlines", "application/x-jsonlines",
	"application/json-lines", "application/stream+json", "text/x-ndjson", "text/jsonl",
}

// checkHead returns the error of an answer that is not that of a whole day by its header, and notes
// when it was made by the service's clock. Only 200 and 204 answer an export: anything else would pass
// for a day without records, or with too few. Where only a finished day is wanted, one that was not
// over then is refused; without a date, this machine's clock alone decides.
func (x *exporting) checkHead(s transport.Answer) error {
	header := s.Header
	if header.Get("Content-Range") != "" {
		return transport.NewError(s.Exchange, transport.ClassPayload, "a Content-Range header says that the answer is a part of the day")
	}

	made := madeAt(header, x.client.config.Now())
	if made.IsZero() {
		return nil
	}
	if x.result.Date.IsZero() || made.Before(x.result.Date) {
		x.result.Date = made
	}
	if x.query.Finished && !isOver(x.query.Day, made) {
		return transport.NewError(s.Exchange, transport.ClassNotReady, "by the service's clock it was "+made.UTC().Format("2006-01-02 15:04")+" UTC when it answered, so the day "+FormatDay(x.query.Day)+" was not over")
	}

	return nil
}

// madeAt returns when an answer was made: at its Date, or before now, as long before as a cache has
// kept it. It is zero where the header does not say so.
func madeAt(header http.Header, now time.Time) time.Time {
	date, err := http.ParseTime(header.Get("Date"))
	age, _ := strconv.ParseInt(header.Get("Age"), 10, 64)
	age = min(max(age, 0), int64(100*365*24*time.Hour/time.Second))
	if err != nil && age == 0 {
		return time.Time{}
	}
	if err != nil {
		date = now
	}

	return date.Add(-time.Duration(age) * time.Second)
}

// checkEnd returns the error of an answer that was not read to the end of the day. head is the
// beginning of its text.
//
// The end of the answer is that of the day where a length, the last chunk, or the last bracket of a
// single JSON value proves it. The end of a compressed stream proves nothing: another one may follow.
func (x *exporting) checkEnd(s transport.Answer, reader *records.Reader, asked records.Kind, head []byte) error {
	err, wire := reader.Err, x.client.wire
	isDelimited := reader.Result.Closed || s.Body.IsDelimited
	if isWhole := s.Body.Failure == nil && isDelimited; err == nil && !isWhole {
		err = records.ErrTruncated
	}
	if refusal, ok := errors.AsType[*answer.Error](err); ok {
		accepts := func(with Wire) bool { return isRead(head, x.options(with, s.MediaType, asked)) }
		if settings := wire.advise(head, infer.Export, accepts); settings != "" {
			refusal.Advice = "look at it: if that is right for your service, " + settings + " reads what was seen"
		}
	}
	if err != nil {
		return failure(s, err)
	}

	return s.EndError(wire.ignoresField)
}

// isRead reports whether the beginning of an answer is read with options.
func isRead(head []byte, options records.Options) bool {
	options.Seen = nil
	reader := records.NewReader(bytes.NewReader(head), options)
	n := 0
	for range reader.All() {
		n++
	}
	isCut := len(head) == records.LimitHead && n > 0 && errors.Is(reader.Err, records.ErrTruncated)

	return reader.Err == nil || isCut
}

// ignoresField reports whether the settings ignore a header field or trailer field.
func (w Wire) ignoresField(name string) bool {
	for at, value := range w.Ignored {
		if value == AnyValue && strings.EqualFold(string(at), "/"+name) {
			return true
		}
	}
	return false
}

// isPage reports whether an answer is for people, by its type and its beginning. An empty page does
// not come from the service either, and would pass for a day without records.
func isPage(mediaType string, head []byte) bool {
	begin := bytes.ToLower(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\uFEFF"))))
	switch mediaType {
	case "text/html", "application/xhtml+xml", "application/xml", "text/xml":
		return len(begin) == 0 || begin[0] == '<'
	}

	return bytes.HasPrefix(begin, []byte("<!doctype")) || bytes.HasPrefix(begin, []byte("<html"))
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
