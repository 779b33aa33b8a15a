// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"net/http"
	"time"
)

// enqueue accepts a deferred request and answers with its record, and with 202, which is an
// assumption.
func (s *Server) enqueue(c *call, body map[string]any) Response {
	q := s.accept(QueuedRequest{
		Scope: c.scope, Identity: c.vars["identityId"], Operation: c.route.operation, Body: body,
	})

	return Response{Status: http.StatusAccepted, Body: q.record(), Receipt: true}
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
func (s *Server) listPendingRequests(c *call) Response {
	records := []map[string]any{} // an empty list is answered as an array
	for _, q := range s.listed(c.scope) {
		records = append(records, q.record())
	}

	return success(records)
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

// Paged limits the list of pending requests to its first records, and adds a sign where there
// are more; an empty sign is none.
func (s *Server) Paged(size int, sign PageSign) {
	s.Change(func(_ Request, a *Response) {
		records, ok := a.Body.([]map[string]any)
		if !ok {
			return
		}

		page, more := records[:min(size, len(records))], len(records) > size
		next := any(nil)
		if more {
			next = nextPage
		}

		a.Body = page
		switch sign {
		case PageHasMore:
			a.Body = map[string]any{"requests": page, "has_more": more}
		case PageNext:
			a.Body = map[string]any{"requests": page, "next": next}
		case PageTotal:
			a.Body = map[string]any{"requests": page, "total": len(records)}
		case PageLink:
			if more {
				a.Header.Set("Link", "<"+nextPage+`>; rel="next"`)
			}
		}
	})
}
