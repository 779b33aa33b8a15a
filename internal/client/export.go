// SPDX-License-Identifier: MPL-2.0

package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/infer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

var opExport = transport.Operation{Name: "Export records", Method: http.MethodGet, Kind: transport.Exports, Path: "/export", Streams: true}

// ExportQuery selects the records of an export.
type ExportQuery struct {
	Day      time.Time      // the UTC date, as ParseDay returns it
	Kinds    []records.Kind // that are wanted, in the order in which they are asked for
	Finished bool           // refuses a day that is not over by the service's clock
}

// ExportResult describes a day that was read to its end.
type ExportResult struct {
	Counts      records.Counts
	InvalidUTF8 int64 // records in which bytes that are not UTF-8 were replaced
	// Date is when the service made its answer, by its own clock, also where a cache has kept it
	// since; by this machine's clock where it sent no time. Of several answers it is the earliest.
	Date     time.Time
	Complete bool // the day was over when it was read, by the service's clock and by this machine's
}

// Records yields the records of a day in the order of the answer, each until the next one is taken.
type Records = iter.Seq2[records.Kind, jsontext.Value]

// Export is GET …/export for one UTC day (section 4, Export). It calls read, which takes the records as they come, in
// constant memory, and must not stop without an error. After an answer that broke off, it calls read again with
// the day from its beginning, as often as a request is repeated. Errors are *Error, or read's as it is; without one the
// day was read to its end.
func (c *Client) Export(ctx context.Context, scope Scope, q ExportQuery, read func(Records) error) (ExportResult, error) {
	if scope.AccountID != "" {
		return ExportResult{}, ErrNoExport
	}
	ctx, cancel := context.WithTimeout(ctx, 24*time.Hour) // it may come byte by byte for ever
	defer cancel()

	var x *exporting
	err := c.Repeat(ctx, func(ctx context.Context) (err error) {
		x = &exporting{client: c, scope: scope, query: q}
		refused := read(func(yield func(records.Kind, jsontext.Value) bool) { err = x.day(ctx, yield) })
		return cmp.Or(refused, err)
	})

	// Without a date of the service, this machine's clock alone decides.
	end := q.Day.AddDate(0, 0, 1)
	isOver := !x.result.Date.Before(end)
	x.result.Complete = isOver && !c.now().Before(end)
	if err == nil && q.Finished && !isOver {
		err = transport.NewError(about(opExport), transport.ClassNotReady, "by the service's clock it was "+x.result.Date.UTC().Format("2006-01-02 15:04")+" UTC when it answered, so the day "+FormatDay(q.Day)+" was not over")
	}

	return x.result, err
}

// ErrNoExport is the error of an export in a scope that has none.
var ErrNoExport error = transport.NewError(about(opExport), transport.ClassInvalid, "the export does not exist in the account path family, only for org_id and project_id")

// exporting is one reading of a day.
type exporting struct {
	client *Client
	scope  Scope
	query  ExportQuery

	result ExportResult
	memory records.Memory // of its records
}

// day yields the records of all pages: of one answer, or of one for each kind.
func (x *exporting) day(ctx context.Context, yield func(records.Kind, jsontext.Value) bool) (err error) {
	wire, asked := x.client.wire.Export, []records.Kind{records.Unknown}
	if wire.KindParameter != "" {
		asked = x.query.Kinds
	}

	for _, kind := range asked {
		query := url.Values{}
		if kind != records.Unknown {
			query.Set(wire.KindParameter, wire.KindValues[kind.Plural()])
		}
		query.Set("utcDate", x.query.Day.Format(time.DateOnly)) // last: nothing takes the place of the day

		pages := &pages{base: x.client.base, own: query, query: query.Encode()}
		for more := true; more; {
			if more, err = x.page(ctx, pages, kind, yield); err != nil {
				return err
			}
		}
	}

	return nil
}

// page yields the records of one answer, and notes when the service made it. It reports whether
// another page follows.
func (x *exporting) page(ctx context.Context, of *pages, asked records.Kind, yield func(records.Kind, jsontext.Value) bool) (more bool, _ error) {
	s, err := x.client.ask(ctx, Person{Scope: x.scope}, transport.Request{Op: opExport, Query: of.query})
	if err != nil {
		return false, err
	}
	defer s.Body.Close()

	age, _ := strconv.ParseInt(s.Header.Get("Age"), 10, 32) // in seconds; the longest one if it is longer
	made := cmp.Or(s.Date, x.client.now()).Add(-time.Duration(max(age, 0)) * time.Second)
	if x.result.Date.IsZero() || made.Before(x.result.Date) {
		x.result.Date = made
	}

	read, err := x.read(s, asked, yield)
	if err != nil {
		return false, err
	}
	if more, err = of.follow(s, read.Next, read.Total, read.Counts.Total()); err != nil {
		return false, transport.NewError(s.Exchange, transport.ClassPayload, err.Error())
	}

	return more, nil
}

