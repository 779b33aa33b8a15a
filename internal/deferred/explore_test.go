package deferred

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/soak"
)

// TestDeferred_everySchedule runs what Terraform does with one person's requests against
// everything that a service may do, and checks the package's promises after each step:
// for all sequences of the first few decisions, and for all longer sequences in which a
// few decisions are unusual.
func TestDeferred_everySchedule(t *testing.T) {
	t.Parallel()
	for _, setting := range settings {
		for _, b := range []bounds{
			{decisions: soak.Size(3, 6), deviations: soak.Size(3, 6)},
			{decisions: soak.Size(7, 20), deviations: soak.Size(2, 3)},
		} {
			t.Run(fmt.Sprintf("%s, %d decisions, %d deviations", setting.name, b.decisions, b.deviations), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { explore(t, setting, b) })
			})
		}
	}
}

func explore(t *testing.T, s setting, b bounds) {
	t.Helper()
	schedules, failed := 0, 0
	for c := (&chooser{bounds: b}); c.advance() && failed < 3; schedules++ {
		w := newWorld(s, c)
		w.play()
		if len(w.broken) == 0 {
			continue
		}

		again := newWorld(s, c) // once more, for its story
		again.telling = true
		c.at = 0
		again.play()
		t.Errorf("%s\n%s", strings.Join(again.story, "\n"), strings.Join(again.broken, "\n"))
		failed++
	}

	t.Logf("%d schedules", schedules)
}

// bounds limit what a chooser walks through: decisions of each sequence, and how many
// of them take another option than the first.
type bounds struct{ decisions, deviations int }

// chooser walks through all sequences of decisions within its bounds, one sequence for
// each advance. Decisions beyond them take their first option.
type chooser struct {
	bounds

	taken   []int // the option of each decision
	options []int // how many each one has
	at      int
	begun   bool
}

// advance begins the next sequence; false after the last one.
func (c *chooser) advance() bool {
	c.at = 0
	if !c.begun {
		c.begun = true
		return true
	}

	for i := len(c.taken) - 1; i >= 0; i-- {
		if c.taken[i]+1 < c.options[i] {
			c.taken, c.options = c.taken[:i+1], c.options[:i+1]
			c.taken[i]++
			return true
		}
	}

	return false
}

// choose decides between n options.
func (c *chooser) choose(n int) int {
	if c.at >= c.decisions {
		return 0
	}

	if c.at == len(c.taken) {
		if c.deviated() >= c.deviations {
			n = 1
		}
		c.taken, c.options = append(c.taken, 0), append(c.options, n)
	}

	c.at++
	return c.taken[c.at-1]
}

// deviated returns how many decisions took another option than the first.
func (c *chooser) deviated() int {
	count := 0
	for _, option := range c.taken {
		if option > 0 {
			count++
		}
	}

	return count
}

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
	engine *Engine
	queue  []*queued
	effect bool
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
	q.effect, q.listed, w.effect = true, false, true
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
		r.Effect = func(context.Context) (bool, error) { return w.effect, nil }
	}

	return r
}

// Terraform, as the resources do it.

// play lets Terraform do three things, and then recover.
func (w *world) play() {
	first := w.request("A")
	for range 3 {
		options := []string{"apply", "refresh", "apply, other triggers", "replace", "second object", "apply in the same run"}
		choice := w.choose(options)
		w.tell("%s", choice)
		if choice != "apply in the same run" {
			w.restart()
		}

		switch choice {
		case "apply", "apply in the same run":
			w.apply(&w.objects[0], first)

		case "refresh":
			w.refresh(&w.objects[0])

		case "apply, other triggers":
			w.apply(&w.objects[0], w.request("B"))

		case "replace":
			w.destroy(&w.objects[0])
			w.apply(&w.objects[0], first)

		case "second object":
			w.apply(&w.objects[0], first)
			w.apply(&w.objects[1], first)
		}

		if len(w.broken) > 0 {
			return
		}
	}

	w.recover(first)
}

// apply is what a resource does in an apply: it refreshes and plans, submits what was
// not submitted yet, and waits.
func (w *world) apply(o *object, r Request) {
	w.refresh(o)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w.cancel = cancel
	defer func() { w.cancel = nil }()

	before := len(w.queue)
	if !o.exists || o.submission.Occasion != r.Occasion {
		if !w.submit(ctx, o, r, before) {
			return
		}
	}
	if !o.submission.State.IsOpen() {
		return
	}

	had := *o
	o.submission, _ = w.engine.Await(ctx, r, o.submission, 4500*time.Millisecond)
	w.check(o)
	if o.submission.State == Failed {
		w.wishes++
		w.tell("    it failed")
		*o = object{}
		return
	}

	w.noteOver(had.submission, o.submission)
}

