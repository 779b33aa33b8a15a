package deferred

import (
	"slices"
	"sync"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// person is somebody in a scope.
type person struct {
	scope    client.Scope
	identity string
}

func personOf(r Request) person { return person{r.Scope, r.Identity} }

// run is what this process has submitted or read from state, by person. The pending
// list alone cannot tell whether a request was sent before: what is fulfilled is not
// in it any more. The zero value is ready; safe for concurrent use.
type run struct {
	mu     sync.Mutex
	people map[person]*memory
}

// memory is what is known of one person's requests.
type memory struct {
	ended   time.Time // end of the latest submission
	entries []entry
}

// entry is a request of one operation for one occasion.
type entry struct {
	Submission
	operation string

	// creates and destroys: the plan creates an object for the request, or destroys
	// one that stands for it.
	creates, destroys bool
}

func (r *run) of(about person) *memory {
	m := r.people[about]
	if m == nil {
		m = &memory{}
		if r.people == nil {
			r.people = map[person]*memory{}
		}
		r.people[about] = m
	}
	return m
}

// entryOf returns the entry for a request, which it adds where there is none.
func (m *memory) entryOf(r Request) *entry {
	at := slices.IndexFunc(m.entries, func(e entry) bool { return e.operation == r.Type && e.Occasion == r.Occasion })
	if at < 0 {
		at = len(m.entries)
		m.entries = append(m.entries, entry{operation: r.Type, Submission: Submission{Occasion: r.Occasion}})
	}
	return &m.entries[at]
}

// find returns the submission of a request that is sent once for its occasion.
func (r *run) find(q Request) (Submission, bool) {
	if !q.Once {
		return Submission{}, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()

	s := r.of(personOf(q)).entryOf(q).Submission
	return s, s.State != Idle && !s.State.IsOver()
}

// note remembers a submission and what became of it.
func (r *run) note(q Request, s Submission) {
	r.mu.Lock()
	defer r.mu.Unlock()

	entry := r.of(personOf(q)).entryOf(q)
	entry.Submission = s
	entry.Occasion = q.Occasion
}

// carriedOut forgets what was planned for a request.
func (r *run) carriedOut(q Request) {
	r.mu.Lock()
	defer r.mu.Unlock()

	entry := r.of(personOf(q)).entryOf(q)
	entry.creates, entry.destroys = false, false
}

// noteEnd remembers that a submission about a person has just ended.
func (r *run) noteEnd(about person) {
	r.mu.Lock()
	defer r.mu.Unlock()

	r.of(about).ended = time.Now()
}

// latest returns the later of a time and the end of the latest submission about a
// person: a reading of the list that began before it proves nothing.
func (r *run) latest(about person, t time.Time) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()

	if ended := r.of(about).ended; ended.After(t) {
		return ended
	}
	return t
}

// open returns the person's requests of this process that the service may still be
// working on.
func (r *run) open(q Request) []entry {
	r.mu.Lock()
	defer r.mu.Unlock()

	var open []entry
	for _, e := range r.of(personOf(q)).entries {
		if e.State.IsOpen() {
			open = append(open, e)
		}
	}
	return open
}

// plan marks an entry as planned to be created or destroyed, and reports whether it
// is both.
func (r *run) plan(q Request, mark func(*entry)) (both bool) {
	r.mu.Lock()
	defer r.mu.Unlock()

	entry := r.of(personOf(q)).entryOf(q)
	mark(entry)
	return entry.creates && entry.destroys
}
