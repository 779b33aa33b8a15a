package client

import (
	"net/http"
	"time"
)

// checkHead judges an answer by its header. Only 200 and 204 answer an export, and only as
// a whole: anything else would pass for a day without records, or with too few.
func (x *exporting) checkHead(s *streamed) error {
	status, header := s.resp.StatusCode, s.resp.Header

	if status == http.StatusAccepted {
		return s.notReady()
	}
	if status == http.StatusPartialContent || header.Get("Content-Range") != "" {
		return s.call.fail(ClassPayload, status, "the answer is a part of the day, which was not asked for")
	}
	if status != http.StatusOK && status != http.StatusNoContent {
		return s.call.fail(ClassPayload, status, "the status is no answer to an export; only 200 and 204 are")
	}
	if hasNextLink(header) {
		return s.call.fail(ClassPayload, status, "a Link header says that there is more, and the interface has no way to ask for it")
	}

	return x.checkDate(s)
}

// checkDate notes the time of the service's clock. Where only a finished day is wanted, it
// refuses one that is not over by that clock. Without a date, this machine's clock alone
// decides.
func (x *exporting) checkDate(s *streamed) error {
	date, err := http.ParseTime(s.resp.Header.Get("Date"))
	if err != nil {
		return nil //nolint:nilerr // not a date
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

// notReady returns the error of an answer that puts off the day, with the wait that the
// service asks for. The wait is shown and not kept, so that the bounds of retries do not
// apply.
func (s *streamed) notReady() *Error {
	detail := "the service accepted the request and has not prepared the day: the export is not ready yet"

	wait, _ := parseRetryAfter(s.resp.Header.Get("Retry-After"), time.Now(), 24*time.Hour)
	if wait = wait.Round(time.Second); wait > 0 {
		detail += "; the service asks to come back in " + wait.String()
	}
	return s.call.fail(ClassNotReady, s.resp.StatusCode, detail)
}
