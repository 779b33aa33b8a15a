// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"context"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
)

// lookAfterInterrupt is how long an interrupted submission goes on looking for a request
// whose answer was lost, counted from the interrupt. Terraform expects the provider to
// stop within two seconds.
const lookAfterInterrupt = 1500 * time.Millisecond

// phase is what a submission is carried through the table for.
type phase int

const (
	submitting phase = iota
	waiting
	refreshing
)

// execution carries one submission through the table.
type execution struct {
	*Engine
	request Request
	phase   phase
	current Submission
	report  Report

	began   time.Time            // when the caller began to wait
	seen    view                 // the latest one
	own     answer.PendingRecord // what the list showed last of the submission; zero if it did not
	resumed bool                 // an earlier call sent the request
	sends   int
	// delivered: the latest answer to sending looks like the data asked for.
	delivered bool
	lost      *transport.Error // of the answer that was lost
	err       error            // of the latest step
}

func (e *Engine) begin(r Request, s Submission, p phase) *execution {
	return &execution{Engine: e, request: r, phase: p, current: s, began: time.Now()}
}

// resume continues from an earlier submission for the same occasion whose outcome is
// unknown. A request that may be repeated is sent again instead: looking for it could
// find somebody else's.
func (x *execution) resume(prior Submission) {
	unknown := prior.State == Unanswered || prior.State == Lost
	if unknown && prior.Occasion == x.request.Occasion && !x.request.Repeatable {
		x.current, x.resumed = prior, true
	}
}

// submit follows the table until the service has the request, certainly does not have
// it, or nobody can tell.
func (x *execution) submit(ctx context.Context) {
	// Once the request may have been sent, looking for it outlasts an interrupt.
	lingering, end := linger(ctx, lookAfterInterrupt)
	defer end()

	step := Look
	if x.service.ReadOnly() {
		step = Send // refused before anything is sent
	}

	for step != Stop && x.current.State.isUndecided() {
		if x.current.State == Idle {
			step = x.take(ctx, step)
		} else {
			step = x.take(lingering, step)
		}
	}

	if x.err == nil {
		x.err = x.submitError()
	}
}

// submitError returns the error for the state in which submitting ended; nil if the service
// has accepted the request.
func (x *execution) submitError() error {
	if x.current.State.isUncertain() {
		return x.unknownOutcome(nil)
	}
	if x.current.State == Failed {
		return x.request.Rejection(x.current, x.report)
	}
	return nil
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

// nothingWillShow reports whether neither the list nor an effect can be expected to show
// what becomes of the request.
func (x *execution) nothingWillShow() bool {
	return x.report.Unproven && (x.request.Effect == nil || x.current.EffectBefore)
}

// ended returns the report once all looks are done.
func (x *execution) ended() Report {
	x.report.Delivered = x.delivered && x.current.State == Fulfilled
	x.report.UnknownStatus = x.own.Progress() == answer.Unclear
	return x.report
}

// take performs a step and returns the next one.
func (x *execution) take(ctx context.Context, step Step) Step {
	event := x.perform(ctx, step)
	if event == nothing {
		return Stop
	}

	row, ok := next(x.current.State, event)
	if !ok {
		x.err = x.request.failure(transport.ClassInternal, "a request that is "+string(x.current.State)+" was seen as "+string(event))
		return Stop
	}

	x.enter(row.to)
	if row.do == SendAgain && !x.maySendAgain() {
		return Stop
	}

	return row.do
}

// enter sets the state of the submission, and the times that belong to it.
func (x *execution) enter(state State) {
	x.current.State = state
	if !state.isUncertain() && x.current.At.IsZero() {
		x.current.At = x.current.Sent // the answer with the time was lost
	}
	if state == Fulfilled {
		x.current.FulfilledAt = time.Now()
	}
}

// maySendAgain reports whether a request that seems not to have arrived may be sent
// again: because that does no harm, or because a later call asks for it.
func (x *execution) maySendAgain() bool {
	if x.resumed && x.sends == 0 {
		return true
	}
	return x.request.Repeatable && x.sends < 2
}

// perform performs a step and returns what was seen: nothing if the step could not be
// performed, for the reason in err or report.
func (x *execution) perform(ctx context.Context, step Step) Event {
	switch step {
	case Look:
		return x.look(ctx)
	case Measure:
		return x.measure(ctx)
	case Send, SendAgain:
		return x.send(ctx)
	case Stop:
	}

	return nothing
}
