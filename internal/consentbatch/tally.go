package consentbatch

import (
	"context"
	"errors"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// outcome is what became of a row.
type outcome uint8

const (
	notTried outcome = iota
	inPlace
	written
	kept       // a later choice of the person stands
	superseded // not withdrawn, since another object of the run writes it
	failed
	outcomes // how many there are
)

// outcomeOf maps the outcome of a request that did not fail.
var outcomeOf = map[client.ConsentOutcome]outcome{
	client.ConsentUnchanged:  inPlace,
	client.ConsentWritten:    written,
	client.ConsentKept:       kept,
	client.ConsentSuperseded: superseded,
}

// tally holds the state and the results of one run.
type tally struct {
	mu       sync.Mutex
	queue    queue
	outage   outage
	stopped  bool
	results  []outcome // by row
	counts   [outcomes]int
	failures failures
	// interrupted is why the run ended early; nil where it did not.
	interrupted error
	diags       diag.Diagnostics // of panics
}

func newTally(rows int) *tally {
	return &tally{queue: queue{rows: rows}, results: make([]outcome, rows)}
}

// assignment is what a worker does next.
type assignment struct {
	row int
	// askAgain asks about a row that the service has answered for before.
	askAgain bool
}

// take returns what to do next; false where nothing is left or the run has ended.
func (t *tally) take(ctx context.Context) (next assignment, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()

	if t.stopped || ctx.Err() != nil {
		return next, false
	}
	if row, ask := t.outage.question(); ask {
		return assignment{row: row, askAgain: true}, true
	}

	if t.outage.samples() {
		next.row, ok = t.queue.sample()
	} else {
		next.row, ok = t.queue.next()
	}
	return next, ok
}

// note records what became of a row.
func (t *tally) note(row int, result client.ConsentOutcome, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()

	if client.IsClass(err, client.ClassCancelled) { // neither done nor failed
		t.stopped, t.interrupted = true, err
		return
	}

	as := failed
	if err == nil {
		as = outcomeOf[result]
	} else {
		t.failures.Add(row, err)
	}
	t.results[row] = as
	t.counts[as]++

	t.outage.note(row, err, t.queue.sampled)
	t.stopped = t.stopped || t.outage.certain || client.IsClass(err, client.ClassReadOnly)
}

// noteAnswer records what came of asking again.
func (t *tally) noteAnswer(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()

	if client.IsClass(err, client.ClassCancelled) {
		t.stopped, t.interrupted = true, err
		return
	}
	t.outage.noteAnswer(err)
	t.stopped = t.stopped || t.outage.certain
}

// done is how many rows succeeded or failed.
func (t *tally) done() int { return len(t.results) - t.rest() }

// rest is how many rows were not tried.
func (t *tally) rest() int {
	tried := 0
	for _, n := range t.counts[notTried+1:] {
		tried += n
	}
	return len(t.results) - tried
}

// failed reports whether any row is not as it should be.
func (t *tally) failed() bool { return t.counts[failed] > 0 || t.rest() > 0 }

// succeeded is how many rows are as they should be.
func (t *tally) succeeded() int { return t.done() - t.counts[failed] }

// rowsThatAre returns the rows with an outcome, in the order of the file.
func (t *tally) rowsThatAre(as outcome) []int32 {
	rows := make([]int32, 0, t.counts[as])
	for row, result := range t.results {
		if result == as {
			rows = append(rows, int32(row))
		}
	}
	return rows
}

// timeIsOver distinguishes the end of the configured time from an interrupt.
func (t *tally) timeIsOver() bool { return errors.Is(t.interrupted, context.DeadlineExceeded) }
