package mockserver

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"
)

// QueuedRequest is a request that the service has accepted and carries out later
// (section 4, "deferred request"). States and records of such requests are not
// shown (sections 2 and 3): everything here is an assumption.
type QueuedRequest struct {
	ID        string
	Scope     Scope
	Identity  string
	Operation string         // OpUpdateProfile, OpGetAllData or OpDeleteAllData
	At        time.Time      // acceptance, by the server's clock
	Body      map[string]any // what OpUpdateProfile sent, its numbers as json.Number; otherwise nil

	// Status is what the list of pending requests shows; of one that has left the
	// list it is StatusFulfilled, StatusFailed or StatusVanished.
	Status string
	// Done reports whether the service has finished with it: fulfilled, failed or
	// vanished.
	Done bool
	// FulfilledAt is when it took effect; zero where it has none (yet).
	FulfilledAt time.Time
	// Code and Message are why it has failed.
	Code, Message string
}

// What the service says of a queued request, in QueuedRequest.Status and in the
// records that it answers.
const (
	StatusPending   = "pending"
	StatusFulfilled = "fulfilled" // not listed any more
	StatusFailed    = "failed"
	StatusVanished  = "vanished" // not listed any more
)

// Fate is what becomes of a queued request.
type Fate int

const (
	// Fulfilled gives the request its effect and takes it off the list.
	Fulfilled Fate = iota
	// Never leaves it pending for ever.
	Never
	// Failed keeps it on the list with a failed status; it has no effect.
	Failed
	// FailedGone takes a failed request off the list; it has no effect.
	FailedGone
	// Vanished takes it off the list without any effect.
	Vanished
)

// Outcome is what becomes of a queued request, and when. The zero Outcome is its
// fulfilment after Server.FulfilmentDelay.
type Outcome struct {
	Fate Fate
	// After is how long after its acceptance it happens; 0 is FulfilmentDelay,
	// negative is at once.
	After time.Duration
	// Status is shown in place of StatusPending and StatusFailed, such as one that
	// the client does not know.
	Status string
	// Code and Message are shown with a failed request.
	Code, Message string
}

// queued is an accepted request with what is decided about it; guarded by Server.mu.
type queued struct {
	QueuedRequest
	outcome Outcome
	due     time.Time
}

func (q QueuedRequest) clone() QueuedRequest {
	q.Body = maps.Clone(q.Body)
	return q
}

func (e *queued) person() person { return person{e.Scope, e.Identity} }

// listed reports whether the list of pending requests has it.
func (e *queued) listed() bool { return !e.Done || e.outcome.Fate == Failed }

// accept puts a request into the queue and returns it as it is then: even without a
// delay nothing becomes of it before the next request.
func (s *Server) accept(q QueuedRequest) QueuedRequest {
	now := s.clock().Now()
	s.mu.Lock()
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
	s.mu.Unlock()
	var outcome Outcome
	if s.Fulfil != nil {
		outcome = s.Fulfil(q.clone())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.decide(e, outcome)
	return e.clone()
}

// decide says what becomes of a request, unless a test has decided meanwhile.
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
	// The order in which requests are due is that in which they take effect, however
	// late somebody looks; of two at the same time the one accepted first.
	place, _ := slices.BinarySearchFunc(s.waiting, e.due, func(w *queued, due time.Time) int {
		if w.due.After(due) {
			return 1
		}
		return -1
	})
	s.waiting = slices.Insert(s.waiting, place, e)
}

// lockSettled takes Server.mu after everything that is due by now has happened.
// Nothing runs in the background: the queue moves only when somebody looks.
func (s *Server) lockSettled() (now time.Time) {
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

// settle lets happen what is due.
func (s *Server) settle() {
	s.lockSettled()
	s.mu.Unlock()
}

// conclude makes what is decided about a request come true.
func (s *Server) conclude(e *queued, at time.Time) {
	e.Done = e.outcome.Fate != Never
	e.Code, e.Message = "", ""
	switch e.outcome.Fate {
	case Fulfilled:
		e.Status, e.FulfilledAt = StatusFulfilled, at
		s.takeEffect(e)
	case Failed, FailedGone:
		e.Status = cmp.Or(e.outcome.Status, StatusFailed)
		e.Code, e.Message = e.outcome.Code, e.outcome.Message
	case Vanished:
		e.Status = StatusVanished
	case Never:
		e.Status = cmp.Or(e.outcome.Status, StatusPending)
	}
}

// takeEffect does what the request is for.
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
