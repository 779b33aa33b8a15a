// SPDX-License-Identifier: MPL-2.0

package mockserver

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"
)

// QueuedRequest is a request that the service has accepted and carries out later
// (section 4, "deferred request"). The states and records of such requests are not
// shown (sections 2 and 3), so everything here is an assumption.
type QueuedRequest struct {
	ID        string
	Scope     Scope
	Identity  string
	Operation string         // OpUpdateProfile, OpGetAllData or OpDeleteAllData
	At        time.Time      // acceptance, by the server's clock
	Body      map[string]any // the fields of an OpUpdateProfile, numbers as json.Number; otherwise nil

	// Status is the status on the list of pending requests. A request that has left the
	// list has StatusFulfilled, StatusFailed or StatusVanished.
	Status string
	// Done reports whether the service has finished with the request: it is fulfilled,
	// failed or vanished.
	Done bool
	// FulfilledAt is when the request took effect; zero if it did not.
	FulfilledAt time.Time
	// Code and Message describe the error of a failed request.
	Code, Message string
}

// Statuses of queued requests, in QueuedRequest.Status and in answered records.
const (
	StatusPending   = "pending"
	StatusFulfilled = "fulfilled" // listed only with Outcome.KeepListed
	StatusFailed    = "failed"
	StatusVanished  = "vanished" // never listed
)

// Fate is how a queued request ends.
type Fate int

const (
	// Fulfilled gives the request its effect and takes it off the list.
	Fulfilled Fate = iota
	// Never leaves the request pending forever.
	Never
	// Failed keeps the request on the list as a failed one; it has no effect.
	Failed
	// FailedGone fails the request and takes it off the list; it has no effect.
	FailedGone
	// Vanished takes the request off the list without any effect.
	Vanished
)

// Outcome describes how and when a queued request ends. The zero Outcome fulfils it
// after Server.FulfilmentDelay.
type Outcome struct {
	Fate Fate
	// After is the time from acceptance to the end. 0 means Server.FulfilmentDelay; a
	// negative value means at once.
	After time.Duration
	// Status replaces StatusPending and StatusFailed, for example with a status that
	// the client does not know.
	Status string
	// KeepListed keeps a fulfilled request on the list.
	KeepListed bool
	// FinalStatus replaces StatusFulfilled and StatusFailed once the request has ended.
	FinalStatus string
	// Code and Message are shown with a failed request.
	Code, Message string
}

// queued is an accepted request with its outcome; guarded by Server.mu.
type queued struct {
	QueuedRequest
	outcome Outcome
	due     time.Time
	looks   int  // reads of its scope's list since acceptance, for Server.PendingLag
	hidden  bool // set by Server.Hide
}

func (q QueuedRequest) clone() QueuedRequest {
	q.Body = maps.Clone(q.Body)
	return q
}

func (e *queued) person() person { return person{e.Scope, e.Identity} }

// visible reports whether the list of pending requests shows the request, regardless
// of Server.PendingLag.
func (e *queued) visible() bool {
	if e.hidden {
		return false
	}

	if !e.Done || e.outcome.Fate == Failed {
		return true
	}
	return e.outcome.Fate == Fulfilled && e.outcome.KeepListed
}

