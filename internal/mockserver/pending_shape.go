package mockserver

import (
	"net/http"
	"time"
)

// Lag is how far the list of pending requests is behind the submissions. A request
// is listed once both have passed since its acceptance.
type Lag struct {
	Looks int // at the list of the request's scope
	Time  time.Duration
}

// holds reports whether the lag keeps a request off the list, and counts the look.
func (l Lag) holds(e *queued, now time.Time) bool {
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

// PageSign is how an answer says that a list has more than is in it. The interface
// shows no pages (section 8): services elsewhere have these.
type PageSign string

// The signs of further pages. All but PageLink are a member of an object whose
// member "requests" is the list.
const (
	PageHasMore PageSign = "has_more" // true, or false on the only page
	PageNext    PageSign = "next"     // an address, or null on the only page
	PageTotal   PageSign = "total"    // the length of the whole list
	PageLink    PageSign = "Link"     // a header with rel="next", absent on the only page
)

// PageSigns are all of them.
var PageSigns = []PageSign{PageHasMore, PageNext, PageTotal, PageLink}

// nextPage is an address that no client can reach.
const nextPage = "https://service.example.com/pending-requests?page=2"

// Page cuts the list of pending requests. The zero Page is the whole list, without a
// sign.
type Page struct {
	Size int      // at most so many records are answered
	Sign PageSign // empty: the list is cut silently
}

// answer returns the first page of the records.
func (p Page) answer(records []map[string]any) answer {
	if p == (Page{}) {
		return success(records)
	}

	page := records[:min(p.Size, len(records))]
	more := len(page) < len(records)

	switch p.Sign {
	case PageHasMore:
		return success(map[string]any{"requests": page, "has_more": more})
	case PageNext:
		return success(map[string]any{"requests": page, "next": addressIf(more)})
	case PageTotal:
		return success(map[string]any{"requests": page, "total": len(records)})
	case PageLink:
		a := success(page)
		if more {
			a.header = http.Header{"Link": {"<" + nextPage + `>; rel="next"`}}
		}
		return a
	}
	return success(page)
}

// addressIf returns the address of a further page, or JSON's null.
func addressIf(more bool) any {
	if more {
		return nextPage
	}
	return nil
}
