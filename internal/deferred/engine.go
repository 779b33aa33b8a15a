package deferred

import (
	"context"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// lookAfterInterrupt is how long an interrupted submission goes on looking for a
// request whose answer was lost, counted from the interrupt. Terraform is to end
// within two seconds.
const lookAfterInterrupt = 1500 * time.Millisecond

// service is what the engine needs of the client.
type service interface {
	// LockPerson waits until nothing else of this process submits requests about the
	// person.
	LockPerson(ctx context.Context, scope client.Scope, identity string) (unlock func(), err error)
	// PendingListLag is how long the pending list may lag behind submissions.
	PendingListLag() time.Duration
	// ReadOnly reports whether the client refuses to send anything that has an effect.
	ReadOnly() bool
}

// watcher reads the pending list.
type watcher interface {
	// look returns what a reading that began at the time after, or later, shows of one
	// person. since is when the caller began to wait, over all its looks.
	look(ctx context.Context, about person, after, since time.Time) (sight, error)
}

// Engine carries out deferred requests. It is safe for concurrent use; of several
// submissions about one person in one scope, one is under way at a time.
type Engine struct {
	service service
	watch   watcher
	run     run
}

// NewEngine returns an engine for the service that a client calls.
func NewEngine(c *client.Client) *Engine {
	return &Engine{service: c, watch: newFeeds(c)}
}

// Submit sends a request, unless this process has submitted it for the same
// occasion or an equal one is pending. prior is the Submission that an earlier call
// with an unknown outcome has left; otherwise the zero value.
//
// Without an error the service has accepted the request. Errors are *client.Error:
// ClassConflict where another pending request of the person stands against it,
// ClassPayload where the pending list cannot be read as a whole, ClassUnknownOutcome
// where the answer was lost and looking did not find the request, ClassServer where it
// was accepted and has failed already. After an unknown outcome a later Submit
// continues from the Submission that is returned beside that.
func (e *Engine) Submit(ctx context.Context, r Request, prior Submission) (Submission, Report, error) {
	unlock, err := e.service.LockPerson(ctx, r.Scope, r.Identity)
	if err != nil {
		return prior, Report{}, r.failure(client.ClassCancelled, "the run was interrupted, and nothing was sent")
	}
	defer unlock()

	if r.Superseded != nil && r.Superseded() {
		return prior, Report{Superseded: true}, nil
	}

	known, found := e.run.find(r)
	if found && !known.State.isUncertain() {
		return known, Report{Known: true}, nil
	}

	l := e.begin(r, Submission{}, submitting)
	l.resumed = r.continues(prior)
	if l.resumed {
		l.now = prior
	}
	if found {
		l.now = known // of another object: looked for again, and not sent again
	}
	l.submit(ctx)

	e.run.carriedOut(r)
	e.run.note(r, l.now)
	return l.now, l.report, l.err
}

// continues reports whether a submission goes on from one whose outcome is unknown. A
// request that may be repeated is sent again in place of looking for it, because
// somebody else's could be found.
func (r Request) continues(prior Submission) bool {
	unknown := prior.State == Unanswered || prior.State == Lost
	return unknown && prior.Occasion == r.Occasion && !r.Repeatable
}

// Await waits until an accepted request is no longer pending, for the limit at most
// or until the context ends. All waits of a scope share one reading of the pending
// list at a time.
func (e *Engine) Await(ctx context.Context, r Request, s Submission, limit time.Duration) (Submission, Report) {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()

	l := e.begin(r, s, waiting)
	for step := Look; step != Stop && l.now.State.IsOpen(); {
		step = l.take(bounded, step)
	}

	l.now.Interrupted = ctx.Err() != nil && l.now.State.IsOpen()
	l.report.Interrupted = l.now.Interrupted
	e.run.note(r, l.now)
	return l.now, l.report
}

// Refresh looks once at a request that is not known to be fulfilled. Errors are
// *client.Error; the Submission is then as it was.
func (e *Engine) Refresh(ctx context.Context, r Request, s Submission) (Submission, Report, error) {
	if s.State == Fulfilled {
		return s, Report{}, nil
	}

	l := e.begin(r, s, refreshing)
	if step := l.take(ctx, Look); step == Measure {
		l.take(ctx, Measure)
	}
	if l.err != nil {
		return s, l.report, l.err
	}

	l.now.Interrupted = l.now.Interrupted && l.now.State.IsOpen()
	e.run.note(r, l.now)
	return l.now, l.report, nil
}

// Note remembers a request that an object in state stands for. An object that takes
// its place in this process takes the request over.
func (e *Engine) Note(r Request, s Submission) { e.run.note(r, s) }

// Forget is Note for an object that is destroyed now.
func (e *Engine) Forget(r Request, s Submission) {
	e.run.carriedOut(r)
	e.run.note(r, s)
}

// PlanCreate remembers that the plan creates an object for a request. moves reports
// that the plan also destroys the object that stands for the same request: the
// apply, another process, may create before it destroys and would send it again.
func (e *Engine) PlanCreate(r Request) (moves bool) {
	return e.run.plan(r, func(own *entry) { own.creates = true })
}

// PlanDestroy remembers that the plan destroys the object that stands for a request,
// and reports whether it also creates one; see PlanCreate. An object whose request
// came to nothing is none that another one could be mistaken for.
func (e *Engine) PlanDestroy(r Request, s Submission) (moves bool) {
	if s.State.IsOver() {
		return false
	}
	return e.run.plan(r, func(own *entry) { own.destroys = true })
}

// phase is what a life is followed for.
type phase int

const (
	submitting phase = iota
	waiting
	refreshing
)

// life is one submission on its way through the table.
type life struct {
	*Engine
	request Request
	phase   phase
	now     Submission
	report  Report

	began   time.Time // when the caller began to wait
	seen    sight     // the latest
	resumed bool      // an earlier call has sent it
	sends   int
	lost    *client.Error // the answer that was lost
	err     error         // what the latest step ended with
}

func (e *Engine) begin(r Request, s Submission, p phase) *life {
	return &life{Engine: e, request: r, phase: p, now: s, began: time.Now()}
}

// submit follows the table until the service has the request, certainly has it not,
// or nobody can tell.
func (l *life) submit(ctx context.Context) {
	// What may have been sent is looked for a little longer than the run lasts.
	lingering, end := linger(ctx, lookAfterInterrupt)
	defer end()

	step := Look
	if l.service.ReadOnly() {
		step = Send // refused before anything is sent
	}
	for step != Stop && (l.now.State.isUncertain() || l.now.State == Delivered) {
		if l.now.State == Idle {
			step = l.take(ctx, step)
		} else {
			step = l.take(lingering, step)
		}
	}

	if l.err != nil {
		return
	}
	if l.now.State.isUncertain() {
		l.err = l.unknownOutcome(nil)
	}
	if l.now.State == Failed {
		l.err = l.request.Rejection(l.now, l.report)
	}
}

// linger returns a context that ends the given time after its parent.
func linger(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(parent))

	stop := context.AfterFunc(parent, func() {
		timer := time.AfterFunc(d, cancel)
		context.AfterFunc(ctx, func() { timer.Stop() })
	})
	return ctx, func() {
		stop()
		cancel()
	}
}

