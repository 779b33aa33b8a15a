// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// QueuedRequest is a request that the service carries out later (section 4, "deferred request").
type QueuedRequest struct {
	ID        string
	Scope     Scope
	Identity  string
	Operation string         // OpUpdateProfile, OpGetAllData or OpDeleteAllData
	At        time.Time      // acceptance, by the server's clock
	Body      map[string]any // the fields of an OpUpdateProfile, numbers as json.Number

	Status string // on the list of pending requests, or how it has left that
	Done   bool   // whether it is fulfilled, failed or vanished

	outcome Outcome
	due     time.Time // of the outcome; zero: it will not come by itself, or has come
	reads   int       // of its scope's list since acceptance, for Lag
}

// Fate is how a queued request ends.
type Fate int

// The fates.
const (
	Fulfilled Fate = iota // it has its effect and leaves the list
	Never                 // it stays pending
	Failed                // it has no effect and stays on the list
	Vanished              // it has no effect and leaves the list; Queue still returns it
)

// Outcome describes how and when a queued request ends.
type Outcome struct {
	Fate          Fate
	After         time.Duration // from acceptance to the end; 0 is Server.FulfilmentDelay, negative at once
	Status        string        // replaces "pending"
	KeepListed    bool          // keeps a fulfilled request on the list
	FinalStatus   string        // replaces "fulfilled" and "failed"
	Code, Message string        // of a failed request
}

// Lag is the delay before an accepted request is on the list of pending requests. Both have to pass.
type Lag struct {
	Reads int           // how often the list of the request's scope was read
	Time  time.Duration // by the server's clock
}

// enqueue accepts a deferred request and answers with its record. It is DELETE …/user/:identityId/all-data and
// PATCH …/profile (section 4), and the first GET …/all-data.
func (s *Server) enqueue(c *Request) Response {
	if c.Operation == OpUpdateProfile && c.place != InJSON {
		return invalid(map[string]string{"body": "must be one JSON object"})
	}

	q := s.accept(QueuedRequest{Scope: c.Scope, Identity: c.Identity, Operation: c.Operation, Body: c.Sent})
	return Response{Status: http.StatusAccepted, Header: http.Header{}, Body: q.record(), Receipt: true}
}

// record returns the record of a queued request as it is answered.
func (e *QueuedRequest) record() map[string]any {
	record := map[string]any{
		"id":         e.ID,
		"identityId": e.Identity,
		"operation":  e.Operation,
		"status":     e.Status,
		"createdAt":  e.At.UTC().Format(time.RFC3339Nano),
	}
	if o := e.outcome; e.Done && o.Fate == Failed && o.Code+o.Message != "" {
		record["error"] = map[string]any{"code": o.Code, "message": o.Message}
	}

	return record
}

// SetPendingLag delays the appearance of accepted requests on the list of pending requests.
func (s *Server) SetPendingLag(lag Lag) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lag = lag
}

// listPendingRequests is GET …/pending-requests (section 4): all that are pending or have failed, of the whole scope.
func (s *Server) listPendingRequests(c *Request) Response {
	now := s.lockUpToDate()
	defer s.mu.Unlock()

	records := []map[string]any{} // an empty list is answered as an array
	for _, e := range s.queue {
		if e.Scope != c.Scope {
			continue
		}

		e.reads++
		isShown := !e.Done || e.outcome.KeepListed
		isLate := e.reads <= s.lag.Reads || now.Before(e.At.Add(s.lag.Time))
		if isShown && !isLate {
			records = append(records, e.record())
		}
	}

	return success(records)
}

// accept decides the outcome of a request, adds it to the queue, with defaults for an empty ID, At and Status, and
// returns a copy of it. The outcome is applied by the next request at the earliest, even without a delay.
func (s *Server) accept(q QueuedRequest) QueuedRequest {
	if q.At.IsZero() {
		q.At = s.now()
	}
	q.ID = cmp.Or(q.ID, "request-"+strconv.FormatInt(s.accepted.Add(1), 10))
	if s.Fulfil != nil {
		q.outcome = s.Fulfil(q) // which may call methods of the server
	}
	q.Status = cmp.Or(q.outcome.Status, q.Status, "pending")
	if q.outcome.Fate != Never {
		q.due = q.At.Add(max(0, cmp.Or(q.outcome.After, s.FulfilmentDelay)))
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, &q)

	return q
}

// lockUpToDate locks Server.mu, applies every outcome that is due, by due time and then by acceptance, and returns
// the server's time. Nothing runs in the background.
func (s *Server) lockUpToDate() (now time.Time) {
	now = s.now()
	s.mu.Lock()

	due := slices.DeleteFunc(slices.Clone(s.queue), func(e *QueuedRequest) bool { return e.due.IsZero() || e.due.After(now) })
	slices.SortStableFunc(due, func(a, b *QueuedRequest) int { return a.due.Compare(b.due) })
	for _, e := range due {
		s.conclude(e, e.outcome, e.due)
	}

	return now
}

// conclude applies an outcome to a request. at is the time of its effect.
func (s *Server) conclude(e *QueuedRequest, o Outcome, at time.Time) {
	switch o.Fate {
	case Fulfilled:
		e.Status = cmp.Or(o.FinalStatus, "fulfilled")
		s.takeEffect(e, at)
	case Failed:
		e.Status, o.KeepListed = cmp.Or(o.FinalStatus, "failed"), true
	case Vanished:
		e.Status, o.KeepListed = "vanished", false
	case Never:
		e.Status = cmp.Or(o.Status, "pending")
	}
	e.outcome, e.due, e.Done = o, time.Time{}, o.Fate != Never
}

// Queue returns copies of all requests that were ever accepted or enqueued, in the order of acceptance.
func (s *Server) Queue() []QueuedRequest {
	s.lockUpToDate()
	defer s.mu.Unlock()
	return copies(s.queue)
}

// Enqueue adds a request as if another client had sent it, and returns its ID. An ID may be there already.
func (s *Server) Enqueue(q QueuedRequest) string { return s.accept(q).ID }

// FulfilAll fulfils all pending requests now, whatever outcome was decided for them.
func (s *Server) FulfilAll() {
	for _, q := range s.Queue() {
		if !q.Done {
			s.Conclude(q.ID, Outcome{KeepListed: q.outcome.KeepListed})
		}
	}
}

// Conclude ends the requests with that ID now, whatever was decided for them. Never makes a failed or vanished
// request pending again. A fulfilled request stays fulfilled.
func (s *Server) Conclude(id string, o Outcome) {
	now := s.lockUpToDate()
	defer s.mu.Unlock()

	for _, e := range s.queue {
		isFulfilled := e.Done && e.outcome.Fate == Fulfilled
		if e.ID == id && !isFulfilled {
			s.conclude(e, o, now)
		}
	}
}
