// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch/rows"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// outcome is the outcome of a row.
type outcome uint8

const (
	notTried outcome = iota
	inPlace
	written    // or to be written, in a plan
	absent     // without a record, by a plan or by one reading of a withdrawal
	kept       // a choice of the person stands
	superseded // not withdrawn, because another object of the run writes it
	missing    // not withdrawn, because two readings show no record
	failed
	outcomes // how many there are
)

const (
	// outageStreak is how many rows fail one after the other until the service counts as down. In
	// random order, so many are not all of one part of the file.
	outageStreak = 50

	// limitCauses is how many causes are distinguished by their texts. Later ones are
	// distinguished by status and code only.
	limitCauses = 1000

	// Limits of a message.
	limitShownCauses = 8
	limitShownLines  = 20 // of one cause
)

// interrupted is why a pass has ended if nothing else is.
const interrupted = "the run was interrupted"

// concernOneRow lists the failures that a row itself causes, by its values or its person.
// Every other failure may concern all rows.
var concernOneRow = []transport.ErrorClass{
	transport.ClassRejected, transport.ClassConflict, transport.ClassInvalid, transport.ClassPayload,
}

// tally holds the progress of one run and what became of its rows. It is safe for concurrent use while
// a pass over them lasts.
type tally struct {
	mu      sync.Mutex
	rows    []rows.Row
	results []outcome // by row
	counts  [outcomes]int
	causes  []*cause
	byText  map[string]*cause

	began, logged time.Time // the run, and the last progress that was logged

	streak   int    // failures since the last success, without those that concern one row
	stopped  string // why the last pass has ended before all of its rows were tried; empty if it has not
	isSecond bool   // the rows without a record are read a second time, a lag later
}

// cause is a failure and the rows that it happened to. Details of the error that do not
// distinguish causes, such as the attempts, are those of the first row.
type cause struct {
	error *transport.Error
	rows  []int
}

// newTally returns the tally of rows that were not tried yet.
func newTally(of []rows.Row) *tally {
	t := &tally{rows: of, results: make([]outcome, len(of)), byText: map[string]*cause{}, began: time.Now(), logged: time.Now()}
	t.counts[notTried] = len(of)

	return t
}

// set records the outcome of a row.
func (t *tally) set(row int, as outcome) {
	t.counts[t.results[row]]--
	t.counts[as]++
	t.results[row] = as
}

// pass calls do once for each of these rows that has not failed, by several workers at once and in
// random order. It returns the errors of panics when every row is done, when the service as a whole is
// down, or when the context ends, and no worker is left.
func (t *tally) pass(ctx context.Context, of []int, workers int, do func(ctx context.Context, row int) (outcome, error)) (panics diag.Diagnostics) {
	var order []int
	for _, at := range rand.Perm(len(of)) { //nolint:gosec // needs no secrecy
		if row := of[at]; t.results[row] != failed {
			order = append(order, row)
			t.set(row, notTried)
		}
	}

	panics = tfkit.InParallel(ctx, workers, order, func(row int) (goesOn bool) {
		as, err := do(ctx, row)
		return t.record(ctx, row, as, err)
	})

	isLeft := func(row int) bool { return t.results[row] == notTried }
	if slices.ContainsFunc(order, isLeft) {
		t.stopped = cmp.Or(t.stopped, interrupted)
	} else {
		t.stopped = ""
	}

	return panics
}

// record records the outcome of a row, and reports whether others are worth a try.
func (t *tally) record(ctx context.Context, row int, as outcome, err error) (goesOn bool) {
	t.mu.Lock()
	defer t.mu.Unlock()

	switch e, _ := errors.AsType[*transport.Error](err); {
	case err == nil:
		t.set(row, as)
		t.streak = 0
	case transport.IsClass(err, transport.ClassCancelled) && !e.Ambiguous:
		t.stopped = interrupted // and nothing was sent
	default:
		t.set(row, failed)
		t.fail(row, err)
	}
	t.logProgress(ctx)

	return t.stopped == ""
}

