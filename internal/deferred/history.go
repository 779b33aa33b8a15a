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
	people map[client.Person]*personHistory
}

// personHistory is what is known about one person's requests.
type personHistory struct {
	ended   time.Time // when the latest submission ended
	looked  time.Time // when reading the latest listing began that was looked at for the person
	entries []entry
}

// entry is a request of one type with one idempotency key.
type entry struct {
	Submission
	requestType string
	submitted   bool // by this process
}

// about reads or changes what is known about a person.
func (h *history) about(who client.Person, do func(*personHistory)) {
	h.mu.Lock()
	defer h.mu.Unlock()

	p := h.people[who]
	if p == nil {
		p = &personHistory{}
		if h.people == nil {
			h.people = map[client.Person]*personHistory{}
		}
		h.people[who] = p
	}
	do(p)
}

// find returns the submission that stands for a request which is sent once for its idempotency
// key: one with the same key, or if one of the two is for any, one that this process has
// submitted.
func (h *history) find(r Request) (found Submission, ok bool) {
	h.about(r.Person, func(p *personHistory) {
		at := slices.IndexFunc(p.entries, func(e entry) bool {
			isAny := e.IdempotencyKey == AnyIdempotencyKey || r.IdempotencyKey == AnyIdempotencyKey
			isSame := e.IdempotencyKey == r.IdempotencyKey || isAny && e.submitted
			return isSame && e.requestType == r.Type && e.State != Idle && !e.State.IsOver()
		})
		if ok = r.Once && at >= 0; ok {
			found = p.entries[at].Submission
		}
	})

	return found, ok
}

// note stores the submission of a request, as it is now, and whether this process has
// submitted it now.
func (h *history) note(r Request, s Submission, submitted bool) {
	h.about(r.Person, func(p *personHistory) {
		at := slices.IndexFunc(p.entries, func(e entry) bool {
			return e.requestType == r.Type && e.IdempotencyKey == r.IdempotencyKey
		})
		if at < 0 {
			at = len(p.entries)
			p.entries = append(p.entries, entry{requestType: r.Type})
		}

		e := &p.entries[at]
		e.Submission, e.submitted = s, e.submitted || submitted
		e.IdempotencyKey = r.IdempotencyKey
	})
}

// open returns this process's requests about the person that the service may still be
// working on.
func (h *history) open(r Request) (open []entry) {
	h.about(r.Person, func(p *personHistory) {
		for _, e := range p.entries {
			if e.State.IsOpen() {
				open = append(open, e)
			}
		}
	})
	return open
}
