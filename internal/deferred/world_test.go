// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// setting is what does not change during a schedule.
type setting struct {
	name        string
	requestType string
	repeatable  bool
	noEffect    bool   // nothing is to be seen of it, as of data access
	effect      bool   // the effect is visible from the beginning
	old         string // the status of an old request that the service lists; empty for none
	ids         ids
	// respelled: the list names the person in another spelling.
	respelled bool
	// crowded: the list shows requests of another person, and one of another type about
	// the person with the id that the latest request has.
	crowded bool
}

// ids is which identifiers answers and records have.
type ids int

const (
	sameIDs        ids = iota // of the request, in both
	noIDs                     // none
	correlationIDs            // another one in the answer than in the list
	reusedIDs                 // one of a request that is over is given to another
	positionalIDs             // the position in the list
)

var settings = []setting{
	{name: "deletion", requestType: answer.RequestDataDeletion},
	{name: "deletion of a person without a profile", requestType: answer.RequestDataDeletion, effect: true},
	{name: "deletion beside an old failed one", requestType: answer.RequestDataDeletion, old: "failed"},
	{name: "deletion beside an old one that is done", requestType: answer.RequestDataDeletion, old: "done"},
	{name: "deletion without ids", requestType: answer.RequestDataDeletion, ids: noIDs},
	{name: "deletion without ids beside an old failed one", requestType: answer.RequestDataDeletion, ids: noIDs, old: "failed"},
	{name: "profile update", requestType: answer.RequestProfileUpdate, repeatable: true},
	{name: "data access without ids beside an old one that is done", requestType: answer.RequestDataAccess, noEffect: true, ids: noIDs, old: "done"},
	{name: "data access", requestType: answer.RequestDataAccess, noEffect: true},
	{name: "deletion with correlation ids", requestType: answer.RequestDataDeletion, ids: correlationIDs, effect: true},
	{name: "data access with correlation ids", requestType: answer.RequestDataAccess, ids: correlationIDs, noEffect: true, crowded: true},
	{name: "deletion with reused ids", requestType: answer.RequestDataDeletion, ids: reusedIDs, effect: true},
	{name: "data access with reused ids", requestType: answer.RequestDataAccess, ids: reusedIDs, noEffect: true},
	{name: "deletion with positions as ids", requestType: answer.RequestDataDeletion, ids: positionalIDs, effect: true, crowded: true},
	{name: "profile update with positions as ids", requestType: answer.RequestProfileUpdate, ids: positionalIDs, repeatable: true, crowded: true},
	{name: "deletion of a person in another spelling", requestType: answer.RequestDataDeletion, respelled: true},
	{name: "data access of a person in another spelling", requestType: answer.RequestDataAccess, noEffect: true, respelled: true},
	{name: "deletion of a person in another spelling, with correlation ids", requestType: answer.RequestDataDeletion, ids: correlationIDs, effect: true, respelled: true},
	{name: "deletion beside those of others", requestType: answer.RequestDataDeletion, effect: true, crowded: true},
}

// queued is a request as the service has it.
type queued struct {
	id       string
	at       time.Time
	key      string
	old      bool
	status   string // empty: pending
	shown    string // a status while it is pending
	listed   bool
	effect   bool // it was carried out
	answered bool // the answer to it arrived
}

// isHeld reports whether the service may still carry out the request.
func (q *queued) isHeld() bool { return q.status == "" && !q.effect }

// object is an object of Terraform's state.
type object struct {
	exists     bool
	submission Submission
	unanswered Submission
	// sent are the requests that the service has accepted for the submission, or that it
	// held when the object took one over.
	sent []*queued
	// lost is sent of a submission whose outcome is unknown.
	lost []*queued
	// key is the latest one, even if the object is destroyed.
	key       string
	destroyed bool
}

// shownAt is what the list held at a time.
type shownAt struct {
	at      time.Time
	records []answer.PendingRecord
}

// world is a service, a person, and Terraform.
type world struct {
	setting

	c      *chooser
	script []string // what happens before c chooses
	engine *Engine
	queue  []*queued
	effect bool   // the effect of a deletion is visible
	values string // the key of the update whose values the profile has
	broken []string
	// story is what happened, if telling is set.
	story   []string
	telling bool
	looks   int // that were made
	// readings are what the list held at each look, and blanked: it was blank once.
	readings []shownAt
	blanked  bool
	left     bool // the others of a crowd have left
	// recovering: the service works as it should.
	recovering bool

	objects [2]object
	cancel  context.CancelFunc
	// wishes is how many requests may be accepted: one for each that the configuration
	// wants, and one more for each whose outcome was reported as unknown, failed or
	// dropped.
	wishes int
}

