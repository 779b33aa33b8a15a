package mockserver

import (
	"cmp"
	"slices"
)

// Queue returns every request that was ever accepted or enqueued, pending and done,
// in the order of acceptance.
func (s *Server) Queue() []QueuedRequest {
	s.lockSettled()
	defer s.mu.Unlock()

	list := make([]QueuedRequest, len(s.queue))
	for i, e := range s.queue {
		list[i] = e.clone()
	}
	return list
}

// Enqueue adds a request to the queue as if another client had sent it, and returns
// its id. An empty ID, Status and At are filled in; an ID may be in the queue
// already, for lists with duplicates. Server.Fulfil decides the outcome as for any
// other request; Done, FulfilledAt, Code and Message are ignored. Enqueue panics on
// an operation that is not deferred.
func (s *Server) Enqueue(q QueuedRequest) string {
	if !slices.Contains([]string{OpUpdateProfile, OpGetAllData, OpDeleteAllData}, q.Operation) {
		panic("mockserver: there is no deferred operation " + q.Operation)
	}

	return s.accept(QueuedRequest{
		ID: q.ID, Scope: q.Scope, Identity: q.Identity, Operation: q.Operation, At: q.At, Body: q.Body, Status: q.Status,
	}).ID
}

// FulfilAll fulfils all pending requests now, in the order of acceptance, and
// overrides their outcomes.
func (s *Server) FulfilAll() {
	now := s.lockSettled()
	defer s.mu.Unlock()

	s.waiting = nil
	for _, e := range s.queue {
		if !e.Done {
			e.outcome = Outcome{}
			s.conclude(e, now)
		}
	}
}

// Conclude applies an outcome now to the requests with that id and overrides what was
// decided about them; Outcome.After is ignored. Never makes a failed or vanished
// request pending again; a fulfilled one stays fulfilled. Conclude panics where the
// queue has no such request.
func (s *Server) Conclude(id string, o Outcome) {
	now := s.lockSettled()
	defer s.mu.Unlock()

	for _, e := range s.withID(id) {
		if e.FulfilledAt.IsZero() {
			s.waiting = slices.DeleteFunc(s.waiting, func(w *queued) bool { return w == e })
			e.outcome = o
			s.conclude(e, now)
		}
	}
}

// Forget takes a request off the list without an effect; Queue still has it.
func (s *Server) Forget(id string) { s.Conclude(id, Outcome{Fate: Vanished}) }

// Hide takes the requests with that id off the list of pending requests, and changes
// nothing else about them: the service has them and carries them out. It panics where
// the queue has no such request.
func (s *Server) Hide(id string) { s.hide(id, true) }

// Show undoes Hide.
func (s *Server) Show(id string) { s.hide(id, false) }

func (s *Server) hide(id string, hidden bool) {
	s.lockSettled()
	defer s.mu.Unlock()

	for _, e := range s.withID(id) {
		e.hidden = hidden
	}
}

// withID returns the requests with an id. It panics where there is none, because the
// caller would test nothing. Server.mu is held.
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