// wish counts what may be sent: one request for an occasion that is new, or new for the
// object. A second object, or a replacement, adds none in the run of the first one. In a
// later run it does not know about the first one, as the documentation says.
func (w *world) wish(o *object, r Request) {
	if o.exists || !w.wished[r.Occasion] || w.noEffect {
		w.wishes++
	}

	w.wished[r.Occasion] = true

	for i := range w.objects {
		if other := &w.objects[i]; other != o && other.exists && other.submission.Occasion == r.Occasion {
			w.wishes++
		}
	}
}

// submit submits and checks that nothing accepted is forgotten.
func (w *world) submit(ctx context.Context, o *object, r Request, before int) bool {
	w.wish(o, r)
	s, report, err := w.engine.Submit(ctx, r, o.unanswered)
	accepted := w.queue[before:]
	if err == nil {
		o.exists, o.submission, o.unanswered = true, s, Submission{}
		w.tell("    state: %s %s (adopted %v, known %v)", s.State, s.ID, report.Adopted, report.Known)
		if s.State.isUncertain() {
			w.breaks("submitting ended well, and the request is %q", s.State)
		}
		if len(accepted) == 1 && !w.noIDs && !w.effect && s.ID != accepted[0].id && !report.Adopted {
			w.breaks("the accepted request %s is not the object's, which has %q", accepted[0].id, s.ID)
		}

		w.check(o)
		return true
	}

	w.tell("    error: %v", err)
	if o.exists {
		o.unanswered = s
	}

	unknown := client.IsClass(err, client.ClassUnknownOutcome) || client.IsClass(err, client.ClassServer) && s.State == Failed
	if unknown {
		w.wishes++
	}
	if len(accepted) > 0 && !unknown {
		w.breaks("request %s was accepted, and the error is another one: %v", accepted[0].id, err)
	}
	if e := (&client.Error{}); errors.As(err, &e) && e.Class == client.ClassInternal {
		w.breaks("a transition is missing: %v", err)
	}

	return false
}

// refresh is what a resource does in a refresh.
func (w *world) refresh(o *object) {
	if !o.exists || o.submission.State == Fulfilled {
		return
	}

	own := w.request(o.submission.Occasion)
	s, _, err := w.engine.Refresh(context.Background(), own, o.submission)
	if client.IsClass(err, client.ClassInternal) {
		w.breaks("a transition is missing: %v", err)
	}
	if err != nil {
		w.tell("    refresh: error")
		return
	}

	w.noteOver(o.submission, s)
	o.submission = s
	w.tell("    refreshed: %s", s.State)
	w.check(o)
}

// noteOver excuses another request for an occasion whose request came to nothing, as
// far as could be seen.
func (w *world) noteOver(before, after Submission) {
	if after.State.IsOver() && !before.State.IsOver() {
		w.wishes++
	}
}

// destroy forgets the object and hands its request to what takes its place.
func (w *world) destroy(o *object) {
	if o.exists {
		w.engine.Forget(w.request(o.submission.Occasion), o.submission)
	}
	*o = object{}
}

// check checks what is promised at any time.
func (w *world) check(o *object) {
	accepted, limit := 0, w.wishes
	for _, q := range w.queue {
		if !q.old {
			accepted++
		}
	}

	if w.repeatable {
		limit *= 2 // values are absolute: a request that nothing shows to have arrived is sent once more
	}
	if accepted > limit {
		w.breaks("%d requests were accepted, %d were wished for or are excused", accepted, limit)
	}

	if o.submission.State != Fulfilled {
		return
	}

	fulfilled := slices.ContainsFunc(w.queue, func(q *queued) bool {
		return q.effect && (w.noIDs || o.submission.ID == "" || q.id == o.submission.ID)
	})
	if !fulfilled && !w.listDecided(o.submission) {
		w.breaks("the object says fulfilled, and its request %q is not: %+v", o.submission.ID, o.submission)
	}
}

// listDecided reports whether the list had to decide, and said that the request is
// over: there was nothing to see of the effect.
func (w *world) listDecided(s Submission) bool {
	for _, q := range w.queue {
		if (q.id == s.ID || s.ID == "") && q.status != "" && !q.listed {
			return w.setting.effect || w.noEffect || w.effect
		}
	}
	return false
}

// recover applies against a service that works again. Every error has to have a way
// out: the wish is fulfilled after a few applies, and the plan is empty then.
func (w *world) recover(r Request) {
	w.recovering = true
	o := &w.objects[0]
	r.EndedStatuses = []string{"archived"} // the way out that the error names
	r.Adopts = r.Adopts && !w.repeatable

	for range 4 {
		w.restart()
		<-time.After(time.Minute)
		for q := w.pendingOne(); q != nil; q = w.pendingOne() {
			w.carryOut(q)
		}

		if o.submission.State.IsOver() {
			*o = object{} // replaced, as the warning advises
		}

		w.tell("recovering")
		w.apply(o, r)
	}

	if len(w.broken) == 0 && (!o.exists || o.submission.State != Fulfilled || o.submission.Occasion != r.Occasion) {
		w.breaks("there is no way out: %+v", *o)
	}

	looks := w.looks
	w.refresh(o)
	if w.looks != looks {
		w.breaks("a fulfilled request is looked at again")
	}
}
