package client

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"

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
	if s.resp.ContentLength == 0 {
		return 0, s.checkEmpty()
	}

	body := &noted{Reader: &rateFloor{Reader: s.resp.Body, floor: s.floor}}
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

	return res.Mended, nil
}

// splitText splits the text of the answer. The error is a *sinkError where it is one of
// emit, and records.ErrTruncated where nothing proves that the text is complete.
func (s *streamed) splitText(text io.Reader, o records.Options, emit func(records.Kind, jsontext.Value) error) (records.Result, error) {
	ahead := readAhead(io.TeeReader(text, &s.head))
	defer s.stop(ahead)

	o.Lines = s.isLines()
	res, err := records.Split(ahead, o, func(k records.Kind, record jsontext.Value) error {
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

// isLines reports whether the answer is declared to be a record on each line.
func (s *streamed) isLines() bool {
	switch mediaType(s.resp) {
	case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines", "application/json-lines":
		return true
	}
	return false
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

// judge returns the *Error for what ended the reading of body.
func (s *streamed) judge(err error, body *noted) *Error {
	status := s.resp.StatusCode
	if errors.Is(err, errPanic) || errors.Is(err, records.ErrPanic) {
		return s.call.fail(ClassInternal, status, "reading the answer ended in a panic")
	}
	if errors.Is(err, records.ErrShape) && s.isMarkup() {
		return s.call.pageError(s.resp, s.head.bytes)
	}
	if e := s.brokenOff(err, body); e != nil {
		return e
	}

	for _, f := range recordFailures {
		if errors.Is(err, f.err) {
			return s.call.fail(f.class, status, err.Error()+f.setting+"; the answer is "+s.call.mediaType(s.resp))
		}
	}

	return s.call.fail(ClassPayload, status, errCoding.Error())
}

// brokenOff returns the error of an answer that broke off; nil where it did not. Reading
// the answer again from the beginning may help.
func (s *streamed) brokenOff(err error, body *noted) *Error {
	var e *Error
	switch {
	case errors.Is(err, errTooSlow):
		e = s.call.fail(ClassTimeout, 0, "the answer came more slowly than wire.export_min_rate ("+strconv.FormatInt(s.floor, 10)+" bytes per second) allows")
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

// Settings that change how records are read, for the end of a message.
const (
	kindSettings    = "compare wire.export_kind_parameter and wire.export_kind_values with what your service expects"
	envelopeSetting = "; where the records are inside of a single object, wire.export_shape = \"envelope\" says so"
	shapeSetting    = "; set wire.export_shape to \"records\" or \"envelope\""
	ignoredSetting  = "; where that member means something else, name it in wire.export_ignored_members"
	utf8Setting     = "; wire.export_invalid_utf8 = \"replace\" replaces such bytes and counts the records"
)

// recordFailures are the classes of the errors about records, and the settings that may
// help.
var recordFailures = []struct {
	err     error
	class   ErrorClass
	setting string
}{
	{records.ErrTooLarge, ClassTooLarge, envelopeSetting},
	{records.ErrOtherKind, ClassPayload, "; " + kindSettings},
	{records.ErrFailed, ClassRejected, ignoredSetting},
	{records.ErrUnfinished, ClassNotReady, ignoredSetting},
	{records.ErrPage, ClassPayload, ignoredSetting},
	{records.ErrElsewhere, ClassPayload, ignoredSetting},
	{records.ErrNoRecord, ClassPayload, ""},
	{records.ErrAmbiguous, ClassPayload, shapeSetting},
	{records.ErrUTF8, ClassPayload, utf8Setting},
	{records.ErrShape, ClassPayload, ""},
	{records.ErrSyntax, ClassPayload, ""},
	{records.ErrRepeatedName, ClassPayload, ""},
}

// isMarkup reports whether the answer is a page for people, by what it is and not by
// what it is called.
func (s *streamed) isMarkup() bool {
	begin := bytes.ToLower(bytes.TrimSpace(bytes.TrimPrefix(s.head.bytes, []byte("\uFEFF"))))
	return bytes.HasPrefix(begin, []byte("<!doctype")) || bytes.HasPrefix(begin, []byte("<html")) ||
		mediaType(s.resp) == "text/html" && bytes.HasPrefix(begin, []byte("<"))
}
