// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"sync"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
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
	latest  time.Time // when the latest submission ended, or the latest listing began that was looked at
	entries []entry
}

// entry is a request of one type with one idempotency key.
type entry struct {
	Submission

	isOurs bool // this process has submitted it
}

// person returns what is known about a person. h.mu must be held.
func (h *history) person(p client.Person) *past {
	if h.people == nil {
		h.people = map[client.Person]*past{}
	}
	if h.people[p] == nil {
		h.people[p] = &past{}
	}
	return h.people[p]
}

// noteTime notes when a submission about a person ended, or when a listing began that was looked at.
func (h *history) noteTime(p client.Person, at time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()

	if known := h.person(p); at.After(known.latest) {
		known.latest = at
	}
}

// latest returns the latest time that was noted about a person.
func (h *history) latest(p client.Person) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()

	return h.person(p).latest
}

// note stores the submission of a request, as it is now, and whether this process has
// submitted it now.
func (h *history) note(r Request, s Submission, isOurs bool) {
	h.mu.Lock()
	defer h.mu.Unlock()

	of := h.person(r.Person)
	s.Type, s.IdempotencyKey = r.Type, r.IdempotencyKey
	for i, e := range of.entries {
		if e.Type == s.Type && e.IdempotencyKey == s.IdempotencyKey {
			of.entries[i] = entry{s, isOurs || e.isOurs}
			return
		}
	}
	of.entries = append(of.entries, entry{s, isOurs})
}

// find returns the submission that stands for a request which is sent once for its idempotency
// key: one with the same key, or if one of the two is for any, one that this process has
// submitted. What came to nothing stands for no request.
func (h *history) find(r Request) (found Submission, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()

	for _, e := range h.person(r.Person).entries {
		isAny := e.IdempotencyKey == AnyIdempotencyKey || r.IdempotencyKey == AnyIdempotencyKey
		switch {
		case !proof.Kinds[r.Type].Once, e.Type != r.Type, e.State == Unsent, e.State == Failed:
		case e.IdempotencyKey == r.IdempotencyKey, isAny && e.isOurs:
			return e.Submission, true
		}
	}

	return Submission{}, false
}

// open returns this process's submissions about a person that the service may still be working on.
func (h *history) open(p client.Person) []Submission {
	h.mu.Lock()
	defer h.mu.Unlock()

	var open []Submission
	for _, e := range h.person(p).entries {
		if e.IsOpen() {
			open = append(open, e.Submission)
		}
	}

	return open
}