// typeOfLines matches the media types of values that follow each other.
var typeOfLines = regexp.MustCompile(`ndjson|jsonl|json-lines|stream\+json`)

// read yields the records in the body of an answer. They are of the kind asked for, unless that is Unknown.
func (x *exporting) read(s transport.Answer, asked records.Kind, yield func(records.Kind, jsontext.Value) bool) (records.Result, error) {
	if s.Status == http.StatusNoContent {
		return records.Result{}, nil
	}
	unpacked, err := transport.Unpack(s.Header, s.Body)
	if unpacked == http.NoBody && s.Body.IsDelimited && x.client.wire.Export.Empty {
		err = nil
	}
	if err != nil {
		return records.Result{}, failure(s, err)
	}
	defer unpacked.Close()

	wire := x.client.wire
	options := records.Options{
		Map: wire.Export.Map, Envelope: wire.Envelope, Wanted: x.query.Kinds, Asked: asked, Memory: &x.memory,
		IsLines: typeOfLines.MatchString(s.MediaType),
	}
	reader := records.NewReader(unpacked, options)
	head := bytes.ToValidUTF8(reader.Head, []byte("\uFFFD"))
	for kind, record := range reader.All() {
		if !slices.Contains(x.query.Kinds, kind) {
			continue
		}
		x.result.Counts[kind]++
		if !yield(kind, record) {
			return records.Result{}, errors.New("no more records are taken")
		}
	}
	x.result.InvalidUTF8 += reader.Result.Replaced

	return reader.Result, x.client.checkEnd(s, reader, options, head)
}

// pageTypes are the media types of pages for people, and of what gateways answer, and how they begin. An
// empty one would pass for a day without records.
var pageTypes = map[string]string{"text/html": "<", "application/xhtml+xml": "<", "application/xml": "<", "text/xml": "<"}

// checkEnd returns the error of an answer that was not read to the end of the day. A length, the last
// chunk, or the last bracket of a single JSON value proves it, but not the end of a compressed stream:
// another one may follow. head is the beginning of its text.
func (c *Client) checkEnd(s transport.Answer, reader *records.Reader, options records.Options, head []byte) error {
	err := cmp.Or(s.Body.Failure, reader.Err)

	begin := cmp.Or(string(bytes.TrimLeft(head, "\uFEFF \t\r\n")), pageTypes[s.MediaType])
	isDelimited := reader.Result.Closed || s.Body.IsDelimited
	switch {
	case strings.HasPrefix(begin, "<"):
		return transport.PageError(s, head)
	case err == nil && !isDelimited:
		return failure(s, io.ErrUnexpectedEOF)
	case err == nil:
		return s.EndError(c.wire.Ignored)
	}

	options.Memory = nil // that of a trial

	return failure(s, c.wire.advise(err, infer.Export(infer.Answer{Body: head}), func(with Wire) bool {
		options.Map, options.Envelope = with.Export.Map, with.Envelope
		return readHead(head, options)
	}))
}

// readHead reports whether the beginning of an answer can be read: to its end, or to a cut behind a record.
func readHead(head []byte, options records.Options) bool {
	reader := records.NewReader(bytes.NewReader(head), options)
	n := 0
	for range reader.All() {
		n++
	}
	isCut := n > 0 && len(head) == records.LimitHead && errors.Is(reader.Err, io.ErrUnexpectedEOF)

	return isCut || reader.Err == nil
}

// ParseDay parses a UTC date, YYYY-MM-DD and nothing else (section 4, Export).
func ParseDay(text string) (time.Time, error) {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil || day.Format(time.DateOnly) != text {
		return time.Time{}, errors.New("has to be a date that exists, written YYYY-MM-DD, such as 2026-01-31")
	}
	return day, nil
}

// FormatDay returns the UTC date of an instant.
func FormatDay(t time.Time) string { return t.UTC().Format(time.DateOnly) }
