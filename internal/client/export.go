// SPDX-License-Identifier: MPL-2.0

package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"hash/maphash"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

var opExport = transport.Operation{Name: "Export records", Method: http.MethodGet, Path: "/export", Streams: true}

// errNoExport is the error of an export in the older path family (section 4).
var errNoExport = errors.New("the export does not exist in the account path family; set org_id and project_id, here or in the provider block")

// ExportQuery selects the records of an export.
type ExportQuery struct {
	// Day is the UTC date, as ParseDay returns it.
	Day time.Time
	// Kinds are the wanted kinds; none means all. Records of unknown kind, which there are
	// only with Wire.Export.Record, are always exported.
	Kinds []records.Kind
	// Finished makes the export fail where the Date of an answer shows that the day is not
	// over by the service's clock.
	Finished bool
}

// wants reports whether records of a kind are exported.
func (q ExportQuery) wants(k records.Kind) bool {
	return k == records.Unknown || len(q.Kinds) == 0 || slices.Contains(q.Kinds, k)
}

// ExportResult describes a day that was read to its end.
type ExportResult struct {
	Counts records.Counts
	// InvalidUTF8 is the number of records in which bytes that are no UTF-8 were
	// replaced; see Wire.Export.InvalidUTF8.
	InvalidUTF8 int64
	// Date is when the service began to answer, by its own clock; zero where it sent no
	// time. Of several answers it is the earliest.
	Date time.Time
}

// Over reports whether the day was over when it was read, by the service's clock and by
// this machine's, according to which it is today.
func (r ExportResult) Over(day, today time.Time) bool {
	return day.Before(today) && (r.Date.IsZero() || isOver(day, r.Date))
}

func isOver(day, now time.Time) bool { return !now.Before(day.AddDate(0, 0, 1)) }

// Records yields the records of a day in the order of the answer, each until the next one is taken.
type Records = iter.Seq2[records.Kind, jsontext.Value]

// limitExport bounds an export, which may otherwise come byte by byte for ever.
const limitExport = 24 * time.Hour

// Export is GET …/export for one UTC day (section 4, Export). It calls read, which takes the
// records as they come, in constant memory. With wire.export.kind_parameter it sends one request
// for each kind, otherwise one whose answer is split by its shape.
//
// After an answer that broke off, it calls read again with the day from its beginning, as often
// as a request is repeated. The result is that of the last call. Errors are *Error, or read's as
// it is; without one the day was read to its end, unless read stopped before.
func (c *Client) Export(ctx context.Context, scope Scope, q ExportQuery, read func(Records) error) (ExportResult, error) {
	to, err := scope.endpoint(opExport)
	if err != nil {
		return ExportResult{}, err
	}
	if scope.Account() {
		return ExportResult{}, transport.Invalid(opExport, errNoExport)
	}

	whole := ctx
	ctx, cancel := context.WithTimeout(ctx, limitExport)
	defer cancel()

	x := &exporting{client: c, to: to, query: q, take: read}
	err = c.sender.Repeat(ctx, transport.About(opExport, to), x.read)
	if e, failed := errors.AsType[*transport.Error](err); failed && ctx.Err() != nil && whole.Err() == nil {
		e.Class, e.Detail, e.Cause = transport.ClassTimeout, "the export did not end within "+limitExport.String(), nil
	}

	return x.result, err
}

// exporting is a day while it is read.
type exporting struct {
	client *Client
	to     transport.Endpoint
	query  ExportQuery

	take   func(Records) error
	result ExportResult
	prints []fingerprint
	err    error // *Error; nil if the day was read to its end
}

// fingerprint identifies the records of an answer, in any order of them and of their members.
type fingerprint struct {
	count int64
	sum   uint64
}

// printSeed is the same for all fingerprints, so that they can be compared.
var printSeed = maphash.MakeSeed()

