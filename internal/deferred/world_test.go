package deferred

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// setting is what does not change during a schedule.
type setting struct {
	name        string
	requestType string
	repeatable  bool
	noEffect    bool // nothing is to be seen of it, as of data access
	effect      bool // the effect is visible from the beginning
	oldFailed   bool // the service lists an old request that failed
	noIDs       bool // answers and records have no ids
}

var settings = []setting{
	{name: "deletion", requestType: client.RequestDataDeletion},
	{name: "deletion of a person without a profile", requestType: client.RequestDataDeletion, effect: true},
	{name: "deletion beside an old failed one", requestType: client.RequestDataDeletion, oldFailed: true},
	{name: "deletion without ids", requestType: client.RequestDataDeletion, noIDs: true},
	{name: "deletion without ids beside an old failed one", requestType: client.RequestDataDeletion, noIDs: true, oldFailed: true},
	{name: "profile update", requestType: client.RequestProfileUpdate, repeatable: true},
	{name: "data access", requestType: client.RequestDataAccess, noEffect: true},
}

// queued is a request as the service has it.
type queued struct {
	id       string
	at       time.Time
	occasion string
	old      bool
	status   string // empty: pending
	shown    string // a status while it is pending
	listed   bool
	effect   bool // it was carried out
	answered bool // the answer to it arrived
}

// object is an object of Terraform's state.
type object struct {
	exists     bool
	submission Submission
	unanswered Submission
}

// world is a service, a person, and Terraform.
type world struct {
	setting

	c      *chooser
	script []string // what happens before c chooses
	engine *Engine
	queue  []*queued
	effect bool   // the effect of a deletion is visible
	values string // the occasion of the update whose values the profile has
	broken []string
	// story is what happened, if telling is set.
	story   []string
	telling bool
	looks   int // that were made
	// recovering: the service works as it should.
	recovering bool

	objects [2]object
	cancel  context.CancelFunc
	// wishes is how many requests may be accepted: one for each that the configuration
	// wants, and one more for each whose outcome was reported as unknown, failed or
	// dropped. wished are the occasions that were wanted.
	wishes int
	wished map[string]bool
}

const lag = 3 * time.Second

func newWorld(s setting, c *chooser) *world {
	w := &world{setting: s, c: c, effect: s.effect, wished: map[string]bool{}}
	if s.oldFailed {
		w.queue = append(w.queue, &queued{id: "old", at: time.Now().Add(-time.Hour), status: "failed", listed: true, old: true})
	}
	w.restart()
	return w
}

// restart begins another run of the provider, which remembers nothing.
func (w *world) restart() { w.engine = &Engine{service: w, watch: w} }

// choose returns one of several things that may happen. The usual one comes first.
func (w *world) choose(options []string) string {
	if w.recovering {
		return options[0]
	}
	if len(w.script) > 0 {
		next := w.script[0]
		w.script = w.script[1:]
		return options[slices.Index(options, next)]
	}

	return options[w.c.choose(len(options))]
}

func (w *world) tell(format string, args ...any) {
	if !w.telling {
		return
	}
	w.story = append(w.story, fmt.Sprintf(format, args...))
}

func (w *world) breaks(format string, args ...any) {
	w.broken = append(w.broken, "BROKEN: "+fmt.Sprintf(format, args...))
}

// The service, as the engine sees it.

func (w *world) LockPerson(context.Context, client.Scope, string) (func(), error) {
	return func() {}, nil
}
func (w *world) PendingListLag() time.Duration { return lag }
func (w *world) PendingListUse() string        { return client.ListWhole }
func (w *world) ReadOnly() bool                { return false }

// pendingOne returns the oldest request that the service works on.
func (w *world) pendingOne() *queued {
	for _, q := range w.queue {
		if q.status == "" && !q.effect {
			return q
		}
	}
	return nil
}

func (w *world) carryOut(q *queued) {
	q.effect, q.listed, w.effect, w.values = true, false, true, q.occasion
}

// shows reports whether the effect of a request is visible. Each occasion of an update has
// values of its own.
func (w *world) shows(occasion string) bool {
	if w.repeatable {
		return w.values == occasion
	}
	return w.effect
}

