// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// outcome is the outcome of a row.
type outcome uint8

const (
	notTried outcome = iota
	inPlace
	written    // or to be written, in a plan
	absent     // without a record, by one reading or because none is known
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
// random order, so many are not all of one part of the file.
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
	isSecond bool         // the rows without a record are read a second time, a lag later
	refusals atomic.Int64 // records that stand and refuse all clauses

	began, logged time.Time // the run, and the last progress that was logged

	streak      int              // failures since the last success, without those that concern one row
	down        bool             // the service as a whole is down: a streak was long enough to show it
	interrupted bool             // the run was cancelled
	panics      diag.Diagnostics // errors
}

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
	order := make([]int, len(of))
	for i, at := range rand.Perm(len(of)) { //nolint:gosec // needs no secrecy
		order[i] = of[at]
		t.counts[t.results[of[at]]]--
		t.counts[notTried]++
		t.results[of[at]] = notTried
	}

	panics := tfkit.InParallel(ctx, workers, order, func(row int) (goesOn bool) {
		as, err := do(ctx, row)
		goesOn = t.record(row, as, err)
		t.logProgress(ctx)

		return goesOn
	})
	t.panics.Append(panics...) // to those of an earlier pass

	if ctx.Err() != nil && t.counts[notTried] > 0 {
		t.interrupted = true
	}
}

// logProgress logs how many rows are done, every few seconds.
func (t *tally) logProgress(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()

	const interval = 5 * time.Second
	left := t.counts[notTried]
	if time.Since(t.logged) < interval {
		return
	}
	t.logged = time.Now()

	done := len(t.results) - left
	perSecond := float64(done) / time.Since(t.began).Seconds()
	tflog.Info(ctx, "Consent batch under way", map[string]any{
		"done": done, "rows": len(t.results), "rows_per_second": int(perSecond), "seconds_left": int(math.Ceil(float64(left) / perSecond)),
	})
}

// record records the outcome of a row, and reports whether others are worth a try.
func (t *tally) record(row int, as outcome, err error) (goesOn bool) {
	t.mu.Lock()
	defer t.mu.Unlock()

	if e, cancelled := errors.AsType[*transport.Error](err); cancelled && e.Class == transport.ClassCancelled {
		t.interrupted = true
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
	isHopeless := transport.IsClass(err, transport.ClassReadOnly, transport.ClassAuthentication)

	return !t.down && !t.interrupted && !isHopeless
}

// missed returns how many rows are not as they should be.
func (t *tally) missed() int { return t.counts[failed] + t.counts[unknown] + t.counts[notTried] }

// succeeded returns how many rows are as they should be.
func (t *tally) succeeded() int { return len(t.results) - t.missed() }

// toWrite returns how many rows a plan has found to be written, or an apply has written.
func (t *tally) toWrite() int { return t.counts[written] + t.counts[absent] }

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
