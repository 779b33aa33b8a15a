package consentbatch

import (
	"context"
	"errors"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// outcome is the outcome of a row.
type outcome uint8

const (
	notTried outcome = iota
	inPlace
	written
	kept       // a later choice of the person stands
	superseded // not withdrawn, because another object of the run writes it
	failed
	unknown  // interrupted on its way
	outcomes // how many there are
)

// outcomeOf holds the outcome of a row by the outcome of its request.
var outcomeOf = map[client.ConsentOutcome]outcome{
	client.ConsentUnchanged:  inPlace,
	client.ConsentWritten:    written,
	client.ConsentKept:       kept,
	client.ConsentSuperseded: superseded,
}

// tally holds the progress and the results of one run. It is safe for concurrent use while the
// run lasts.
type tally struct {
	mu       sync.Mutex
	queue    queue
	outage   outage
	stopped  bool
	results  []outcome // by row
	counts   [outcomes]int
	failures failures
	// interrupted is why the run was cancelled; nil if it was not.
	interrupted error
	diags       diag.Diagnostics // of panics
}

func newTally(rows int) *tally {
	return &tally{queue: queue{rows: rows}, results: make([]outcome, rows)}
}

// assignment is the next task of a worker.
type assignment struct {
	row int
	// askAgain asks about a row for which the service has answered before.
	askAgain bool
}

// take returns the next task, or false if nothing is left or the run has ended.
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

// record records the outcome of a row.
func (t *tally) record(row int, result client.ConsentOutcome, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()

	as := outcomeOf[result]
	if e, cancelled := errors.AsType[*client.Error](err); cancelled && e.Class == client.ClassCancelled {
		t.stopped, t.interrupted = true, err
		if !e.Ambiguous { // nothing was sent
			return
		}
		as = unknown
	} else if err != nil {
		as = failed
		t.failures.Add(row, err)
	}
	t.results[row] = as
	t.counts[as]++
	if as == unknown {
		return
	}

	t.outage.observe(row, err, t.queue.sampled)
	t.stopped = t.stopped || t.outage.certain || client.IsClass(err, client.ClassReadOnly, client.ClassAuthentication)
}

// recordAnswer records the answer of the service when it was asked again.
func (t *tally) recordAnswer(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()

	if client.IsClass(err, client.ClassCancelled) {
		t.stopped, t.interrupted = true, err
		return
	}

	t.outage.observeAnswer(err)
	t.stopped = t.stopped || t.outage.certain
}

// done returns how many rows were tried.
func (t *tally) done() int { return len(t.results) - t.rest() }

// rest returns how many rows were not tried.
func (t *tally) rest() int {
	tried := 0
	for _, n := range t.counts[notTried+1:] {
		tried += n
	}

	return len(t.results) - tried
}

// failed reports whether any row is not as it should be.
func (t *tally) failed() bool { return t.counts[failed]+t.counts[unknown]+t.rest() > 0 }

// failedInPart reports whether rows failed although all were tried and others succeeded.
func (t *tally) failedInPart() bool {
	return t.counts[failed] > 0 && t.succeeded() > 0 && t.rest() == 0
}

// succeeded returns how many rows are as they should be.
func (t *tally) succeeded() int { return t.done() - t.counts[failed] - t.counts[unknown] }

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

// timeIsOver reports whether the run ended because the configured time was over.
func (t *tally) timeIsOver() bool { return errors.Is(t.interrupted, context.DeadlineExceeded) }
