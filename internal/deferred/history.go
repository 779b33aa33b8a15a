// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"sync"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
)

// history is what this process has submitted or read from state, by person. The pending
// list alone cannot tell whether a request was sent before, because it does not show
// fulfilled ones. The zero value is ready for use; it is safe for concurrent use.
type history struct {
	mu     sync.Mutex
	people map[client.Person][]entry
}

// entry is a request of one type with one idempotency key.
type entry struct {
	Submission

	isOurs bool // this process has submitted it
}

// about returns what is known of the person of a request: the submission that stands for the request, if it is
// of a type that is sent once for its idempotency key, and all that the service may still be working on. One
// with the same key stands for it, and if one of the two is for any, one that this process has submitted. What
// came to nothing stands for no request.
func (h *history) about(r Request) (same Submission, open []Submission) {
	h.mu.Lock()
	defer h.mu.Unlock()

	for _, e := range h.people[r.Person] {
		if e.IsOpen() {
			open = append(open, e.Submission)
		}

		isAny := e.IdempotencyKey == AnyIdempotencyKey || r.IdempotencyKey == AnyIdempotencyKey
		isOver := e.State == Unsent || e.State == Failed
		switch {
		case !proof.Kinds[r.Type].Once, e.Type != r.Type, isOver, same.State != Unsent:
		case e.IdempotencyKey == r.IdempotencyKey, isAny && e.isOurs:
			same = e.Submission
		}
	}

	return same, open
}

// note stores the submission of a request, as it is now, and whether this process has
// submitted it now.
func (h *history) note(r Request, s Submission, isOurs bool) {
	h.mu.Lock()
	defer h.mu.Unlock()

	if h.people == nil {
		h.people = map[client.Person][]entry{}
	}
	s.Type, s.IdempotencyKey = r.Type, r.IdempotencyKey
	entries := h.people[r.Person]
	for i, e := range entries {
		if e.Type == s.Type && e.IdempotencyKey == s.IdempotencyKey {
			entries[i] = entry{s, isOurs || e.isOurs}
			return
		}
	}
	h.people[r.Person] = append(entries, entry{s, isOurs})
}
