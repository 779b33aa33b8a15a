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

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/decode"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/deferred/proof"
)

// setting is what does not change during a schedule.
type setting struct {
	name        string
	requestType string
	noEffect    bool   // nothing is to be seen of it, as of data access
	effect      bool   // the effect is visible from the beginning
	old         string // the status of an old request that the service lists; empty for none
	ids         ids
	lastChange  bool   // the time of a record is that of its last change
	person      string // how the list names the person; empty for exactly
}

func (s setting) repeatable() bool { return s.requestType == decode.RequestProfileUpdate }

// ids is which identifiers answers and records have.
type ids int

const (
	sameIDs        ids = iota // of the request, in both
	noIDs                     // none
	correlationIDs            // another one in the answer than in the list
	reusedIDs                 // one of a request that is over, and not in the list any more, is given to another
	receiptIDs                // one in the answer, such as a place in the list, and none in the list, as wire.pending.id says
)

const (
	deletes = decode.RequestDataDeletion
	hands   = decode.RequestDataAccess
	updates = decode.RequestProfileUpdate
)

var settings = []setting{
	{name: "deletion", requestType: deletes},
	{name: "deletion of a person without a profile", requestType: deletes, effect: true},
	{name: "deletion beside an old failed one", requestType: deletes, old: "failed"},
	{name: "deletion beside an old one that is done", requestType: deletes, old: "done"},
	{name: "deletion without ids", requestType: deletes, ids: noIDs},
	{name: "deletion without ids beside an old failed one", requestType: deletes, ids: noIDs, old: "failed"},
	{name: "deletion where times are those of the last change", requestType: deletes, lastChange: true},
	{name: "profile update", requestType: updates},
	{name: "profile update where times are those of the last change", requestType: updates, lastChange: true},
	{name: "profile update without ids", requestType: updates, ids: noIDs},
	{name: "data access", requestType: hands, noEffect: true},
	{name: "data access without ids beside an old one that is done", requestType: hands, noEffect: true, ids: noIDs, old: "done"},
	{name: "data access where times are those of the last change", requestType: hands, noEffect: true, lastChange: true},
	{name: "deletion with correlation ids", requestType: deletes, ids: correlationIDs},
	{name: "data access with correlation ids", requestType: hands, ids: correlationIDs, noEffect: true},
	{name: "deletion with reused ids", requestType: deletes, ids: reusedIDs},
	{name: "data access with reused ids", requestType: hands, ids: reusedIDs, noEffect: true},
	{name: "deletion with ids in receipts alone", requestType: deletes, ids: receiptIDs, effect: true},
	{name: "deletion of a person in another spelling", requestType: deletes, person: "person@example.com"},
	{name: "data access of a person in another spelling", requestType: hands, noEffect: true, person: "person%40example.com"},
	{name: "deletion of a masked person", requestType: deletes, person: masked},
}

type queued struct {
	id         string
	at, change time.Time
	key        string
	theirs     bool   // another operator has sent it
	status     string // empty: pending
	shown      string // a status while it is pending
	listed     bool
	carriedOut bool
	seenFailed bool // a reading that counts has shown it as failed to its object
}

// isHeld reports whether the service may still carry out the request.
func (q *queued) isHeld() bool { return q.status == "" && !q.carriedOut }

type shownAt struct {
	at      time.Time
	records []decode.PendingRecord
}

// world is a service, a person, another operator and Terraform.
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
	// looks and attempts are how often the list was read, and a request was sent.
	looks, attempts int
	// readings are what the list held at each look, and blanked: it was blank once.
	readings []shownAt
	blanked  bool
	blind    string // how the effect is read next, if not as it is
	// recovering: the service works as it should, and the other operator has gone.
	recovering bool

	objects [2]object
	acting  *object
	cancel  context.CancelFunc
	// wishes is how many requests may be accepted: one for each that the configuration
	// wants, and one more for each whose outcome was reported as unknown or failed.
	wishes int
}

