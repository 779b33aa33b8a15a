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
	people map[client.Person][]Submission
}

// about returns what is known of the person of a request: the submission that stands for the request, if it is
// of a type that is sent once for its idempotency key, and all that the service may still be working on. One
// with the same key stands for it, and if one of the two is for any, one that this process has submitted. What
// came to nothing stands for no request.
func (h *history) about(r Request) (same Submission, open []Submission) {
	h.mu.Lock()
	defer h.mu.Unlock()

	for _, s := range h.people[r.Person] {
		if s.IsOpen() {
			open = append(open, s)
		}
		if same.State == Unsent && standsFor(s, r) {
			same = s
		}
	}

	return same, open
}

// standsFor reports whether a submission stands for a request.
func standsFor(s Submission, r Request) bool {
	isAny := s.IdempotencyKey == AnyIdempotencyKey || r.IdempotencyKey == AnyIdempotencyKey
	switch {
	case !proof.Kinds[r.Type].Once, s.Type != r.Type, s.State == Failed:
		return false
	case s.IdempotencyKey == r.IdempotencyKey:
		return true
	}
	return isAny && s.IsOurs
}

// note stores the submission of a request, as it is now, and whether this process has
// submitted it now.
func (h *history) note(r Request, s Submission, isOurs bool) {
	h.mu.Lock()
	defer h.mu.Unlock()

	if h.people == nil {
		h.people = map[client.Person][]Submission{}
	}
	s.Type, s.IdempotencyKey, s.IsOurs = r.Type, r.IdempotencyKey, isOurs
	all := h.people[r.Person]
	for i, known := range all {
		if known.Type == s.Type && known.IdempotencyKey == s.IdempotencyKey {
			s.IsOurs = isOurs || known.IsOurs
			all[i] = s
			return
		}
	}
	h.people[r.Person] = append(all, s)
}