// look decides what happens to the oldest request before the list is read, and how
// the list is answered.
func (w *world) look(ctx context.Context, _ person, _, since time.Time) (view, error) {
	<-time.After(min(max(time.Since(since)/10, pollFloor), pollCeiling))
	if ctx.Err() != nil {
		return view{}, ctx.Err()
	}

	options := []string{"as it is", "fulfilled", "failed", "failed and gone", "vanished", "done and listed", "down", "forbidden", "paged", "lagging", "unknown status", "unknown final status", "interrupted"}
	choice := w.choose(options)
	q := w.pendingOne()
	if q != nil {
		switch choice {
		case "fulfilled":
			w.carryOut(q)

		case "failed":
			q.status = "failed"

		case "failed and gone":
			q.status, q.listed = "failed", false

		case "vanished":
			q.status, q.listed = "vanished", false

		case "done and listed":
			w.carryOut(q)
			q.status, q.listed = "done", true

		case "unknown status":
			q.shown = "QUEUED_V2"

		case "unknown final status":
			w.carryOut(q)
			q.status, q.listed = "archived", true
		}
	}
	if choice == "interrupted" && w.cancel != nil {
		w.cancel()
		choice = "as it is"
	}

	w.looks++
	w.tell("    look: %s", choice)

	switch choice {
	case "down":
		return view{}, &client.Error{Class: client.ClassServer}
	case "forbidden":
		return view{}, &client.Error{Class: client.ClassForbidden}
	}

	shown := view{began: time.Now()}
	for _, q := range w.queue {
		if q.listed && (choice != "lagging" || time.Since(q.at) >= lag) {
			shown.records = append(shown.records, w.recordOf(q))
		}
	}

	if choice == "paged" {
		shown.gap, shown.records = "there are pages", nil
	}

	return shown, nil
}

func (w *world) recordOf(q *queued) client.PendingRecord {
	record := client.PendingRecord{RequestType: client.Some(w.requestType), CreatedAt: client.Some(q.at), JSON: []byte("{}")}
	if !w.noIDs {
		record.ID = client.Some(q.id)
	}
	if status := cmp.Or(q.status, q.shown); status != "" {
		record.Status = client.Some(status)
		record.Ended = w.recovering && status == "archived" // the way out that the error names
	}

	return record
}

// send decides what becomes of a request that arrives, or does not.
func (w *world) send(occasion string) func(context.Context) (client.Receipt, error) {
	return func(context.Context) (client.Receipt, error) {
		<-time.After(10 * time.Millisecond)
		options := []string{"accepted", "accepted and fulfilled", "rejected", "lost before", "lost after", "lost after, fulfilled", "interrupted, answered", "interrupted, lost"}
		choice := w.choose(options)
		w.tell("    send for %s: %s", occasion, choice)
		if strings.HasPrefix(choice, "interrupted") && w.cancel != nil {
			w.cancel()
		}

		switch choice {
		case "rejected":
			return client.Receipt{}, &client.Error{Class: client.ClassRejected}
		case "lost before":
			return client.Receipt{}, &client.Error{Class: client.ClassConnectionLost, Ambiguous: true}
		}

		q := &queued{id: fmt.Sprint("r", len(w.queue)), at: time.Now(), occasion: occasion, listed: true}
		w.queue = append(w.queue, q)
		if strings.Contains(choice, "fulfilled") {
			w.carryOut(q)
		}
		if strings.Contains(choice, "lost") {
			return client.Receipt{}, &client.Error{Class: client.ClassConnectionLost, Ambiguous: true}
		}

		q.answered = true
		receipt := client.Receipt{At: q.at}
		if !w.noIDs {
			receipt.ID = q.id
		}

		return receipt, nil
	}
}

func (w *world) request(occasion string) Request {
	r := Request{
		Type: w.requestType, Occasion: occasion, Repeatable: w.repeatable,
		Adopts: !w.repeatable, Once: w.requestType == client.RequestDataDeletion,
		Send: w.send(occasion),
	}
	if !w.noEffect {
		r.Effect = func(context.Context) (bool, error) { return w.shows(occasion), nil }
	}

	return r
}