// take performs a step and returns the next one.
func (l *life) take(ctx context.Context, step Step) Step {
	event, ok := l.perform(ctx, step)
	if !ok {
		return Stop
	}

	row, ok := next(l.now.State, event)
	if !ok {
		l.err = l.request.failure(client.ClassInternal, "a request that is "+string(l.now.State)+" was seen as "+string(event))
		return Stop
	}

	l.now.State = row.to
	if !row.to.isUncertain() && l.now.At.IsZero() {
		l.now.At = l.now.Sent // the answer that would have said it was lost
	}
	if row.to == Fulfilled {
		l.now.FulfilledAt = time.Now()
	}
	if row.do == SendAgain && !l.maySendAgain() {
		return Stop
	}
	return row.do
}

// maySendAgain reports whether a request that nothing shows to have arrived is sent
// again: where that does no harm, or where a later call asks for it.
func (l *life) maySendAgain() bool {
	if l.resumed && l.sends == 0 {
		return true
	}
	return l.request.Repeatable && l.sends < 2
}

// perform performs a step and returns what was seen. ok is false where the step
// could not be performed; err and report say why.
func (l *life) perform(ctx context.Context, step Step) (seen Event, ok bool) {
	switch step {
	case Look:
		return l.look(ctx)
	case Measure:
		return l.measure(ctx)
	case Send, SendAgain:
		return l.send(ctx)
	case Stop:
	}
	return "", false
}