const lag = 3 * time.Second

func newWorld(s setting, c *chooser) *world {
	w := &world{setting: s, c: c, effect: s.effect}
	if s.old != "" {
		w.queue = append(w.queue, &queued{id: "old", at: time.Now().Add(-time.Hour), status: s.old, listed: true, old: true})
	}
	w.restart()
	return w
}

// restart begins another run of the provider, which remembers nothing.
func (w *world) restart() {
	w.engine = &Engine{service: w, watch: w}
	for i := range w.objects {
		if o := &w.objects[i]; o.destroyed && !o.exists {
			*o = object{}
		}
	}
}

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

func (w *world) LockPerson(context.Context, client.Person) (func(), error) {
	return func() {}, nil
}
func (w *world) PendingListLag() time.Duration { return lag }
func (w *world) PendingListUse() string        { return client.ListWhole }
func (w *world) ReadOnly() bool                { return false }

// pendingOne returns the oldest request that the service works on.
func (w *world) pendingOne() *queued {
	for _, q := range w.queue {
		if q.isHeld() {
			return q
		}
	}
	return nil
}

func (w *world) carryOut(q *queued) {
	q.effect, q.listed, w.effect, w.values = true, false, true, q.key
}

// shows reports whether the effect of a request is visible. Each key of an update has
// values of its own.
func (w *world) shows(key string) bool {
	if w.repeatable {
		return w.values == key
	}
	return w.effect
}

// ends is what becomes of a request.
var ends = map[string]struct {
	status               string
	listed, isCarriedOut bool
}{
	"fulfilled":            {"", false, true},
	"failed":               {"failed", true, false},
	"failed and gone":      {"failed", false, false},
	"vanished":             {"vanished", false, false},
	"done and listed":      {"done", true, true},
	"unknown final status": {"archived", true, true},
}

// look decides what happens to the oldest request before the list is read, and how
// the list is answered.
func (w *world) look(ctx context.Context, _ client.Person, _, since time.Time) (view, error) {
	<-time.After(min(max(time.Since(since)/10, pollFloor), pollCeiling))
	if ctx.Err() != nil {
		return view{}, ctx.Err()
	}

	options := []string{"as it is", "fulfilled", "failed", "failed and gone", "vanished", "done and listed", "down", "forbidden", "paged", "lagging", "unknown status", "unknown final status", "interrupted", "goes back", "blank", "others leave"}
	impossible := []string{}
	if !w.crowded || w.left {
		impossible = append(impossible, "others leave")
	}
	if w.blanked {
		impossible = append(impossible, "blank")
	}
	options = slices.DeleteFunc(options, func(option string) bool { return slices.Contains(impossible, option) })
	choice := w.choose(options)
	if q := w.pendingOne(); q != nil {
		if choice == "unknown status" {
			q.shown = "QUEUED_V2"
		}
		if end, ends := ends[choice]; ends {
			if end.isCarriedOut {
				w.carryOut(q)
			}
			q.status, q.listed = end.status, end.listed
		}
	}
	if choice == "others leave" {
		w.left = true
	}
	if choice == "interrupted" && w.cancel != nil {
		w.cancel()
		choice = "as it is"
	}

	w.looks++
	w.tell("    look: %s", choice)

	switch choice {
	case "down":
		return view{}, &transport.Error{Class: transport.ClassServer}
	case "forbidden":
		return view{}, &transport.Error{Class: transport.ClassForbidden}
	}

	return w.listing(choice).about(whom), nil
}

// whom is the person of the world as requests name it.
const whom = "Person@example.com"

// listing returns what the service shows in its list.
func (w *world) listing(choice string) *listing {
	shown := &listing{began: time.Now(), ended: time.Now(), date: time.Now().Truncate(time.Second), all: w.shown(0)}
	if choice == "lagging" {
		shown.all = w.shown(lag)
	}
	w.readings = append(w.readings, shownAt{shown.began, shown.all})

	switch choice {
	case "paged":
		shown.gap, shown.all = "there are pages", nil
	case "blank":
		w.blanked, shown.all = true, nil
	case "goes back":
		young := slices.IndexFunc(w.readings, func(r shownAt) bool { return time.Since(r.at) < lag })
		shown.all = w.readings[young].records
	}

	return shown
}