// fail records why a row has failed, and whether the others would fail too.
func (t *tally) fail(row int, err error) {
	e, ok := errors.AsType[*transport.Error](err)
	if !ok {
		e = &transport.Error{Class: transport.ClassInternal}
	}
	if len(t.causes) >= limitCauses {
		vague := *e
		vague.Detail, vague.Message, vague.Fields = "", "", nil
		e = &vague
	}

	text := fmt.Sprintf("%q %q %d %q %q %q %q", e.Title(), e.Operation, e.Status, e.Code, e.Detail, e.Message, e.Fields)
	c := t.byText[text]
	if c == nil {
		c = &cause{error: e}
		t.byText[text] = c
		t.causes = append(t.causes, c)
	}
	c.rows = append(c.rows, row)

	if !slices.Contains(concernOneRow, e.Class) {
		t.streak++
	}
	if t.streak >= outageStreak {
		t.stopped = fmt.Sprintf("the service failed for %d rows in a row, from all over the file", outageStreak)
	}
	switch e.Class {
	case transport.ClassReadOnly, transport.ClassAuthentication:
		t.stopped = "they would have failed in the same way"
	case transport.ClassCancelled:
		t.stopped = interrupted
	}
}

// logProgress logs how many rows are done, every few seconds.
func (t *tally) logProgress(ctx context.Context) {
	const interval = 5 * time.Second
	if time.Since(t.logged) < interval {
		return
	}
	t.logged = time.Now()

	left := t.counts[notTried]
	done := len(t.results) - left
	perSecond := float64(done) / time.Since(t.began).Seconds()
	tflog.Info(ctx, "Consent batch under way", map[string]any{
		"done": done, "rows": len(t.results), "rows_per_second": int(perSecond), "seconds_left": int(math.Ceil(float64(left) / perSecond)),
	})
}

// missed returns how many rows are not as they should be.
func (t *tally) missed() int { return t.counts[failed] + t.counts[notTried] }

// succeeded returns how many rows are as they should be.
func (t *tally) succeeded() int { return len(t.results) - t.missed() }

// toWrite returns how many rows a plan has found to be written, or an apply has written.
func (t *tally) toWrite() int { return t.counts[written] + t.counts[absent] }

// rowsThatAre returns the rows with an outcome, in the order of the file.
func (t *tally) rowsThatAre(as outcome) []int {
	found := make([]int, 0, t.counts[as])
	for row, result := range t.results {
		if result == as {
			found = append(found, row)
		}
	}

	return found
}

// linesOf returns the lines of the rows with an outcome as text.
func (t *tally) linesOf(as outcome) string { return lines(t.rows, t.rowsThatAre(as)) }

// lines returns the lines of some rows as text, and counts those that are too many to show.
func lines(of []rows.Row, some []int) string {
	var names []string
	for _, row := range some[:min(len(some), limitShownLines)] {
		names = append(names, of[row].String())
	}

	text := "lines "
	if len(some) == 1 {
		text = "line "
	}
	text += strings.Join(names, ", ")
	if more := len(some) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}

	return text
}

// describe returns which rows failed and why, the most frequent causes first, and what to do
// about the most frequent one. There has to be a failure.
func (t *tally) describe() (text, advice string) {
	for _, c := range t.causes {
		slices.Sort(c.rows)
	}
	slices.SortFunc(t.causes, func(a, b *cause) int {
		return cmp.Or(cmp.Compare(len(b.rows), len(a.rows)), cmp.Compare(a.rows[0], b.rows[0]))
	})

	var texts []string
	for _, c := range t.causes[:min(len(t.causes), limitShownCauses)] {
		texts = append(texts, fmt.Sprintf("%s (%d): %s\n%s", c.error.Title(), len(c.rows), lines(t.rows, c.rows), c.error.Describe()))
	}
	if more := len(t.causes) - limitShownCauses; more > 0 {
		texts = append(texts, fmt.Sprintf("There are %d other causes.", more))
	}

	return strings.Join(texts, "\n\n"), tfkit.Advice(t.causes[0].error)
}
