// SPDX-License-Identifier: MPL-2.0

package choice

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

// service is how a service keeps what it is sent.
type service struct {
	name      string
	precision time.Duration // of times, cut
	dates     bool          // the time of each write
	datesNone bool          // the time of a write without one
	drops     bool          // the time of a record that refuses everything
	masks     bool          // addresses
	keepsNone bool          // no times
	told      Keeping       // what the provider is told of that; a batch is always told
	untold    bool          // single objects are not
}

var services = []service{
	{name: "exact"},
	{name: "seconds", precision: time.Second, told: Keeping{Precision: time.Second}},
	{name: "minutes", precision: time.Minute, told: Keeping{Precision: time.Minute}},
	{name: "minutes, untold", precision: time.Minute, told: Keeping{Precision: time.Minute}, untold: true},
	{name: "dates every update", dates: true, told: Keeping{SetsTime: true}, untold: true},
	{name: "dates what has no time", datesNone: true},
	{name: "drops the time of a refusal", drops: true},
	{name: "keeps no times", keepsNone: true},
	{name: "masks addresses", masks: true, told: Keeping{Altered: []string{"user_ipv6"}}, untold: true},
}

// keeping returns what the provider is told of the service.
func (s service) keeping(of int) Keeping {
	if s.untold && of != file {
		return Keeping{}
	}
	return s.told
}

// store returns the record that the service makes of a write. Fields that are not sent stay.
func (s service) store(held Print, r Record, now time.Time) Print {
	after := r.Print()
	after.Address, after.Time = cmp.Or(after.Address, held.Address), cmp.Or(after.Time, held.Time)
	if s.masks {
		after.Address = 7
	}

	isDated := s.dates || s.datesNone && r.AgreementTime.IsZero()
	if isDated {
		after.Time = now.UnixMilli()
	}
	after.Time -= after.Time % max(s.precision.Milliseconds(), 1)
	isRefusal := after.Clauses == refusesAll
	if s.keepsNone || s.drops && isRefusal {
		after.Time = 0
	}

	return after
}

// The objects of a course. The row of a file is remembered by nobody.
const (
	one = iota
	other
	file
	objects
)

// fault is what happens to a reading or a write.
type fault int

const (
	cached fault = iota + 1
	isNone
	old
	lostBefore
	lostAfter
	refusedInASuccess
)

// events are what a course consists of. They change the world.
var events = []struct {
	name    string
	happens func(w *world)
}{
	{"the person refuses", func(w *world) { w.choose([decode.Clauses]bool{4: true}) }},
	{"the person refuses all", func(w *world) { w.choose([decode.Clauses]bool{}) }},
	{"create one", func(w *world) { w.write(one, agreedTo, false) }},
	{"change one", func(w *world) { w.write(one, changedTo, true) }},
	{"withdraw one", func(w *world) { w.withdraw(one) }},
	{"create other", func(w *world) { w.write(other, agreedTo, false) }}, // another object of the same person
	{"withdraw other", func(w *world) { w.withdraw(other) }},
	{"apply row", func(w *world) { w.write(file, agreedTo, w.all[file].exists) }},
	{"withdraw row", func(w *world) { w.withdraw(file) }},
	{"next run", func(w *world) { w.last, w.isSeen, w.keeps = Confirmed{}, false, [objects]bool{} }},
	{"cached", func(w *world) { w.reading = cached }},
	{"none", func(w *world) { w.reading = isNone }},
	{"old", func(w *world) { w.reading = old }},
	{"lost before", func(w *world) { w.writing = lostBefore }},
	{"lost after", func(w *world) { w.writing = lostAfter }},
	{"refused in a 200", func(w *world) { w.writing = refusedInASuccess }},
}

// world is the state of a course. It is copied with each event.
type world struct {
	service service
	now     time.Time

	held     Print // what the service holds; zero if there is no record
	old      Print // what it held before
	byPerson bool  // the person has made the record
	reading  fault // of the next one
	writing  fault // of the next one
	isOld    bool  // the present event goes by an old reading, which nothing shows

	last   Confirmed // what the run remembers
	isSeen bool
	keeps  [objects]bool
	all    [objects]struct {
		exists bool
		last   Confirmed
	}

	broken string // an invariant
}

// read returns a reading, and whether it is fresh.
func (w *world) read() (r Reading, fresh bool) {
	happens, held := w.reading, w.held
	w.reading = 0

	switch happens {
	case cached:
		r.Cached, held = true, w.old
	case old:
		held, w.isOld = w.old, true
	case isNone:
		held = Print{}
	}
	r.Print, r.IsNone = held, held == Print{}

	return r, happens == 0
}

// isKept reports whether another object keeps the person.
func (w *world) isKept(of int) bool {
	for i, keeps := range w.keeps {
		if keeps && i != of {
			return true
		}
	}
	return false
}

// judge completes the evidence as the provider does.
func (w *world) judge(of int, e Evidence, r Reading) Act {
	e.Reading, e.Keeping, e.Last = r, w.service.keeping(of), cmp.Or(w.last, e.Last)
	e.Known = e.Known || w.isSeen
	e.Taken = e.Action == Withdraw && w.isKept(of)
	isRecord := !r.IsNone && !r.Cached
	w.isSeen = w.isSeen || isRecord
	_, act := Judge(e)

	return act
}

