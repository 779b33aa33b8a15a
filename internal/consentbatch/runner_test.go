package consentbatch

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// lasting returns work in which every row takes a second and is written.
func lasting(rows, workers int) runner {
	return runner{rows: rows, workers: workers, interval: progressInterval, do: func(ctx context.Context, _ int) (client.ConsentOutcome, error) {
		select {
		case <-time.After(time.Second):
			return client.ConsentWritten, nil
		case <-ctx.Done():
			return 0, &client.Error{Class: client.ClassCancelled}
		}
	}}
}

func TestRunner_progressNamesNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		work := lasting(44, 4)
		began := time.Now()
		done := work.run(tflogtest.RootLogger(t.Context(), &log))
		if took := time.Since(began); took != 11*time.Second || done.counts[written] != 44 || done.failed() {
			t.Errorf("%d rows were written in %s", done.counts[written], took)
		}

		entries, err := tflogtest.MultilineJSONDecode(&log)
		if err != nil || len(entries) != 2 {
			t.Fatalf("the log has %v (%v)", entries, err)
		}

		last := entries[1]
		// What ends in the tick's own instant may or may not count.
		if n, _ := last["done"].(float64); last["rows"] != 44.0 || n < 36 || n > 40 || last["rows_per_second"] == nil || last["seconds_left"] == nil {
			t.Errorf("the log says %v", last)
		}
	})
}

func TestRunner_eachRowOnceByAllWorkers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var under, most atomic.Int32
		seen := make([]atomic.Int32, 1000)
		work := runner{rows: len(seen), workers: 7, interval: progressInterval, do: func(_ context.Context, row int) (client.ConsentOutcome, error) {
			if n := under.Add(1); n > most.Load() {
				most.Store(n)
			}
			<-time.After(time.Millisecond)
			under.Add(-1)
			seen[row].Add(1)
			return client.ConsentKept, nil
		}}

		done := work.run(t.Context())
		for row := range seen {
			if n := seen[row].Load(); n != 1 {
				t.Errorf("row %d was done %d times", row, n)
			}
		}

		if most.Load() != 7 || done.counts[kept] != 1000 || done.succeeded() != 1000 {
			t.Errorf("%d at once, %d kept", most.Load(), done.counts[kept])
		}
	})
}

func TestRunner_endsWithItsContext(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		ctx  func(context.Context) (context.Context, context.CancelFunc)
		over bool
	}{
		"interrupt": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(2500*time.Millisecond, cancel)
			return ctx, cancel
		}, false},
		"time": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 2500*time.Millisecond)
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := tc.ctx(t.Context())
				defer cancel()
				began := time.Now()
				done := lasting(100, 4).run(ctx)
				if took := time.Since(began); took != 2500*time.Millisecond || done.counts[written] != 8 || done.failures.Count != 0 {
					t.Errorf("%d rows in %s, %d failures", done.counts[written], took, done.failures.Count)
				}
				if !done.failed() || done.interrupted == nil || done.timeIsOver() != tc.over {
					t.Errorf("it ended with %v", done.interrupted)
				}
			})
		})
	}
}

func TestRunner_panicEndsTheRunAndIsNotShown(t *testing.T) {
	t.Parallel()
	done := runner{rows: 100, workers: 3, interval: progressInterval, do: func(_ context.Context, row int) (client.ConsentOutcome, error) {
		if row == 5 {
			panic("jane@example.com")
		}
		return client.ConsentWritten, nil
	}}.run(t.Context())
	if len(done.diags) != 1 || !done.failed() || strings.Contains(done.diags[0].Detail(), "jane") {
		t.Errorf("it ended with %v", done.diags)
	}
}

func TestRunner_limitThatIsTooLateEndsTheRun(t *testing.T) {
	t.Parallel()
	done := runner{rows: 100, workers: 1, interval: progressInterval, do: func(context.Context, int) (client.ConsentOutcome, error) {
		return 0, errors.Join(context.DeadlineExceeded, &client.Error{Class: client.ClassCancelled})
	}}.run(t.Context())
	if done.queue.head != 1 || !done.timeIsOver() {
		t.Errorf("%d rows were tried; it ended with %v", done.queue.head, done.interrupted)
	}
}