// masked is the person as a list names everybody.
const masked = "***"

const lag = 3 * time.Second

// whom is the person of the world as requests name it.
const whom = "Person@example.com"

func newWorld(s setting, c *chooser) *world {
	w := &world{setting: s, c: c, effect: s.effect}
	if s.old != "" {
		at := time.Now().Add(-time.Hour)
		w.queue = append(w.queue, &queued{id: "old", at: at, change: at, status: s.old, listed: true, theirs: true})
	}
	w.restart()
	return w
}

// restart begins another run of the provider, which remembers nothing.
func (w *world) restart() {
	w.engine = &Engine{people: &client.PersonLocks{}, read: w.snapshot, rules: proof.Rules{Lag: lag}, known: map[client.Person][]proof.Submission{}}
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
		if !slices.Contains(options, next) { // it is not its turn yet
			return options[0]
		}
		w.script = w.script[1:]
		return next
	}

	return options[w.c.choose(len(options))]
}

func (w *world) tell(format string, args ...any) {
	if w.telling {
		w.story = append(w.story, fmt.Sprintf(format, args...))
	}
}

func (w *world) breaks(format string, args ...any) {
	w.broken = append(w.broken, "BROKEN: "+fmt.Sprintf(format, args...))
}

// The service, as the engine sees it.

// held returns the oldest request that the service works on, ours or theirs.
func (w *world) held(theirs bool) *queued {
	if at := slices.IndexFunc(w.queue, func(q *queued) bool { return q.isHeld() && q.theirs == theirs }); at >= 0 {
		return w.queue[at]
	}
	return nil
}

func (w *world) carryOut(q *queued) { q.carriedOut, w.effect, w.values = true, true, q.key }

// shows reports whether the effect of a request is visible. Each key of an update has values of its own.
func (w *world) shows(key string) bool {
	if w.repeatable() {
		return w.values == key
	}
	return w.effect
}

var ends = map[string]struct {
	status               string
	listed, isCarriedOut bool
}{
	"done":                 {"done", false, true},
	"done and listed":      {"done", true, true},
	"failed":               {"failed", true, false},
	"failed and gone":      {"failed", false, false},
	"vanished":             {"vanished", false, false},
	"unknown final status": {"archived", true, true},
}

// what may happen before a look, and how the list is answered. Where it begins with theirs, it
// happens to the oldest request of the other operator.
var happenings = []string{
	"as it is", "done", "failed", "failed and gone", "vanished", "done and listed", "unknown final status",
	"theirs: sent", "theirs: done", "theirs: failed", "theirs: vanished", "theirs: done and listed",
	"new data", "unknown status", "interrupted",
	"down", "forbidden", "paged", "cached", "older", "lagging", "goes back", "blank", "effect lags", "effect cached", "effect older", "effect refused", "effect blinks", "leave",
}

// happen lets something happen, and returns how the list is answered.
func (w *world) happen(choice string) (answered string) {
	event, theirs := strings.CutPrefix(choice, "theirs: ")
	q := w.held(theirs)
	if end, ends := ends[event]; ends && q != nil {
		if end.isCarriedOut {
			w.carryOut(q)
		}
		q.status, q.listed, q.change = end.status, end.listed, time.Now()
		return "as it is"
	}

	switch {
	case choice == "theirs: sent":
		w.accept("theirs", true)
	case choice == "new data":
		w.effect, w.values = w.setting.effect, "somebody's"
	case choice == "unknown status" && q != nil:
		q.shown, q.change = "QUEUED_V2", time.Now()
	case choice == "interrupted" && w.cancel != nil:
		w.cancel()
	case choice == "leave": // what is over is not listed any more
		for _, q := range w.queue {
			q.listed = q.listed && q.isHeld()
		}
	case choice == "effect blinks" && w.blanked:
	case strings.HasPrefix(choice, "effect "):
		w.blind = choice
		w.blanked = w.blanked || choice == "effect blinks"
	default:
		return choice
	}

	return "as it is"
}