// shown returns the records of the list that are at least so old.
func (w *world) shown(age time.Duration) []answer.PendingRecord {
	var all []answer.PendingRecord
	if w.crowded && !w.left {
		all = w.others()
	}
	for _, q := range w.queue {
		if q.listed && time.Since(q.at) >= age {
			all = append(all, w.recordOf(q, len(all)))
		}
	}

	return all
}

// others returns the records of a crowd.
func (w *world) others() []answer.PendingRecord {
	another := answer.PendingRecord{
		ID: answer.Some("0"), Identity: answer.Some("another@example.com"), RequestType: answer.Some(w.requestType),
		CreatedAt: answer.Some(time.Now().Add(-time.Hour)), JSON: []byte("{}"),
	}
	same := another
	same.Identity, same.RequestType = answer.Some(whom), answer.Some("consent")
	same.ID = answer.Some(fmt.Sprint("r", len(w.queue)-1)) // numbered for each type
	if w.ids == positionalIDs {
		same.ID = answer.Some("1")
	}

	return []answer.PendingRecord{another, same}
}

func (w *world) recordOf(q *queued, position int) answer.PendingRecord {
	record := answer.PendingRecord{
		Identity: answer.Some(whom), RequestType: answer.Some(w.requestType), CreatedAt: answer.Some(q.at), JSON: []byte("{}"),
	}
	if w.respelled {
		record.Identity = answer.Some(strings.ToLower(whom))
	}

	switch {
	case w.ids == positionalIDs:
		record.ID = answer.Some(strconv.Itoa(position))
	case w.ids != noIDs:
		record.ID = answer.Some(q.id)
	}
	if status := cmp.Or(q.status, q.shown); status != "" {
		record.Status = answer.Some(status)
		record.Progress = map[string]answer.Progress{"failed": answer.Failed, "vanished": answer.Waiting, "done": answer.Done, "archived": answer.Unclear, "QUEUED_V2": answer.Unclear}[status]
		if w.recovering && status == "archived" { // the way out that the error names
			record.Progress = answer.Ended
		}
	}

	return record
}

// receiptID returns the identifier in the answer to a request.
func (w *world) receiptID(q *queued) string {
	switch w.ids {
	case noIDs:
		return ""
	case correlationIDs:
		return "c-" + q.id
	case positionalIDs: // it is the last
		return strconv.Itoa(len(w.shown(0)) - 1)
	}

	return q.id
}

// newID returns the identifier of a request that is accepted.
func (w *world) newID() string {
	if w.ids != reusedIDs {
		return fmt.Sprint("r", len(w.queue))
	}
	held := 0
	for _, q := range w.queue {
		if q.isHeld() {
			held++
		}
	}

	return fmt.Sprint("r", held)
}

// send decides what becomes of a request that arrives, or does not.
func (w *world) send(key string) func(context.Context) (answer.Receipt, error) {
	return func(context.Context) (answer.Receipt, error) {
		<-time.After(10 * time.Millisecond)
		options := []string{"accepted", "accepted and fulfilled", "rejected", "lost before", "lost after", "lost after, fulfilled", "interrupted, answered", "interrupted, lost"}
		choice := w.choose(options)
		w.tell("    send for %s: %s", key, choice)
		if strings.HasPrefix(choice, "interrupted") && w.cancel != nil {
			w.cancel()
		}

		switch choice {
		case "rejected":
			return answer.Receipt{}, &transport.Error{Class: transport.ClassRejected}
		case "lost before":
			return answer.Receipt{}, &transport.Error{Class: transport.ClassConnectionLost, Ambiguous: true}
		}

		q := &queued{id: w.newID(), at: time.Now(), key: key, listed: true}
		w.queue = append(w.queue, q)
		if strings.Contains(choice, "fulfilled") {
			w.carryOut(q)
		}
		if strings.Contains(choice, "lost") {
			return answer.Receipt{}, &transport.Error{Class: transport.ClassConnectionLost, Ambiguous: true}
		}

		q.answered = true

		return answer.Receipt{At: q.at, ID: w.receiptID(q)}, nil
	}
}

func (w *world) request(key string) Request {
	r := Request{
		Person: client.Person{Identity: whom}, Type: w.requestType, IdempotencyKey: key, Repeatable: w.repeatable,
		Adopts: !w.repeatable, Once: w.requestType == answer.RequestDataDeletion,
		Send: w.send(key),
	}
	if !w.noEffect {
		r.Effect = func(context.Context, time.Time) (bool, error) { return w.shows(key), nil }
	}

	return r
}
