package client

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// split passes the records of the answer to emit, and returns in how many of them invalid
// UTF-8 was replaced. Errors are *Error, or those of emit as they are.
//
// The end of the answer counts as the end of the day only where that is proven: by a
// length, by the last chunk, or by the last bracket of a single JSON value. The end of a
// compressed stream proves nothing, since another one may follow it.
func (s *streamed) split(o records.Options, emit func(records.Kind, jsontext.Value) error) (mended int64, err error) {
	if s.resp.StatusCode == http.StatusNoContent {
		return 0, nil
	}

	body := &noted{Reader: s.resp.Body}
	unpacked, err := s.unpacked(body)
	if err != nil {
		return 0, s.judge(err, body)
	}
	defer unpacked.Close()

	res, err := s.splitText(unpacked, o, emit)
	if own, ok := errors.AsType[*sinkError](err); ok {
		return 0, own.error
	}
	if err != nil {
		return 0, s.judge(err, body)
	}
	if res.Counts.Total() == 0 && len(bytes.TrimSpace(s.head.bytes)) == 0 {
		return 0, s.checkEmpty()
	}

	return res.Mended, s.checkTrailer(o.Ignored)
}

// splitText splits the text of the answer. The error is a *sinkError where it is one of
// emit, and records.ErrTruncated where nothing proves that the text is complete.
func (s *streamed) splitText(text io.Reader, o records.Options, emit func(records.Kind, jsontext.Value) error) (records.Result, error) {
	ahead := readAhead(io.TeeReader(text, &s.head))
	defer s.stop(ahead)

	res, err := records.Read(ahead, o, func(k records.Kind, record jsontext.Value) error {
		if err := emit(k, record); err != nil {
			return &sinkError{err}
		}
		return nil
	})

	if err == nil && !res.Closed && !s.delimited() {
		err = records.ErrTruncated
	}

	return res, err
}

type sinkError struct{ error }

// opening returns the first character of the answer; 0 where it has none.
func (s *streamed) opening() byte {
	text := bytes.TrimSpace(bytes.TrimPrefix(s.head.bytes, []byte("\uFEFF")))
	if len(text) == 0 {
		return 0
	}
	return text[0]
}

// checkEmpty returns an error for an empty page: it does not come from the service, and
// would pass for a day without records.
func (s *streamed) checkEmpty() error {
	switch t := mediaType(s.resp); t {
	case "text/html", "application/xhtml+xml", "application/xml", "text/xml":
		e := s.call.fail(ClassNotJSON, s.resp.StatusCode, "the answer is an empty page of type "+t)
		e.Code = t
		return e
	}
	return nil
}

// harmlessTrailers are trailer fields that say nothing about whether the answer is whole.
var harmlessTrailers = []string{"Content-Digest", "Repr-Digest", "Digest", "Content-Md5", "Etag", "Date", "Server-Timing"}

// checkTrailer returns an error for a trailer field that is not recognised: with one, a
// service says that it failed after it had begun to answer.
func (s *streamed) checkTrailer(ignored []string) error {
	for name, values := range s.resp.Trailer {
		if strings.Join(values, "") == "" || slices.Contains(harmlessTrailers, name) || containsFold(ignored, name) {
			continue
		}
		return s.call.fail(ClassPayload, s.resp.StatusCode, "the answer ends with the trailer field "+name+", which may say that it failed; "+ignoring(name))
	}
	return nil
}

// ignoring returns the advice for what is not recognised around the records. names are
// those of members, or of header or trailer fields.
func ignoring(names ...string) string {
	setting := "wire.export_ignored_members"
	if len(names) > 0 {
		setting += " = " + strconv.Quote(strings.Join(names, ","))
	}
	return "if it says nothing about the records, set " + setting
}

// containsFold reports whether a name is in a list, in upper or lower case.
func containsFold(list []string, name string) bool {
	return slices.ContainsFunc(list, func(entry string) bool { return strings.EqualFold(entry, name) })
}

// judge returns the *Error for what ended the reading of body.
func (s *streamed) judge(err error, body *noted) *Error {
	status := s.resp.StatusCode
	if errors.Is(err, errPanic) {
		return s.call.fail(ClassInternal, status, "reading the answer ended in a panic")
	}
	if errors.Is(err, records.ErrShape) && s.isMarkup() {
		return s.call.pageError(s.resp, s.head.bytes)
	}
	if e := s.brokenOff(err, body); e != nil {
		return e
	}

	class, detail := ClassPayload, err.Error()
	refusal, refused := errors.AsType[*records.RefusalError](err)
	switch {
	case refused:
		detail += "; " + advice(refusal)
	case errors.Is(err, errNothing):
		return s.call.fail(ClassPayload, status, detail)
	case errors.Is(err, records.ErrTooLarge):
		class = ClassTooLarge
	case errors.Is(err, records.ErrUTF8):
		detail += "; wire.export_invalid_utf8 = \"replace\" replaces such bytes and counts the records"
	case errors.Is(err, records.ErrShape), errors.Is(err, records.ErrSyntax), errors.Is(err, records.ErrRepeatedName), errors.Is(err, records.ErrFollowed):
	default:
		return s.call.fail(ClassPayload, status, errCoding.Error())
	}

	e := s.call.fail(class, status, detail+"; the answer is "+s.call.mediaType(s.resp))
	e.Unrecognised = refusal

	return e
}

// brokenOff returns the error of an answer that broke off; nil where it did not. Reading
// the answer again from the beginning may help.
func (s *streamed) brokenOff(err error, body *noted) *Error {
	var e *Error
	switch {
	case errors.Is(err, records.ErrTruncated):
		e = s.call.fail(ClassTruncated, 0, "the export ends in the middle, or nothing shows that it is complete")
	case errors.Is(err, io.ErrUnexpectedEOF), body.err != nil:
		e = s.call.transportError(err)
	default:
		return nil
	}

	e.Status = s.resp.StatusCode
	e.midway = IsClass(e, ClassConnectionLost, ClassTimeout, ClassTruncated)

	return e
}

// kindSettings is the advice for records of the wrong kind.
const kindSettings = "compare wire.export_kind_parameter and wire.export_kind_values with what your service expects"

// advice returns the settings that admit what is not recognised in an answer.
func advice(r *records.RefusalError) string {
	const recordMember = "wire.export_record_member names a member that every record has"

	switch {
	case errors.Is(r.Reason, records.ErrNoRecord) && r.List != "":
		return recordMember + "; if the list holds no records, set wire.export_ignored_members = " + strconv.Quote(r.List)
	case errors.Is(r.Reason, records.ErrNoRecord), errors.Is(r.Reason, records.ErrNoList):
		return "if the object is a record, " + recordMember
	case errors.Is(r.Reason, records.ErrMember):
		return ignoring(r.Members...) + "; if the object is itself a record, " + recordMember
	case errors.Is(r.Reason, records.ErrOtherKind) && len(r.Members) == 0:
		return kindSettings
	}

	return ignoring(r.Members...)
}

// isMarkup reports whether the answer is a page for people, by what it is and not by
// what it is called.
func (s *streamed) isMarkup() bool {
	begin := bytes.ToLower(bytes.TrimSpace(bytes.TrimPrefix(s.head.bytes, []byte("\uFEFF"))))
	return bytes.HasPrefix(begin, []byte("<!doctype")) || bytes.HasPrefix(begin, []byte("<html")) ||
		mediaType(s.resp) == "text/html" && bytes.HasPrefix(begin, []byte("<"))
}