// send judges and writes, as the client does, and returns the act and whether it was done.
func (w *world) send(of int, e Evidence) (act Act, failed bool) {
	var before *Print
	for sends := 0; ; {
		r, fresh := w.read()
		r.Lost, r.Before = sends > 0, before
		if sends == 0 {
			before = &r.Print
		}
		act = w.judge(of, e, r)
		if act == Ask {
			e.Twice = true
			continue
		}
		if act != Send || sends == 2 {
			return act, act == Refuse || act == Send
		}
		if w.byPerson && fresh {
			w.broken = "a choice of the person was overwritten that a fresh reading showed"
		}
		if e.Action == Withdraw && w.isKept(of) {
			w.broken = "a person was withdrawn whom another object of the run keeps"
		}

		happens := w.writing
		w.writing = 0
		if happens == refusedInASuccess {
			return act, true // a reading shows it
		}
		if happens != lostBefore {
			w.old, w.held, w.byPerson = w.held, w.service.store(w.held, e.Wanted, w.now), false
		}
		if happens == 0 {
			w.last, w.isSeen = Confirmed{Sent: e.Wanted.Print(), Shown: w.held}, true
			return act, false
		}
		sends++
	}
}

var (
	agreedTo, changedTo = [decode.Clauses]bool{true, true, false, true, true}, [decode.Clauses]bool{true, true, true, true, true}
	refusesAll          = Record{}.Print().Clauses
)

// write creates an object, changes one that exists, or applies the row.
func (w *world) write(of int, clauses [decode.Clauses]bool, exists bool) {
	object := &w.all[of]
	if object.exists != exists {
		return
	}

	wanted := sent
	wanted.Clauses = clauses
	isFile := of == file
	e := Evidence{Action: Write, Wanted: wanted, Since: sent.AgreementTime, Anew: !isFile, Known: exists && !isFile, Last: object.last}
	w.keeps[of] = true
	act, failed := w.send(of, e)
	if failed {
		return
	}

	object.exists, object.last = true, w.last
	if act != Send { // a lost answer that arrived has no record of how it is shown
		object.last = Confirmed{Sent: wanted.Print()}
		return
	}
	if w.held.Clauses != wanted.Print().Clauses {
		w.broken = "it is reported as written, and the service holds something else"
	}

	// What is written plans empty.
	e.Action, e.Anew, e.Last, e.Reading, e.Keeping = Refresh, false, object.last, Reading{Print: w.held}, w.service.keeping(of)
	if isFile {
		e.Action, e.Last = Plan, Confirmed{}
	}
	if verdict, act := Judge(e); act != Nothing {
		w.broken = fmt.Sprintf("what was written is judged as %d in the next plan", verdict)
	}
}

// withdraw destroys an object.
func (w *world) withdraw(of int) {
	object := &w.all[of]
	if !object.exists {
		return
	}

	last := object.last
	if of == file {
		last.Shown = Print{}
	}
	w.keeps[of] = false
	act, failed := w.send(of, Evidence{Action: Withdraw, Wanted: Record{Manual: true}, Since: sent.AgreementTime, Known: true, Last: last})
	if failed {
		return
	}

	object.exists, object.last = false, Confirmed{}

	isWithdrawn := act == Send || act == Nothing
	isThere := w.held != Print{} && w.old != Print{}
	switch {
	case w.isOld:
	case isWithdrawn && w.held.Clauses != refusesAll:
		w.broken = "it is reported as withdrawn, and is not"
	case act == Report && isThere:
		w.broken = "it is reported as missing, and is not"
	}
}

// choose lets the person choose in the banner of the service.
func (w *world) choose(clauses [decode.Clauses]bool) {
	w.old, w.held, w.byPerson = w.held, w.service.store(w.held, Record{Clauses: clauses, AgreementTime: w.now}, w.now), true
}

// after returns the world after an event.
func (w world) after(event int) world {
	w.now, w.isOld = w.now.Add(7*time.Second), false
	events[event].happens(&w)

	return w
}

// newWorld returns the world before a course. A choice in the minute that is configured is told from an
// earlier one only where the precision is told.
func newWorld(s service) world {
	w := world{service: s, now: configured.Add(3 * time.Second)}
	if s.untold {
		w.now = configured.Add(time.Minute)
	}

	return w
}

// explore takes every course of so many events.
func explore(w world, depth int, course []int) (broken string) {
	if w.broken != "" {
		return w.service.name + ": " + w.broken + describe(course)
	}
	if depth == 0 {
		return ""
	}

	for event := range events {
		if broken := explore(w.after(event), depth-1, append(course, event)); broken != "" {
			return broken
		}
	}

	return ""
}

func describe(course []int) (text string) {
	for _, event := range course {
		text += "\n\t" + events[event].name
	}
	return text
}

// TestExplore_everyCourse takes every course of a few events, at each service.
func TestExplore_everyCourse(t *testing.T) {
	t.Parallel()
	for _, s := range services {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			if broken := explore(newWorld(s), soak.Size(soak.Raced(4, 5), 6), nil); broken != "" {
				t.Error(broken)
			}
		})
	}
}

// TestExplore_longCourses takes longer ones at random.
func TestExplore_longCourses(t *testing.T) {
	t.Parallel()
	for i := range soak.Schedules(2000, 1_000_000) {
		r := rand.New(rand.NewPCG(soak.Seed(i), 5))
		w := newWorld(services[r.IntN(len(services))])
		var course []int
		for range 20 {
			course = append(course, r.IntN(len(events)))
			w = w.after(course[len(course)-1])
			if w.broken != "" {
				t.Fatal(w.service.name + ": " + w.broken + describe(course))
			}
		}
	}
}