// snapshot decides what happens before the list is read, and how the list is answered.
func (w *world) snapshot(ctx context.Context, _ client.Person, _, since time.Time) (proof.Snapshot, error) {
	<-time.After(min(max(time.Since(since)/10, pollFloor), pollCeiling))
	if ctx.Err() != nil {
		return proof.Snapshot{}, ctx.Err()
	}

	choice := w.choose(happenings)
	if choice == "blank" && w.blanked {
		choice = "as it is"
	}
	w.looks++
	w.tell("    look: %s", choice)

	choice = w.happen(choice)
	if class, isError := map[string]transport.ErrorClass{"down": transport.ClassServer, "forbidden": transport.ClassForbidden}[choice]; isError {
		return proof.Snapshot{}, &transport.Error{Class: class}
	}

	return w.listing(choice).About(whom), nil
}

// listing returns what the service shows in its list.
func (w *world) listing(choice string) proof.Listing {
	now := time.Now()
	list := decode.PendingList{Date: now.Truncate(time.Second), Records: w.shown(0)}
	w.readings = append(w.readings, shownAt{now, list.Records})
	if choice == "lagging" {
		list.Records = w.shown(lag)
	}
	for _, q := range w.queue {
		isSeen := q.listed && choice == "as it is" && slices.Contains(w.acting.sent, q)
		q.seenFailed = q.seenFailed || (isSeen && q.status == "failed")
	}

	switch choice {
	case "paged":
		list.Gap, list.Records = "there are pages", nil
	case "cached":
		list.Cached, list.Records = true, nil
	case "older":
		list.Date, list.Records = list.Date.Add(-time.Hour), nil
	case "blank":
		w.blanked, list.Records = true, nil
	case "goes back":
		young := slices.IndexFunc(w.readings, func(r shownAt) bool { return time.Since(r.at) < lag })
		list.Records = w.readings[young].records
	}

	return proof.NewListing(now, now, list)
}

// shown returns the records of the list that are at least so old.
func (w *world) shown(age time.Duration) []decode.PendingRecord {
	var all []decode.PendingRecord
	for _, q := range w.queue {
		if q.listed && time.Since(q.at) >= age {
			all = append(all, w.recordOf(q))
		}
	}

	return all
}

var progresses = map[string]decode.Progress{"failed": decode.Failed, "done": decode.Done, "archived": decode.Unclear, "QUEUED_V2": decode.Unclear}

func (w *world) recordOf(q *queued) decode.PendingRecord {
	named, status := cmp.Or(w.person, whom), cmp.Or(q.status, q.shown)
	record := decode.PendingRecord{
		Identity: named, RequestType: w.requestType, CreatedAt: q.at,
		Progress: cmp.Or(progresses[status], decode.Waiting), JSON: []byte(`{"user":"` + named + `"}`),
	}
	if w.lastChange {
		record.CreatedAt = q.change
	}
	if w.ids != noIDs && w.ids != receiptIDs {
		record.ID = q.id
	}
	if w.recovering && status == "archived" { // the way out that the error names
		record.Progress = decode.Ended
	}

	return record
}

func (w *world) receiptID(q *queued) string {
	switch w.ids {
	case noIDs:
		return ""
	case correlationIDs:
		return "c-" + q.id
	case receiptIDs:
		return strconv.Itoa(len(w.shown(0)) - 1)
	}

	return q.id
}

// isTaken reports whether an ID names a request that the service holds, or one that the list may still show.
func (w *world) isTaken(id string) bool {
	isShown := func(p decode.PendingRecord) bool { return p.ID == id }
	mayShow := func(r shownAt) bool { return time.Since(r.at) < lag && slices.ContainsFunc(r.records, isShown) }
	holds := func(q *queued) bool {
		isOver := !q.isHeld() && !q.listed
		return q.id == id && !isOver
	}

	return slices.ContainsFunc(w.readings, mayShow) || slices.ContainsFunc(w.queue, holds)
}

