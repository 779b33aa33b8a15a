// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"slices"
	"sync"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// person is a person in a scope.
type person struct {
	scope    client.Scope
	identity string
}

func personOf(r Request) person { return person{r.Scope, r.Identity} }

// history is what this process has submitted or read from state, by person. The pending
// list alone cannot tell whether a request was sent before, because it does not show
// fulfilled ones. The zero value is ready for use; it is safe for concurrent use.
type history struct {
	mu     sync.Mutex
	people map[person]*personHistory
}

// personHistory is what is known about one person's requests.
type personHistory struct {
	ended   time.Time // when the latest submission ended
	looked  time.Time // when reading the latest listing began that was looked at for the person
	entries []entry
}

// entry is a request of one type for one occasion.
type entry struct {
	Submission
	requestType string
	submitted   bool // by this process
}

func (h *history) of(about person) *personHistory {
	p := h.people[about]
	if p == nil {
		p = &personHistory{}
		if h.people == nil {
			h.people = map[person]*personHistory{}
		}
		h.people[about] = p
	}

	return p
}

// entryOf returns the entry for a request, and adds it if there is none.
func (p *personHistory) entryOf(r Request) *entry {
	at := slices.IndexFunc(p.entries, func(e entry) bool { return e.requestType == r.Type && e.Occasion == r.Occasion })
	if at < 0 {
		at = len(p.entries)
		p.entries = append(p.entries, entry{requestType: r.Type, Submission: Submission{Occasion: r.Occasion}})
	}
	return &p.entries[at]
}

// find returns the submission that stands for a request which is sent once for its
// occasion.
func (h *history) find(r Request) (Submission, bool) {
	if !r.Once {
		return Submission{}, false
	}

	h.mu.Lock()
	defer h.mu.Unlock()

	for _, e := range h.of(personOf(r)).entries {
		if e.standsFor(r) && e.State != Idle && !e.State.IsOver() {
			return e.Submission, true
		}
	}

	return Submission{}, false
}

// standsFor reports whether a request is for the same occasion as the entry, or whether one
// of the two is for any occasion and the entry was submitted by this process.
func (e *entry) standsFor(r Request) bool {
	if e.requestType != r.Type {
		return false
	}

	isAny := e.Occasion == AnyOccasion || r.Occasion == AnyOccasion
	return e.Occasion == r.Occasion || isAny && e.submitted
}

// note stores the submission of a request, as it is now.
func (h *history) note(r Request, s Submission) {
	h.mu.Lock()
	defer h.mu.Unlock()

	entry := h.of(personOf(r)).entryOf(r)
	entry.Submission = s
	entry.Occasion = r.Occasion
}

// noteSubmitted notes that this process has submitted a request.
func (h *history) noteSubmitted(r Request) {
	h.mu.Lock()
	defer h.mu.Unlock()

	h.of(personOf(r)).entryOf(r).submitted = true
}

// noteEnd notes that a submission about a person has just ended.
func (h *history) noteEnd(about person) {
	h.mu.Lock()
	defer h.mu.Unlock()

	h.of(about).ended = time.Now()
}

// latest returns the later of a time and the end of the latest submission about a
// person. A listing that began before that proves nothing.
func (h *history) latest(about person, t time.Time) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()

	if ended := h.of(about).ended; ended.After(t) {
		return ended
	}
	return t
}

// noteLook notes that a listing whose reading began at a time was looked at for a person.
func (h *history) noteLook(about person, began time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()

	h.of(about).looked = began
}

// looked returns the time of the latest noteLook; zero if there was none.
func (h *history) looked(about person) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()

	return h.of(about).looked
}

// open returns this process's requests about the person that the service may still be
// working on.
func (h *history) open(r Request) []entry {
	h.mu.Lock()
	defer h.mu.Unlock()

	var open []entry
	for _, e := range h.of(personOf(r)).entries {
		if e.State.IsOpen() {
			open = append(open, e)
		}
	}

	return open
}