// add adds a record.
func (f *fingerprint) add(record jsontext.Value) {
	ordered := record.Clone()
	_ = ordered.Format(jsontext.ReorderRawObjects(true), jsontext.AllowInvalidUTF8(true)) // it is valid
	f.count++
	f.sum += maphash.Bytes(printSeed, ordered)
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
	x.result, x.prints, x.err = ExportResult{}, nil, nil

	wire, asked := x.client.config.Wire, []records.Kind{records.Unknown}
	if wire.Export.KindParameter != "" {
		asked = slices.DeleteFunc(slices.Clone(records.Kinds), func(k records.Kind) bool { return !x.query.wants(k) })
	}

	return func(yield func(records.Kind, jsontext.Value) bool) {
		for _, kind := range asked {
			if !x.part(ctx, kind, yield) {
				return
			}
		}
	}
}

// part yields the records of the answer to one request, and reports whether it was read to its end.
// asked is the kind that the request asks for; Unknown where it asks for all.
func (x *exporting) part(ctx context.Context, asked records.Kind, yield func(records.Kind, jsontext.Value) bool) bool {
	s, err := x.request(ctx, asked)
	if err != nil {
		return x.fail(err)
	}
	defer s.Response.Body.Close()

	if s.Status == http.StatusNoContent {
		return true
	}
	text, err := pageless(s)
	if err != nil {
		return x.fail(err)
	}
	defer text.Close()

	var printed fingerprint
	reader := records.NewReader(text, x.options(asked))
	for kind, record := range reader.All() {
		if asked != records.Unknown {
			printed.add(record)
		}
		if !x.query.wants(kind) {
			continue
		}

		x.result.Counts[kind]++
		if !yield(kind, record) {
			return false
		}
	}
	if err := x.checkEnd(s, reader); err != nil {
		return x.fail(err)
	}
	x.result.InvalidUTF8 += reader.Result().Mended

	// A second answer with the same records: the service ignores the parameter that selects a
	// kind, and answers everything each time.
	if printed.count > 0 && slices.Contains(x.prints, printed) {
		return x.fail(transport.NewError(s.Exchange, transport.ClassPayload, "the answers for two kinds hold the same records; "+records.KindSettings))
	}
	x.prints = append(x.prints, printed)

	return true
}

// fail ends the reading with an error.
func (x *exporting) fail(err error) bool {
	x.err = err
	return false
}

// request sends the request for one kind, and returns the beginning of its answer.
func (x *exporting) request(ctx context.Context, asked records.Kind) (transport.Answer, error) {
	query := url.Values{"utcDate": {FormatDay(x.query.Day)}}
	if wire := x.client.config.Wire; asked != records.Unknown {
		query.Set(wire.Export.KindParameter, wire.Export.KindValues[KindKey(asked)])
	}

	s, err := x.client.sender.Do(ctx, transport.Request{Op: opExport, To: x.to, Payload: transport.Payload{Query: query.Encode()}})
	if err != nil {
		return s, err
	}
	if err := x.checkHead(s); err != nil {
		s.Response.Body.Close()
		return s, err
	}

	return s, nil
}

// options returns what the settings say about an answer.
func (x *exporting) options(asked records.Kind) records.Options {
	wire := x.client.config.Wire

	return records.Options{
		Asked:          asked,
		RecordMember:   recordMember(wire),
		Ignored:        x.ignored(),
		ReplaceInvalid: wire.Export.InvalidUTF8 == InvalidReplace,
	}
}

// checkHead judges an answer by its header, and notes the time of the service's clock. Where only
// a finished day is wanted, one that is not over by that clock is refused; without a date, this
// machine's clock alone decides.
func (x *exporting) checkHead(s transport.Answer) error {
	if class, detail := headProblem(s.Response, x.ignored()); detail != "" {
		return transport.NewError(s.Exchange, class, detail)
	}

	date, err := http.ParseTime(s.Response.Header.Get("Date"))
	if err != nil {
		return nil //nolint:nilerr // not a date
	}

	if x.result.Date.IsZero() || date.Before(x.result.Date) {
		x.result.Date = date
	}
	if x.query.Finished && !isOver(x.query.Day, date) {
		return transport.NewError(s.Exchange, transport.ClassNotReady,
			"by the service's clock it is "+date.UTC().Format("2006-01-02 15:04")+" UTC, so the day "+FormatDay(x.query.Day)+" is not over")
	}

	return nil
}

