// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

const progressInterval = 5 * time.Second

// newTally returns the tally of rows that were not tried yet.
func newTally(rows int) *tally {
	t := &tally{results: make([]outcome, rows), began: time.Now(), logged: time.Now()}
	t.counts[notTried] = rows

	return t
}

// run calls do once for each of these rows, by several workers at once and in random order. It
// returns when every row is done, when the service as a whole is down, or when the context ends,
// and no worker is left.
func (t *tally) run(ctx context.Context, of []int, workers int, do func(ctx context.Context, row int) (outcome, error)) {
	order := make(chan int, len(of))
	for _, i := range rand.Perm(len(of)) { //nolint:gosec // needs no secrecy
		t.counts[t.results[of[i]]]--
		t.counts[notTried]++
		t.results[of[i]] = notTried
		order <- of[i]
	}
	close(order)

	var group sync.WaitGroup
	for range min(workers, len(of)) {
		group.Go(func() {
			defer t.endOnPanic(ctx)

			for row := range order {
				if ctx.Err() != nil {
					return
				}

				as, err := do(ctx, row)
				if !t.record(row, as, err) {
					return
				}
				t.logProgress(ctx)
			}
		})
	}
	group.Wait()

	if ctx.Err() != nil && t.counts[notTried] > 0 {
		t.interrupted = true
	}
}

// outcome is the outcome of a row.
type outcome uint8

const (
	notTried outcome = iota
	inPlace
	written    // or to be written, in a plan
	absent     // without a record, by one reading or none that is known
	kept       // a choice of the person stands
	superseded // not withdrawn, because another object of the run writes it
	missing    // not withdrawn, because two readings show no record
	failed
	unknown  // interrupted on its way
	outcomes // how many there are
)

// outcomesOf are the outcomes of rows by what follows from their judgement.
var outcomesOf = map[choice.Act]outcome{
	choice.Nothing:  inPlace,
	choice.Send:     written,
	choice.Stand:    kept,
	choice.Withhold: superseded,
	choice.Ask:      absent,
	choice.Report:   missing,
}

// outageStreak is how many rows fail one after the other until the service counts as down. In
// random order, so many of them are no neighbours which the service fails for.
const outageStreak = 50

// concernOneRow lists the failures that a row itself causes, by its values or its person.
// Every other failure may concern all rows.
var concernOneRow = []transport.ErrorClass{
	transport.ClassRejected, transport.ClassConflict, transport.ClassInvalid, transport.ClassPayload,
}

// tally holds the progress and the results of one run. It is safe for concurrent use while the
// run lasts.
type tally struct {
	mu       sync.Mutex
	results  []outcome // by row
	counts   [outcomes]int
	failures failures

	began, logged time.Time // the run, and the last progress that was logged

	streak      int              // failures since the last success, without those that concern one row
	down        bool             // the service as a whole is down: a streak was long enough to show it
	stopped     bool             // no further row is handed out
	interrupted bool             // the run was cancelled
	diags       diag.Diagnostics // of panics
}

// endOnPanic ends the run after a panic of a worker. It must be deferred.
func (t *tally) endOnPanic(ctx context.Context) {
	if recover() != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.stopped = true
		tfkit.AddPanic(ctx, &t.diags)
	}
}

// logProgress logs how many rows are done, once in each interval.
func (t *tally) logProgress(ctx context.Context) {
	t.mu.Lock()
	left := t.counts[notTried]
	done := len(t.results) - left
	if done == 0 || time.Since(t.logged) < progressInterval {
		t.mu.Unlock()
		return
	}
	t.logged = time.Now()
	t.mu.Unlock()

	perSecond := float64(done) / time.Since(t.began).Seconds()
	tflog.Info(ctx, "Consent batch under way", map[string]any{
		"done": done, "rows": len(t.results), "rows_per_second": int(perSecond), "seconds_left": int(math.Ceil(float64(left) / perSecond)),
	})
}

// record records the outcome of a row, and reports whether another one may be begun.
func (t *tally) record(row int, as outcome, err error) (goesOn bool) {
	t.mu.Lock()
	defer t.mu.Unlock()

	if e, cancelled := errors.AsType[*transport.Error](err); cancelled && e.Class == transport.ClassCancelled {
		t.stopped, t.interrupted = true, true
		if !e.Ambiguous { // nothing was sent
			return false
		}
		as = unknown
	} else if err != nil {
		as = failed
		t.failures.add(row, err)
	}
	t.results[row] = as
	t.counts[as]++
	t.counts[notTried]--

	if as != failed {
		t.streak = 0
	} else if !transport.IsClass(err, concernOneRow...) {
		t.streak++
	}
	t.down = t.down || t.streak >= outageStreak
	t.stopped = t.stopped || t.down || transport.IsClass(err, transport.ClassReadOnly, transport.ClassAuthentication)

	return !t.stopped
}

// failed reports whether any row is not as it should be.
func (t *tally) failed() bool { return t.counts[failed]+t.counts[unknown]+t.counts[notTried] > 0 }

// toWrite returns how many rows a plan has found to be written, or an apply has written.
func (t *tally) toWrite() int { return t.counts[written] + t.counts[absent] }

// succeeded returns how many rows are as they should be.
func (t *tally) succeeded() int {
	return len(t.results) - t.counts[notTried] - t.counts[failed] - t.counts[unknown]
}

// rowsThatAre returns the rows with an outcome, in the order of the file.
func (t *tally) rowsThatAre(as outcome) []int {
	rows := make([]int, 0, t.counts[as])
	for row, result := range t.results {
		if result == as {
			rows = append(rows, row)
		}
	}

	return rows
}
