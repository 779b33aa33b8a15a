// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch/rows"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// newRows returns the tally of so many rows, which are on the lines from 0 on.
func newRows(n int) *tally {
	of := make([]rows.Row, n)
	for i := range of {
		of[i].Line = int32(i)
	}

	return newTally(of)
}

// run passes over so many rows.
func run(ctx context.Context, n, workers int, do func(ctx context.Context, row int) (choice.Act, error)) *tally {
	t := newRows(n)
	t.run(ctx, t.rowsThatAre(notTried), workers, do)

	return t
}

// TestTally_eachRowOnceByAllWorkers has rows of a second each, and a log of how many are done.
func TestTally_eachRowOnceByAllWorkers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var seen [44]atomic.Int32
		var log bytes.Buffer

		began := time.Now()
		done := run(tflogtest.RootLogger(t.Context(), &log), len(seen), 4, func(_ context.Context, row int) (choice.Act, error) {
			<-time.After(time.Second)
			seen[row].Add(1)
			return written, nil
		})
		for row := range seen {
			if n := seen[row].Load(); n != 1 {
				t.Errorf("row %d was done %d times", row, n)
			}
		}
		if took := time.Since(began); took != 11*time.Second || done.count(written) != 44 {
			t.Errorf("%d rows were written in %s", done.count(written), took)
		}
		if n := strings.Count(log.String(), `"@message":"Consent batch under way"`); n != 2 {
			t.Errorf("the log has %s", log.String())
		}
	})
}

// TestTally_interruptHandsOutNoOtherRow ends the context of the run, or a request, in its first
// row.
func TestTally_interruptHandsOutNoOtherRow(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"the run": nil, "a request": &transport.Error{Class: transport.ClassCancelled}, "a write": &transport.Error{Class: transport.ClassCancelled, Ambiguous: true},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		done := run(ctx, 100, 1, func(context.Context, int) (choice.Act, error) {
			calls++
			if err == nil {
				cancel()
			}
			return written, err
		})
		cancel()

		if calls != 1 || done.missed() == 0 || done.stopped != interrupted {
			t.Errorf("%s: %d rows were begun, and it stopped because %q", name, calls, done.stopped)
		}
	}
}

// runFailing runs rows of which some fail.
func runFailing(t *testing.T, rows, workers int, class transport.ErrorClass, fails func(row int) bool) *tally {
	t.Helper()
	return run(t.Context(), rows, workers, func(_ context.Context, row int) (choice.Act, error) {
		if fails(row) {
			return 0, &transport.Error{Class: class, Attempts: 1}
		}
		return written, nil
	})
}

// TestTally_failingRowsStopNoneOfTheOthers has rows that fail in ways which could be those of
// every row, and that may be neighbours. Other rows are at least 40 in 100.
func TestTally_failingRowsStopNoneOfTheOthers(t *testing.T) {
	t.Parallel()
	for schedule := range soak.Schedules(100, 20000) {
		soak.Add(soak.Tried, 1)
		random := rand.New(rand.NewPCG(soak.Seed(schedule), 13))
		rows := 1 + random.IntN(1000)
		from, length, scattered := random.IntN(rows), rows*6/10, random.IntN(2) == 0
		fails := func(row int) bool {
			if scattered {
				return row*7919%rows < length
			}
			return (row+from)%rows < length
		}

		done := runFailing(t, rows, 1+random.IntN(16), transport.ClassServer, fails)
		for row, got := range done.outcomes {
			if want := map[bool]choice.Act{true: failed, false: written}[fails(row)]; got != want {
				t.Fatalf("schedule %d: row %d of %d is %d, want %d (%v)", schedule, row, rows, got, want, done.outcomes)
			}
		}
	}
}

func TestTally_endsWhereTheServiceIsDown(t *testing.T) {
	t.Parallel()
	for _, class := range concernOneRow {
		if done := runFailing(t, 1000, 4, class, func(int) bool { return true }); done.count(failed) != 1000 {
			t.Errorf("%s: %d of 1000 rows were tried, although such failures say nothing of the service", class, done.count(failed))
		}
	}
	for _, answered := range []int64{0, 1, 3333} {
		for _, workers := range []int{1, 16} {
			var requests atomic.Int64
			done := runFailing(t, 5000, workers, transport.ClassServer, func(int) bool { return requests.Add(1) > answered })
			if n := int(requests.Load() - answered); n < outageStreak || n > outageStreak+workers || done.count(notTried) != 5000-int(requests.Load()) || !strings.Contains(done.stopped, "50 rows in a row") {
				t.Errorf("%d workers: %d requests after the service went down, %d rows were not tried", workers, n, done.count(notTried))
			}
		}
	}
}

func TestTally_failuresAreGroupedByCause(t *testing.T) {
	t.Parallel()

	few := newRows(50)
	for row := 30; row > 0; row-- {
		few.fail(row, &transport.Error{Class: transport.ClassServer, Status: 500, Operation: "Get consent", Method: "GET", Attempts: row})
	}
	few.record(t.Context(), 40, written, fmt.Errorf("around it: %w", &transport.Error{Class: transport.ClassConflict, Message: "said of 40"}))
	few.fail(41, &transport.Error{Class: transport.ClassConflict, Message: "said of 41"})
	few.record(t.Context(), 43, written, errors.New("jane@example.com"))
	want := strings.Join([]string{
		"The service failed (30): lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 and 10 more\nOperation: Get consent: GET\nHTTP status: 500\nAttempts: 1",
		"Changed elsewhere (1): line 40\nThe service says: \"said of 40\"",
		"Changed elsewhere (1): line 41\nThe service says: \"said of 41\"",
		"Internal error (1): line 43\n",
	}, "\n\n")
	if text, advice := few.describe(); text != want || advice != tfkit.Advice(&transport.Error{Class: transport.ClassServer}) {
		t.Errorf("%s\nwant:\n%s\nthe advice is %q", text, want, advice)
	}

	many := newRows(9) // whose messages all differ
	for row := range many.rows {
		many.fail(row, &transport.Error{Class: transport.ClassRejected, Message: fmt.Sprint("request ", row)})
	}
	if text, _ := many.describe(); !strings.HasSuffix(text, "\n\nThere are 1 other causes.") {
		t.Errorf("with more causes, it is\n%s", text)
	}
}
