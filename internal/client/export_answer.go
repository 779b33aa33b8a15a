// SPDX-License-Identifier: MPL-2.0

package client

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/records"
)

// exportAnswer is the answer to an export. It keeps the first LimitError bytes that are written to
// it, which are those without its compression.
type exportAnswer struct {
	transport.Answer

	head []byte
}

func (s *exportAnswer) Write(p []byte) (int, error) {
	if room := transport.LimitError - len(s.head); room > 0 {
		s.head = append(s.head, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

// text returns the beginning of the answer.
func (s *exportAnswer) text() []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(s.head, []byte("\uFEFF")))
}

// split passes the records of the answer to emit, and returns in how many of them invalid
// UTF-8 was replaced. Errors are *Error, or those of emit as they are.
//
// The end of the answer counts as the end of the day only where that is proven: by a
// length, by the last chunk, or by the last bracket of a single JSON value. The end of a
// compressed stream proves nothing, since another one may follow it.
func (s *exportAnswer) split(o records.Options, emit func(records.Kind, jsontext.Value) error) (mended int64, err error) {
	if s.Response.StatusCode == http.StatusNoContent {
		return 0, nil
	}

	unpacked, err := s.Unpacked()
	if err != nil {
		return 0, s.judge(err)
	}
	defer unpacked.Close()

	var refused error
	res, err := records.Read(io.TeeReader(unpacked, s), o, func(k records.Kind, record jsontext.Value) error {
		refused = emit(k, record)
		return refused
	})
	if refused != nil {
		return 0, refused
	}

	if err == nil && !res.Closed && !s.IsDelimited() {
		err = records.ErrTruncated
	}
	if err != nil {
		return 0, s.judge(err)
	}

	// An empty page does not come from the service, and would pass for a day without records.
	pages := []string{"text/html", "application/xhtml+xml", "application/xml", "text/xml"}
	if t := transport.MediaType(s.Response); len(s.text()) == 0 && slices.Contains(pages, t) {
		e := s.Call.Fail(transport.ClassNotJSON, s.Response.StatusCode, "the answer is an empty page of type "+t)
		e.Code = t
		return 0, e
	}

	return res.Mended, s.checkTrailer(o.Ignored)
}

// harmlessTrailers are trailer fields that say nothing about whether the answer is whole.
var harmlessTrailers = []string{"Content-Digest", "Repr-Digest", "Digest", "Content-Md5", "Etag", "Date", "Server-Timing"}

// checkTrailer returns an error for a trailer field that is not recognised: with one, a
// service says that it failed after it had begun to answer.
func (s *exportAnswer) checkTrailer(ignored []string) error {
	for name, values := range s.Response.Trailer {
		if strings.Join(values, "") == "" || slices.Contains(harmlessTrailers, name) || containsFold(ignored, name) {
			continue
		}
		return s.Call.Fail(transport.ClassPayload, s.Response.StatusCode, "the answer ends with the trailer field "+name+", which may say that it failed; "+answer.Ignoring(ignoredMembers, name))
	}
	return nil
}

// ignoredMembers is the setting that ignores what is not recognised around the records: members,
// and header and trailer fields.
const ignoredMembers = "wire.export_ignored_members"

// containsFold reports whether a name is in a list, in upper or lower case.
func containsFold(list []string, name string) bool {
	return slices.ContainsFunc(list, func(entry string) bool { return strings.EqualFold(entry, name) })
}

// judge returns the *Error for what ended the reading of the answer. What broke off may be
// whole when it is read again from the beginning.
func (s *exportAnswer) judge(err error) *transport.Error {
	status := s.Response.StatusCode
	switch {
	case errors.Is(err, transport.ErrNothing):
		return s.Call.Fail(transport.ClassPayload, status, err.Error())
	case errors.Is(err, records.ErrShape) && s.isMarkup():
		return s.Call.PageError(s.Response, s.head)
	case errors.Is(err, records.ErrTruncated):
		return s.Call.Fail(transport.ClassTruncated, status, "the export ends in the middle, or nothing shows that it is complete")
	case errors.Is(err, io.ErrUnexpectedEOF), s.NetworkError() != nil:
		e := s.Call.TransportError(err)
		e.Status = status
		return e
	}

	class, detail := transport.ClassPayload, err.Error()
	refusal, refused := errors.AsType[*answer.Error](err)
	switch {
	case errors.Is(err, records.ErrTooLarge):
		class = transport.ClassTooLarge
	case errors.Is(err, records.ErrUTF8):
		detail += "; wire.export_invalid_utf8 = \"replace\" replaces such bytes and counts the records"
	case refused, errors.Is(err, records.ErrShape), errors.Is(err, records.ErrSyntax), errors.Is(err, records.ErrRepeatedName), errors.Is(err, records.ErrFollowed):
	default:
		return s.Call.Fail(transport.ClassPayload, status, transport.ErrCoding.Error())
	}

	e := s.Call.Fail(class, status, detail+"; the answer is "+s.Call.MediaType(s.Response))
	if refused {
		e.Cause = refusal
	}

	return e
}

// isMarkup reports whether the answer is a page for people, by what it is and not by
// what it is called.
func (s *exportAnswer) isMarkup() bool {
	begin := bytes.ToLower(s.text())
	return bytes.HasPrefix(begin, []byte("<!doctype")) || bytes.HasPrefix(begin, []byte("<html")) ||
		transport.MediaType(s.Response) == "text/html" && bytes.HasPrefix(begin, []byte("<"))
}