func (w *world) accept(key string, theirs bool) *queued {
	id := fmt.Sprint("r", len(w.queue))
	for number := 0; w.ids == reusedIDs; number++ {
		id = fmt.Sprint("r", number)
		if !w.isTaken(id) {
			break
		}
	}

	q := &queued{id: id, at: time.Now(), change: time.Now(), key: key, theirs: theirs, listed: true}
	w.queue = append(w.queue, q)

	return q
}

var fates = []string{
	"accepted", "accepted and done", "rejected", "lost before", "lost after", "lost after, done", "interrupted, answered", "interrupted, lost",
	"redirected", "conflict", "twice", "beside theirs", "lost beside theirs", "lost before theirs",
}

// send decides what becomes of a request that arrives, or does not.
func (w *world) send(r Request) func(context.Context) (decode.Receipt, error) {
	return func(context.Context) (decode.Receipt, error) {
		<-time.After(10 * time.Millisecond)
		w.attempts++
		fate := w.choose(fates)
		w.tell("    send for %s: %s", r.IdempotencyKey, fate)
		if strings.HasPrefix(fate, "interrupted") && w.cancel != nil {
			w.cancel()
		}
		if strings.HasSuffix(fate, "theirs") {
			w.accept("theirs", true)
		}

		lost := client.DeferredError(r.Type, transport.ClassConnectionLost, "")
		lost.Ambiguous = true
		switch fate {
		case "rejected":
			return decode.Receipt{}, client.DeferredError(r.Type, transport.ClassRejected, "")
		case "conflict":
			return decode.Receipt{}, &transport.Error{Class: transport.ClassConflict, Ambiguous: true}
		case "lost before", "lost before theirs":
			return decode.Receipt{}, lost
		}

		q := w.accept(r.IdempotencyKey, false)
		id := w.receiptID(q)
		if fate == "twice" { // a proxy repeats it: the provider follows one of the two
			w.accept(r.IdempotencyKey, true)
		}
		if strings.HasSuffix(fate, "done") {
			w.carryOut(q)
			q.listed = false
		}
		if strings.Contains(fate, "lost") {
			return decode.Receipt{}, lost
		}
		if fate == "redirected" {
			return decode.Receipt{}, &transport.Error{Class: transport.ClassRedirect, Ambiguous: true}
		}

		return decode.Receipt{At: q.at, ID: id}, nil
	}
}

// see returns what a reading of the effect of a request shows.
func (w *world) see(key string) (Reading, error) {
	blind := w.blind
	w.blind = ""
	isShown := w.shows(key)

	switch {
	case blind == "effect refused":
		return Reading{Effect: proof.Shown}, &transport.Error{Class: transport.ClassServer} // of nothing, as when it is gone
	case blind == "effect cached":
		return Reading{Effect: proof.Shown, Profile: decode.Profile{Cached: true}}, nil
	case blind == "effect older":
		return Reading{Effect: proof.Shown, Profile: decode.Profile{Date: time.Now().Add(-time.Hour)}}, nil
	case blind == "effect lags" && isShown && !w.setting.effect: // a copy lags, behind what has changed
		return Reading{Effect: proof.Missing}, nil
	case isShown, blind == "effect blinks": // one reading of none, as of a restart
		return Reading{Effect: proof.Shown}, nil
	case w.repeatable() && w.values != "":
		return Reading{Effect: proof.Altered}, nil
	}

	return Reading{Effect: proof.Missing}, nil
}

func (w *world) request(key string) Request {
	r := Request{Person: client.Person{Identity: whom}, Type: w.requestType, IdempotencyKey: key}
	r.Send = w.send(r)
	if !w.noEffect {
		r.Effect = func(context.Context) (Reading, error) { return w.see(key) }
	}

	return r
}
