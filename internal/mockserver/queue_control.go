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

// Enqueue puts a request into the queue as if somebody else had sent it, and
// returns its id. An empty ID, Status and At are filled in; an ID may be there
// already, for lists with duplicates. Fulfil decides about it as about any other;
// Done, FulfilledAt, Code and Message mean nothing. It panics on an operation that
// is not deferred.
func (s *Server) Enqueue(q QueuedRequest) string {
	if !slices.Contains([]string{OpUpdateProfile, OpGetAllData, OpDeleteAllData}, q.Operation) {
		panic("mockserver: there is no deferred operation " + q.Operation)
	}
	return s.accept(QueuedRequest{
		ID: q.ID, Scope: q.Scope, Identity: q.Identity, Operation: q.Operation, At: q.At, Body: q.Body, Status: q.Status,
	}).ID
}

// FulfilAll fulfils all that are pending, now and in the order of acceptance,
// whatever was decided about them.
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

// Conclude makes an outcome come true now (After means nothing) for the requests
// with that id, whatever was decided about them; Never makes a failed or vanished
// one pending again. What is fulfilled stays fulfilled. It panics where there is no
// such request, which would conclude nothing.
func (s *Server) Conclude(id string, o Outcome) {
	now := s.lockSettled()
	defer s.mu.Unlock()
	known := false
	for _, e := range s.queue {
		if e.ID != id {
			continue
		}
		known = true
		if e.FulfilledAt.IsZero() {
			s.waiting = slices.DeleteFunc(s.waiting, func(w *queued) bool { return w == e })
			e.outcome = o
			s.conclude(e, now)
		}
	}
	if !known {
		panic("mockserver: there is no queued request " + cmp.Or(id, "without an id"))
	}
}

// Forget takes a request off the list without an effect; Queue still has it.
func (s *Server) Forget(id string) { s.Conclude(id, Outcome{Fate: Vanished}) }