// ignored returns the names of what is ignored around the records.
func (x *exporting) ignored() []string { return x.client.config.Wire.ignoredNames() }

// headProblem says why an answer is not that of a day; empty if its header does not. Only 200 and
// 204 answer an export, and only as a whole: anything else would pass for a day without records,
// or with too few.
func headProblem(resp *http.Response, ignored []string) (class transport.ErrorClass, detail string) {
	switch status, header := resp.StatusCode, resp.Header; {
	case status == http.StatusAccepted:
		detail = "the service accepted the request and has not prepared the day: the export is not ready yet"
		// The wait is shown and not kept, so that the bounds of retries do not apply.
		wait := transport.ParseRetryAfter(header.Get("Retry-After"), time.Now(), 24*time.Hour)
		if wait = wait.Round(time.Second); wait > 0 {
			detail += "; the service asks to come back in " + wait.String()
		}
		return transport.ClassNotReady, detail

	case status == http.StatusPartialContent:
		detail = "the answer is a part of the day, which was not asked for"
	case status != http.StatusOK && status != http.StatusNoContent:
		detail = "the status is no answer to an export; only 200 and 204 are"
	case header.Get("Content-Range") != "" && !containsFold(ignored, "Content-Range"):
		detail = "a Content-Range header says that the answer is a part of the day; " + answer.Ignoring("Content-Range")
	case transport.HasNextLink(header) && !containsFold(ignored, "Link"):
		detail = "a Link header says that there is more, and the interface has no way to ask for it; " + answer.Ignoring("Link")
	}

	return transport.ClassPayload, detail
}

// pageless returns the text of an answer without its compression. The error is that of a page for
// people.
func pageless(s transport.Answer) (io.ReadCloser, error) {
	unpacked, err := s.Unpacked()
	if err != nil {
		return nil, streamError(s, err)
	}

	text := bufio.NewReaderSize(unpacked, transport.LimitError)
	head, _ := text.Peek(transport.LimitError) // an error comes again
	if isPage(s.MediaType(), head) && s.NetworkError() == nil {
		unpacked.Close()
		return nil, transport.PageError(s, head)
	}

	return struct {
		io.Reader
		io.Closer
	}{text, unpacked}, nil
}

// checkEnd returns the error of an answer that was not read to the end of the day.
//
// The end of the answer counts as the end of the day only where that is proven: by a
// length, by the last chunk, or by the last bracket of a single JSON value. The end of a
// compressed stream proves nothing, since another one may follow it; a decoder may even take the
// end of the connection for it.
func (x *exporting) checkEnd(s transport.Answer, reader *records.Reader) error {
	err := reader.Err()
	if err == nil && (s.NetworkError() != nil || !reader.Result().Closed && !s.IsDelimited()) {
		err = records.ErrTruncated
	}
	if err != nil {
		return streamError(s, err)
	}

	// With a trailer field that is not recognised, a service may say that it failed after it had
	// begun to answer.
	for name, values := range s.Response.Trailer {
		if strings.Join(values, "") != "" && !slices.Contains(harmlessTrailers, name) && !containsFold(x.ignored(), name) {
			return transport.NewError(s.Exchange, transport.ClassPayload,
				"the answer ends with the trailer field "+name+", which may say that it failed; "+answer.Ignoring(name))
		}
	}

	return nil
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

// harmlessTrailers are trailer fields that say nothing about whether the answer is whole.
var harmlessTrailers = []string{"Content-Digest", "Repr-Digest", "Digest", "Content-Md5", "Etag", "Date", "Server-Timing"}

// recordMember returns the name of a member that every record has; empty if none is set.
func recordMember(w Wire) string {
	for _, at := range sorted(w.Export.Record) {
		return at.LastToken()
	}
	return ""
}

// containsFold reports whether a name is in a list, in upper or lower case.
func containsFold(list []string, name string) bool {
	return slices.ContainsFunc(list, func(entry string) bool { return strings.EqualFold(entry, name) })
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