// accept adds a request to the queue, decides its outcome and returns a copy of it. The
// outcome is applied by the next request at the earliest, even without a delay.
func (s *Server) accept(q QueuedRequest) QueuedRequest {
	e, added := s.add(q)

	// The hook may call methods of the server, which take the lock.
	var outcome Outcome
	if s.Fulfil != nil {
		outcome = s.Fulfil(added)
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	s.decide(e, outcome)

	return e.clone()
}

// add appends a request to the queue, with defaults for an empty ID, At and Status. It
// returns the entry and a copy of the request, which may be read without Server.mu.
func (s *Server) add(q QueuedRequest) (*queued, QueuedRequest) {
	now := s.clock().Now()

	s.mu.Lock()
	defer s.mu.Unlock()

	if q.ID == "" {
		q.ID = "request-" + strconv.Itoa(len(s.queue)+1)
	}
	if q.At.IsZero() {
		q.At = now
	}
	q.Status = cmp.Or(q.Status, StatusPending)
	q.Body = maps.Clone(q.Body)

	e := &queued{QueuedRequest: q}
	s.queue = append(s.queue, e)

	return e, e.clone()
}

// decide sets the outcome of a request, unless a test has concluded it meanwhile.
func (s *Server) decide(e *queued, o Outcome) {
	if e.Done {
		return
	}

	e.outcome = o
	e.Status = cmp.Or(o.Status, e.Status)
	if o.Fate == Never {
		return
	}

	e.due = e.At.Add(max(0, cmp.Or(o.After, s.FulfilmentDelay)))
	s.schedule(e)
}

// schedule inserts a request into the waiting ones, which are ordered by due time;
// requests with equal due times keep the order of acceptance.
func (s *Server) schedule(e *queued) {
	place, _ := slices.BinarySearchFunc(s.waiting, e.due, func(w *queued, due time.Time) int {
		if w.due.After(due) {
			return 1
		}
		return -1
	})

	s.waiting = slices.Insert(s.waiting, place, e)
}

// lockUpToDate locks Server.mu, applies every outcome that is due and returns the
// server's time. Nothing runs in the background: the queue moves when a request or a
// method of the server needs it.
func (s *Server) lockUpToDate() (now time.Time) {
	now = s.clock().Now()
	s.mu.Lock()

	due := 0
	for due < len(s.waiting) && !s.waiting[due].due.After(now) {
		due++
	}

	for _, e := range s.waiting[:due] {
		s.conclude(e, e.due)
	}
	s.waiting = s.waiting[due:]

	return now
}

// conclude applies the outcome of a request. at is the time of its effect.
func (s *Server) conclude(e *queued, at time.Time) {
	o := e.outcome
	e.Done = o.Fate != Never
	e.Code, e.Message = "", ""

	switch o.Fate {
	case Fulfilled:
		e.Status, e.FulfilledAt = cmp.Or(o.FinalStatus, StatusFulfilled), at
		s.takeEffect(e)
	case Failed, FailedGone:
		e.Status = cmp.Or(o.FinalStatus, o.Status, StatusFailed)
		e.Code, e.Message = o.Code, o.Message
	case Vanished:
		e.Status = StatusVanished
	case Never:
		e.Status = cmp.Or(o.Status, StatusPending)
	}
}

// takeEffect carries out the operation of a request.
func (s *Server) takeEffect(e *queued) {
	switch e.Operation {
	case OpUpdateProfile:
		s.mergeProfile(e.person(), e.Body)
	case OpGetAllData:
		s.prepareData(e.person(), e.FulfilledAt)
	case OpDeleteAllData:
		s.eraseData(e.person())
	}
}

// Queue returns copies of all requests that were ever accepted or enqueued, whether
// pending or done, in the order of acceptance.
func (s *Server) Queue() []QueuedRequest {
	s.lockUpToDate()
	defer s.mu.Unlock()

	list := make([]QueuedRequest, len(s.queue))
	for i, e := range s.queue {
		list[i] = e.clone()
	}

	return list
}

// Enqueue adds a request to the queue as if another client had sent it, and returns
// its ID. An empty ID, Status and At get defaults. An ID may be in the queue already,
// for lists with duplicates. Server.Fulfil decides the outcome as for any other
// request; Done, FulfilledAt, Code and Message are ignored. Enqueue panics on an
// operation that is not deferred.
func (s *Server) Enqueue(q QueuedRequest) string {
	if !slices.Contains([]string{OpUpdateProfile, OpGetAllData, OpDeleteAllData}, q.Operation) {
		panic("mockserver: there is no deferred operation " + q.Operation)
	}

	return s.accept(QueuedRequest{
		ID: q.ID, Scope: q.Scope, Identity: q.Identity, Operation: q.Operation, At: q.At, Body: q.Body, Status: q.Status,
	}).ID
}

// FulfilAll fulfils all pending requests now, in the order of acceptance and whatever
// outcome was decided for them.
func (s *Server) FulfilAll() {
	now := s.lockUpToDate()
	defer s.mu.Unlock()

	s.waiting = nil
	for _, e := range s.queue {
		if !e.Done {
			e.outcome = Outcome{KeepListed: e.outcome.KeepListed}
			s.conclude(e, now)
		}
	}
}

// Conclude ends the requests with that ID now with the given outcome, whatever was
// decided for them; Outcome.After is ignored. Never makes a failed or vanished request
// pending again. A fulfilled request stays fulfilled. Conclude panics if the queue has
// no such request.
func (s *Server) Conclude(id string, o Outcome) {
	now := s.lockUpToDate()
	defer s.mu.Unlock()

	for _, e := range s.withID(id) {
		if e.FulfilledAt.IsZero() {
			s.waiting = slices.DeleteFunc(s.waiting, func(w *queued) bool { return w == e })
			e.outcome = o
			s.conclude(e, now)
		}
	}
}

// Forget takes the requests with that ID off the list without an effect; Queue still
// returns them. It panics if the queue has no such request.
func (s *Server) Forget(id string) { s.Conclude(id, Outcome{Fate: Vanished}) }

// Hide takes the requests with that ID off the list of pending requests. The service
// carries them out all the same. Hide panics if the queue has no such request.
func (s *Server) Hide(id string) { s.hide(id, true) }

// Show reverts Hide. It panics if the queue has no such request.
func (s *Server) Show(id string) { s.hide(id, false) }

func (s *Server) hide(id string, hidden bool) {
	s.lockUpToDate()
	defer s.mu.Unlock()

	for _, e := range s.withID(id) {
		e.hidden = hidden
	}
}

// withID returns the requests with an ID. It panics if there are none, since a test
// that names such an ID has a mistake. Server.mu is held.
func (s *Server) withID(id string) []*queued {
	var found []*queued
	for _, e := range s.queue {
		if e.ID == id {
			found = append(found, e)
		}
	}

	if len(found) == 0 {
		panic("mockserver: there is no queued request " + cmp.Or(id, "without an id"))
	}

	return found
}
