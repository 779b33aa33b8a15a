// SPDX-License-Identifier: MPL-2.0

package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"hash/maphash"
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
	// only with Wire.ExportRecordMember, are always exported.
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
	// replaced; see Wire.ExportInvalidUTF8.
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

// ExportSink takes the records of a day, in the order of the answer. Its errors end the export
// and are returned as they are.
type ExportSink interface {
	// Restart discards every record so far: the day is read from its beginning again.
	Restart() error
	// Record takes one record. It must not keep record, whose memory is used again.
	Record(kind records.Kind, record jsontext.Value) error
}

// limitExport bounds an export, which may otherwise come byte by byte for ever.
const limitExport = 24 * time.Hour

// Export is GET …/export for one UTC day (section 4, Export). It reads the answer as it
// comes, in constant memory, and passes its records to the sink. With
// wire.export_kind_parameter it sends one request for each kind, otherwise one whose answer
// is split by its shape.
//
// An answer that breaks off is read again from its beginning, as often as a request is
// repeated, and never passes for a short day: without an error the day was read to its end.
// Errors are *Error, or the sink's.
func (c *Client) Export(ctx context.Context, scope Scope, q ExportQuery, sink ExportSink) (ExportResult, error) {
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

	x := &exporting{client: c, to: to, query: q, sink: sink}
	for retry := 0; ; retry++ {
		err := x.read(ctx)
		e, failed := errors.AsType[*transport.Error](err)
		if !failed {
			return x.result, err
		}
		if ctx.Err() != nil && whole.Err() == nil {
			e.Class, e.Detail, e.Cause = transport.ClassTimeout, "the export did not end within "+limitExport.String(), nil
			return x.result, e
		}

		// An answer that had begun has a status.
		brokeOff := e.Status/100 == 2 && transport.IsClass(e, transport.ClassConnectionLost, transport.ClassTimeout, transport.ClassTruncated)
		if !brokeOff || retry == c.config.MaxRetries {
			return x.result, e
		}

		if err := transport.Pause(ctx, transport.BackoffAfter(retry, 0)); err != nil {
			e := transport.Interrupted(opExport, to, err)
			e.Attempts = x.attempts
			return x.result, e
		}
		if err := sink.Restart(); err != nil {
			return x.result, err
		}
	}
}

// exporting is a day while it is read.
type exporting struct {
	client *Client
	to     transport.Endpoint
	query  ExportQuery
	sink   ExportSink

	attempts int // of all reads
	result   ExportResult
	prints   []fingerprint
}

// fingerprint identifies the records of an answer, in any order of them and of their members.
type fingerprint struct {
	count int64
	sum   uint64
}

// printSeed is the same for all fingerprints, so that they can be compared.
var printSeed = maphash.MakeSeed()

// read reads the day from its beginning: the answer to one request, or to one for each kind.
func (x *exporting) read(ctx context.Context) error {
	x.result, x.prints = ExportResult{}, nil

	wire, asked := x.client.config.Wire, []records.Kind{records.Unknown}
	if wire.ExportKindParameter != "" {
		asked = slices.DeleteFunc(slices.Clone(records.Kinds), func(k records.Kind) bool { return !x.query.wants(k) })
	}

	query := url.Values{"utcDate": {FormatDay(x.query.Day)}}
	for _, k := range asked {
		if k != records.Unknown {
			query.Set(wire.ExportKindParameter, listed(wire.ExportKindValues)[slices.Index(records.Kinds, k)])
		}

		err := x.part(ctx, query, k)
		if e, ok := errors.AsType[*transport.Error](err); ok && e.Operation == opExport.Name {
			e.Attempts += x.attempts
			x.attempts = e.Attempts
		}
		if err != nil {
			return err
		}
	}

	return nil
}

