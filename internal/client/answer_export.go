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

// split hands the records of the answer to emit, and returns in how many of them
// invalid UTF-8 was replaced. It takes the end of the answer for the end of the day only
// where that is proven: by a length, by the last chunk, or by the last bracket of a
// single JSON value. The end of a compressed stream proves nothing, since another one
// may follow it.
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
	ahead := readAhead(io.TeeReader(unpacked, &s.head))
	defer s.stop(ahead) // before what it reads from is closed

	o.Lines = s.isLines()
	res, err := records.Split(ahead, o, func(k records.Kind, record jsontext.Value) error {
		if err := emit(k, record); err != nil {
			return &sinkError{err}
		}
		return nil
	})
	s.stop(ahead)

	if own, ok := errors.AsType[*sinkError](err); ok {
		return 0, own.error
	}
	if err == nil && !res.Closed && !s.delimited() {
		err = records.ErrTruncated
	}
	if err != nil {
		return 0, s.judge(err, body)
	}
	if res.Counts.Total() == 0 && len(bytes.TrimSpace(s.head.bytes)) == 0 {
		return 0, s.checkEmpty()
	}
	return res.Mended, nil
}

// checkEmpty refuses an empty page: it comes from something else than the service, and
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

// isLines reports whether the answer is declared to be a record on each line.
func (s *streamed) isLines() bool {
	switch mediaType(s.resp) {
	case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines", "application/json-lines":
		return true
	}
	return false
}

// judge turns what ended the reading of a body into an *Error.
func (s *streamed) judge(err error, body *noted) *Error {
	status := s.resp.StatusCode
	switch {
	case errors.Is(err, errTooSlow):
		return s.midway(s.call.fail(ClassTimeout, status, "the answer came more slowly than wire.export_min_rate ("+strconv.FormatInt(s.floor, 10)+" bytes per second) allows"))
	case errors.Is(err, errPanic), errors.Is(err, records.ErrPanic):
		return s.call.fail(ClassInternal, status, "reading the answer ended in a panic")
	case errors.Is(err, records.ErrTruncated):
		return s.midway(s.call.fail(ClassTruncated, status, "the export ends in the middle, or nothing shows that it is complete"))
	case errors.Is(err, records.ErrShape) && s.isMarkup():
		e := s.call.fail(ClassNotJSON, status, "the answer is a page that begins with "+strconv.Quote(s.call.redact.excerpt(s.head.bytes)))
		e.Code = mediaType(s.resp)
		return e
	case errors.Is(err, io.ErrUnexpectedEOF), body.err != nil:
		return s.midway(s.call.transportError(err))
	}
	if kind, detail, known := judgeRecords(err); known {
		return s.call.fail(kind, status, detail+"; the answer is "+mediaType(s.resp))
	}
	return s.call.fail(ClassPayload, status, errCoding.Error())
}

// judgeRecords returns what an error about the records of an answer means, and which
// setting changes how they are read. Nothing of the answer is shown: it may be records.
func judgeRecords(err error) (kind ErrorClass, detail string, known bool) {
	for _, j := range []struct {
		err     error
		kind    ErrorClass
		setting string
	}{
		{records.ErrTooLarge, ClassTooLarge, "; where the records are inside of a single object, wire.export_shape = \"envelope\" says so"},
		{records.ErrOtherKind, ClassPayload, "; " + kindSettings},
		{records.ErrFailed, ClassRejected, ignoredSetting},
		{records.ErrUnfinished, ClassNotReady, ignoredSetting},
		{records.ErrPage, ClassPayload, ignoredSetting},
		{records.ErrElsewhere, ClassPayload, ignoredSetting},
		{records.ErrNoRecord, ClassPayload, ""},
		{records.ErrAmbiguous, ClassPayload, "; set wire.export_shape to \"records\" or \"envelope\""},
		{records.ErrUTF8, ClassPayload, "; wire.export_invalid_utf8 = \"replace\" replaces such bytes and counts the records"},
		{records.ErrShape, ClassPayload, ""},
		{records.ErrSyntax, ClassPayload, ""},
		{records.ErrRepeatedName, ClassPayload, ""},
	} {
		if errors.Is(err, j.err) {
			return j.kind, err.Error() + j.setting, true
		}
	}
	return ClassPayload, "", false
}

const ignoredSetting = "; where that member means something else, name it in wire.export_ignored_members"

// isMarkup reports whether the answer is a page for people, by what it is and not by
// what it is called.
func (s *streamed) isMarkup() bool {
	begin := bytes.ToLower(bytes.TrimSpace(bytes.TrimPrefix(s.head.bytes, []byte("\uFEFF"))))
	return bytes.HasPrefix(begin, []byte("<!doctype")) || bytes.HasPrefix(begin, []byte("<html")) ||
		mediaType(s.resp) == "text/html" && bytes.HasPrefix(begin, []byte("<"))
}

type sinkError struct{ error }

// kindSettings names what to compare where the kinds of an answer are wrong.
const kindSettings = "compare wire.export_kind_parameter and wire.export_kind_values with what your service expects"
