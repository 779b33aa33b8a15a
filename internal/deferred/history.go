// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"slices"
	"sync"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// history is what this process has submitted or read from state, by person. The pending
// list alone cannot tell whether a request was sent before, because it does not show
// fulfilled ones. The zero value is ready for use; it is safe for concurrent use.
type history struct {
	mu     sync.Mutex
	people map[client.Person]*past
}

// past is what is known about one person's requests.
type past struct {
	ended   time.Time // when the latest submission ended
	looked  time.Time // when reading the latest listing began that was looked at for the person
	entries []entry
}

// entry is a request of one type with one idempotency key.
type entry struct {
	Submission

	submitted bool // by this process
}

// of returns what is known about a person, who must be locked by the caller of the engine or be
// read only.
func (h *history) of(p client.Person) past {
	h.mu.Lock()
	defer h.mu.Unlock()

	if known := h.people[p]; known != nil {
		return past{known.ended, known.looked, slices.Clone(known.entries)}
	}
	return past{}
}

// person returns what is known about a person, to be changed. h.mu must be held.
func (h *history) person(p client.Person) *past {
	if h.people == nil {
		h.people = map[client.Person]*past{}
	}
	if h.people[p] == nil {
		h.people[p] = &past{}
	}
	return h.people[p]
}

// noteEnd notes that sending a request about a person has ended now.
func (h *history) noteEnd(p client.Person) {
	h.mu.Lock()
	defer h.mu.Unlock()

	h.person(p).ended = time.Now()
}

// noteLook notes that a listing was looked at for a person, reading which began then.
func (h *history) noteLook(p client.Person, began time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()

	h.person(p).looked = began
}

// note stores the submission of a request, as it is now, and whether this process has
// submitted it now.
func (h *history) note(r Request, s Submission, submitted bool) {
	h.mu.Lock()
	defer h.mu.Unlock()

	of := h.person(r.Person)
	s.Type, s.IdempotencyKey = r.Type, r.IdempotencyKey
	isSame := func(e entry) bool { return e.Type == s.Type && e.IdempotencyKey == s.IdempotencyKey }
	at := slices.IndexFunc(of.entries, isSame)
	if at < 0 {
		of.entries = append(of.entries, entry{s, submitted})
		return
	}
	of.entries[at] = entry{s, submitted || of.entries[at].submitted}
}

// find returns the submission that stands for a request which is sent once for its idempotency
// key: one with the same key, or if one of the two is for any, one that this process has
// submitted.
func (p past) find(r Request) (found Submission, ok bool) {
	for _, e := range p.entries {
		if r.Once && e.Type == r.Type && e.standsFor(r) {
			return e.Submission, true
		}
	}
	return Submission{}, false
}

// standsFor reports whether an entry of the request's type stands for the request.
func (e entry) standsFor(r Request) bool {
	if e.State == Unsent || e.State == Failed {
		return false
	}
	if e.IdempotencyKey == r.IdempotencyKey {
		return true
	}

	isAny := e.IdempotencyKey == AnyIdempotencyKey || r.IdempotencyKey == AnyIdempotencyKey

	return isAny && e.submitted
}

// open returns this process's requests about the person that the service may still be
// working on.
func (p past) open() []entry {
	var open []entry
	for _, e := range p.entries {
		if e.IsOpen() {
			open = append(open, e)
		}
	}
	return open
}
