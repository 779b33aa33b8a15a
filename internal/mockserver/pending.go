package mockserver

import (
	"net/http"
	"time"
)

// enqueue accepts a deferred request and answers with its record.
func (s *Server) enqueue(c *call, body map[string]any) answer {
	record := s.accept(QueuedRequest{
		Scope: c.scope, Identity: c.vars["identityId"], Operation: c.route.operation, Body: body,
	}).record()

	if s.QueueAnswer != nil {
		return accepted(s.QueueStatus, s.QueueAnswer(record))
	}
	return accepted(s.QueueStatus, record)
}

// record returns the record of a queued request as it is answered. Its fields are not
// shown (section 2), so all of them are assumptions.
func (q QueuedRequest) record() map[string]any {
	record := map[string]any{
		"id":         q.ID,
		"identityId": q.Identity,
		"operation":  q.Operation,
		"status":     q.Status,
		"createdAt":  q.At.UTC().Format(time.RFC3339Nano),
	}

	if q.Code != "" || q.Message != "" {
		record["error"] = map[string]any{"code": q.Code, "message": q.Message}
	}

	return record
}

// listPendingRequests is GET …/pending-requests (section 4). That it shows the pending
// and failed requests of the whole scope in one array is an assumption.
func (s *Server) listPendingRequests(c *call) answer {
	records := s.pending(c.scope)
	if s.PendingOrder != nil {
		s.PendingOrder(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	}

	page := s.PendingPage.answer(records)
	if s.PendingAnswer == nil {
		return page
	}

	shaped := success(s.PendingAnswer(records))
	shaped.header = page.header

	return shaped
}

// pending returns the records of a scope's list in the order of acceptance. The result
// is never nil, since an empty list is answered as an array.
func (s *Server) pending(scope Scope) []map[string]any {
	listed := s.listed(scope)

	records := make([]map[string]any, 0, len(listed))
	for _, q := range listed {
		record := q.record()
		if s.PendingRecord != nil {
			record = s.PendingRecord(q, record)
		}
		if record != nil {
			records = append(records, record)
		}
	}

	return records
}

// listed returns the requests that a scope's list shows now, and counts as one look
// at the list.
func (s *Server) listed(scope Scope) []QueuedRequest {
	now := s.lockUpToDate()
	defer s.mu.Unlock()

	listed := make([]QueuedRequest, 0, len(s.queue))
	for _, e := range s.queue {
		if e.Scope == scope && e.visible() && !s.PendingLag.delays(e, now) {
			listed = append(listed, e.QueuedRequest)
		}
	}

	return listed
}

// Lag is the delay between the acceptance of a request and its appearance on the list
// of pending requests. Both Looks and Time have to pass.
type Lag struct {
	Looks int           // how often the list of the request's scope was read
	Time  time.Duration // by the server's clock
}

// delays reports whether the lag keeps a request off the list, and counts the look.
func (l Lag) delays(e *queued, now time.Time) bool {
	e.looks++
	return e.looks <= l.Looks || now.Before(e.At.Add(l.Time))
}

// RenameField returns a Server.PendingRecord that gives a field of each record
// another name, such as "personId" for "identityId".
func RenameField(name, other string) func(QueuedRequest, map[string]any) map[string]any {
	return func(_ QueuedRequest, record map[string]any) map[string]any {
		if value, ok := record[name]; ok {
			delete(record, name)
			record[other] = value
		}
		return record
	}
}

// OmitField returns a Server.PendingRecord that leaves a field out of each record,
// such as "id".
func OmitField(name string) func(QueuedRequest, map[string]any) map[string]any {
	return func(_ QueuedRequest, record map[string]any) map[string]any {
		delete(record, name)
		return record
	}
}

// PageSign is how an answer says that it has only a part of a list. The interface
// shows no pages (section 8); these are common in other services.
type PageSign string

// The signs of further pages. Each but PageLink is a member of an object that has the
// list in its member "requests".
const (
	PageHasMore PageSign = "has_more" // true, or false on the only page
	PageNext    PageSign = "next"     // an address, or null on the only page
	PageTotal   PageSign = "total"    // the length of the whole list
	PageLink    PageSign = "Link"     // a header with rel="next", absent on the only page
)

// PageSigns are all signs of further pages.
var PageSigns = []PageSign{PageHasMore, PageNext, PageTotal, PageLink}

// nextPage is an address that no client can reach.
const nextPage = "https://service.example.com/pending-requests?page=2"

// Page limits the answer to the first page of the list of pending requests. The zero
// Page is the whole list without a sign.
type Page struct {
	Size int      // the largest number of records in an answer
	Sign PageSign // empty: the answer does not say that there is more
}

// answer returns the first page of the records.
func (p Page) answer(records []map[string]any) answer {
	if p == (Page{}) {
		return success(records)
	}

	page := records[:min(p.Size, len(records))]
	a := success(p.body(page, len(records)))
	if p.Sign == PageLink && len(page) < len(records) {
		a.header = http.Header{"Link": {"<" + nextPage + `>; rel="next"`}}
	}

	return a
}

// body returns a page and its sign as JSON. total is the length of the whole list.
func (p Page) body(page []map[string]any, total int) any {
	more := len(page) < total

	switch p.Sign {
	case PageHasMore:
		return map[string]any{"requests": page, "has_more": more}
	case PageNext:
		return map[string]any{"requests": page, "next": addressIf(more)}
	case PageTotal:
		return map[string]any{"requests": page, "total": total}
	case PageLink:
	}

	return page
}

// addressIf returns the address of a further page, or JSON's null.
func addressIf(more bool) any {
	if more {
		return nextPage
	}
	return nil
}
