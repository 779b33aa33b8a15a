package client

import (
	"net/http"
	"time"
)

// checkHead judges an answer by what precedes its body. Only 200 and 204 answer an
// export, and only as a whole: anything else would pass for a day without records, or
// with too few.
func (x *exporting) checkHead(s *streamed) error {
	resp, status := s.resp, s.resp.StatusCode
	switch {
	case status == http.StatusAccepted:
		return s.notReady()
	case status == http.StatusPartialContent, resp.Header.Get("Content-Range") != "":
		return s.call.fail(ClassPayload, status, "the answer is a part of the day, which was not asked for")
	case status != http.StatusOK && status != http.StatusNoContent:
		return s.call.fail(ClassPayload, status, "the status is no answer to an export; only 200 and 204 are")
	case hasNextLink(resp.Header):
		return s.call.fail(ClassPayload, status, "a Link header says that there is more, and the interface has no way to ask for it")
	}
	return x.checkDate(s)
}

// checkDate notes the service's clock, and refuses a day that is not over by it where
// only a finished one is wanted.
func (x *exporting) checkDate(s *streamed) error {
	date, err := http.ParseTime(s.resp.Header.Get("Date"))
	if err != nil {
		return nil //nolint:nilerr // no date, or none that is one: this machine's clock alone decides
	}
	if x.result.Date.IsZero() || date.Before(x.result.Date) {
		x.result.Date = date
	}

	if x.query.Finished && !isOver(x.query.Day, date) {
		return s.call.fail(ClassNotReady, s.resp.StatusCode,
			"by the service's clock it is "+date.UTC().Format("2006-01-02 15:04")+" UTC, so the day "+FormatDay(x.query.Day)+" is not over")
	}
	return nil
}

// notReady says that the service puts off its answer, and when it asks to come back.
func (s *streamed) notReady() *Error {
	detail := "the service accepted the request and has not prepared the day: the export is not ready yet"
	if wait, asked := waitAsked(s.resp.Header.Get("Retry-After"), time.Now()); asked {
		detail += "; the service asks to come back in " + wait.String()
	}
	return s.call.fail(ClassNotReady, s.resp.StatusCode, detail)
}
