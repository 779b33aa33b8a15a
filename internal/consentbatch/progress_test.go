// SPDX-License-Identifier: MPL-2.0

package consentbatch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/choice"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client/transport"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/consentbatch/rows"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/testing/soak"
)

func init() {
	if keyIterations != 200_000 {
		panic(fmt.Sprintf("a digest is stretched %d times", keyIterations))
	}
	keyIterations = soak.Size(100, digestIterations)
}

// newRows returns the progress of so many rows, which are on the lines from 0 on.
func newRows(n int) *progress {
	of := make([]rows.Row, n)
	for i := range of {
		of[i].Line = int32(i)
	}

	return newProgress(of)
}

// TestProgress_logsProgress has rows that four workers do in eleven seconds.
func TestProgress_logsProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		done := newRows(44)
		done.run(tflogtest.RootLogger(t.Context(), &log), done.all, 4, func(context.Context, int) (choice.Act, error) {
			<-time.After(time.Second)
			return written, nil
		})
		if n := strings.Count(log.String(), `"@message":"Consent batch under way"`); n != 2 || done.count(written) != 44 {
			t.Errorf("%d rows are written, and the log has %s", done.count(written), log.String())
		}
	})
}

// TestProgress_failingRowsStopNoneOfTheOthers has rows that fail in ways which could be those of every row,
// and that may be neighbours, while 40 in 100 do not. All may fail in ways that concern one row.
func TestProgress_failingRowsStopNoneOfTheOthers(t *testing.T) {
	t.Parallel()
	for schedule := range soak.Schedules(100, 20000) {
		soak.Add(soak.Tried, 1)
		random := rand.New(rand.NewPCG(soak.Seed(schedule), 13))
		rows := 1 + random.IntN(1000)
		from, failing, class := random.IntN(rows), rows*6/10, transport.ClassServer
		if random.IntN(4) == 0 {
			failing, class = rows, concernOneRow[random.IntN(len(concernOneRow))]
		}
		step := []int{1, 7919}[random.IntN(2)] // neighbours, or from all over the file
		fails := func(row int) bool { return (row*step+from)%rows < failing }

		done := newRows(rows)
		done.run(t.Context(), done.all, 1+random.IntN(16), func(_ context.Context, row int) (choice.Act, error) {
			if fails(row) {
				return 0, &transport.Error{Class: class}
			}
			return written, nil
		})
		for row, got := range done.outcomes {
			if want := map[bool]choice.Act{true: failed, false: written}[fails(row)]; got != want {
				t.Fatalf("schedule %d: row %d of %d is %d, want %d (%v)", schedule, row, rows, got, want, done.outcomes)
			}
		}
	}
}

// TestProgress_failuresAreGroupedByCause has failures that differ by their attempts alone, one that is no answer,
// and eight others.
func TestProgress_failuresAreGroupedByCause(t *testing.T) {
	t.Parallel()
	some := newRows(12)
	for row := range 8 {
		some.fail(row, &transport.Error{Class: transport.ClassRejected, Message: fmt.Sprint("request ", row)})
	}
	some.record(t.Context(), 8, written, errors.New("jane@example.com"))

	for row := 11; row > 8; row-- {
		some.record(t.Context(), row, written, fmt.Errorf("around it: %w", &transport.Error{Class: transport.ClassServer, Status: 500, Attempts: row}))
	}

	text, _ := some.describe()
	if !strings.HasPrefix(text, "The service failed (3): lines 9, 10, 11\nHTTP status: 500\n") || strings.Count(text, "\n\n") != limitShownCauses || !strings.HasSuffix(text, "\n\n2 more causes are not shown.") || strings.Contains(text, "jane") {
		t.Errorf("it says\n%s", text)
	}
}