// part reads the answer to one request. asked is the kind that the request asks for;
// Unknown where it asks for all.
func (x *exporting) part(ctx context.Context, query url.Values, asked records.Kind) error {
	s, err := x.client.sender.Do(ctx, transport.Request{Op: opExport, To: x.to, Payload: transport.Payload{Query: query.Encode()}})
	if err != nil {
		return err
	}
	defer s.Response.Body.Close()

	wire := x.client.config.Wire
	options := records.Options{
		Asked:          asked,
		RecordMember:   wire.ExportRecordMember,
		Ignored:        listed(wire.ExportIgnoredMembers),
		ReplaceInvalid: wire.ExportInvalidUTF8 == InvalidReplace,
	}
	if err := x.checkHead(s, options.Ignored); err != nil {
		return err
	}

	var printed fingerprint
	mended, err := splitExport(s, options, func(kind records.Kind, record jsontext.Value) error {
		if asked != records.Unknown {
			ordered := record.Clone()
			_ = ordered.Format(jsontext.ReorderRawObjects(true), jsontext.AllowInvalidUTF8(true)) // it is valid
			printed.count++
			printed.sum += maphash.Bytes(printSeed, ordered)
		}
		if !x.query.wants(kind) {
			return nil
		}

		x.result.Counts[kind]++

		return x.sink.Record(kind, record)
	})
	if err != nil {
		return err
	}

	x.result.InvalidUTF8 += mended

	// A second answer with the same records: the service ignores the parameter that selects a
	// kind, and answers everything each time.
	if printed.count > 0 && slices.Contains(x.prints, printed) {
		return s.Call.Fail(transport.ClassPayload, s.Status, "the answers for two kinds hold the same records; "+records.KindSettings)
	}
	x.prints = append(x.prints, printed)

	return nil
}

// checkHead judges an answer by its header, and notes the time of the service's clock. Where only
// a finished day is wanted, one that is not over by that clock is refused; without a date, this
// machine's clock alone decides.
func (x *exporting) checkHead(s transport.Answer, ignored []string) error {
	if class, detail := headProblem(s.Response, ignored); detail != "" {
		return s.Call.Fail(class, s.Status, detail)
	}

	date, err := http.ParseTime(s.Response.Header.Get("Date"))
	if err != nil {
		return nil //nolint:nilerr // not a date
	}

	if x.result.Date.IsZero() || date.Before(x.result.Date) {
		x.result.Date = date
	}
	if x.query.Finished && !isOver(x.query.Day, date) {
		return s.Call.Fail(transport.ClassNotReady, s.Status,
			"by the service's clock it is "+date.UTC().Format("2006-01-02 15:04")+" UTC, so the day "+FormatDay(x.query.Day)+" is not over")
	}

	return nil
}

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
		detail = "a Content-Range header says that the answer is a part of the day; " + answer.Ignoring(ignoredMembers, "Content-Range")
	case transport.HasNextLink(header) && !containsFold(ignored, "Link"):
		detail = "a Link header says that there is more, and the interface has no way to ask for it; " + answer.Ignoring(ignoredMembers, "Link")
	}

	return transport.ClassPayload, detail
}

// splitExport passes the records of an answer to emit, and returns in how many of them invalid
// UTF-8 was replaced. Errors are *Error, or those of emit as they are.
//
// The end of the answer counts as the end of the day only where that is proven: by a
// length, by the last chunk, or by the last bracket of a single JSON value. The end of a
// compressed stream proves nothing, since another one may follow it; a decoder may even take the
// end of the connection for it.
func splitExport(s transport.Answer, o records.Options, emit func(records.Kind, jsontext.Value) error) (mended int64, err error) {
	if s.Status == http.StatusNoContent {
		return 0, nil
	}

	unpacked, err := s.Unpacked()
	if err != nil {
		return 0, streamError(s, err)
	}
	defer unpacked.Close()

	text := bufio.NewReaderSize(unpacked, transport.LimitError)
	head, _ := text.Peek(transport.LimitError) // an error comes again
	if isPage(transport.MediaType(s.Response), head) && s.NetworkError() == nil {
		return 0, s.Call.PageError(s.Response, head)
	}

	var refused error
	res, err := records.Read(text, o, func(k records.Kind, record jsontext.Value) error {
		refused = emit(k, record)
		return refused
	})
	if refused != nil {
		return 0, refused
	}
	if err == nil && (s.NetworkError() != nil || !res.Closed && !s.IsDelimited()) {
		err = records.ErrTruncated
	}
	if err != nil {
		return 0, streamError(s, err)
	}

	// With a trailer field that is not recognised, a service may say that it failed after it had
	// begun to answer.
	for name, values := range s.Response.Trailer {
		if strings.Join(values, "") != "" && !slices.Contains(harmlessTrailers, name) && !containsFold(o.Ignored, name) {
			return 0, s.Call.Fail(transport.ClassPayload, s.Status,
				"the answer ends with the trailer field "+name+", which may say that it failed; "+answer.Ignoring(ignoredMembers, name))
		}
	}

	return res.Mended, nil
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

// ignoredMembers is the setting that ignores what is not recognised around the records: members,
// and header and trailer fields.
const ignoredMembers = "wire.export_ignored_members"

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
