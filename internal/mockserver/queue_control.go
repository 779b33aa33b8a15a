package mockserver

import (
	"cmp"
	"slices"
)

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
			e.outcome = Outcome{}
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
