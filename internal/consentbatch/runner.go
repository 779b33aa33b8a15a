package consentbatch

import (
	"context"
	"math"
	"math/bits"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

const progressInterval = 5 * time.Second

// runner calls a function for each of many rows, several at a time.
type runner struct {
	rows    int
	workers int
	// interval is the time between two lines of progress in the log.
	interval time.Duration
	// do is called once for each row, by several workers at once.
	do func(ctx context.Context, row int) (client.ConsentOutcome, error)
	// ask asks the service about a row without a change.
	ask func(ctx context.Context, row int) error
}

// run returns when every row is done, when the service as a whole is down, or when the context
// ends, and no worker is left.
func (r runner) run(ctx context.Context) *tally {
	t := newTally(r.rows)
	watching, stopWatching := context.WithCancel(ctx)

	var workers, watcher sync.WaitGroup
	watcher.Go(func() { r.logProgress(watching, t) })
	for range min(r.workers, r.rows) {
		workers.Go(func() { r.drain(ctx, t) })
	}

	workers.Wait()
	stopWatching()
	watcher.Wait()

	if err := ctx.Err(); err != nil && t.done() < r.rows {
		t.interrupted = err
	}

	return t
}

// drain works on rows until none is left. A panic ends the whole run.
func (r runner) drain(ctx context.Context, t *tally) {
	defer func() {
		if recover() != nil {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.stopped = true
			tfkit.AddPanic(ctx, &t.diags)
		}
	}()

	for {
		next, ok := t.take(ctx)
		if !ok {
			return
		}

		if next.askAgain {
			t.recordAnswer(r.ask(ctx, next.row))
			continue
		}

		outcome, err := r.do(ctx, next.row)
		t.record(next.row, outcome, err)
	}
}

// logProgress logs the progress of the run in every interval.
func (r runner) logProgress(ctx context.Context, t *tally) {
	began := time.Now()
	ticker := time.NewTicker(r.interval)
	defer ticker.Stop()

	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}

		t.mu.Lock()
		done := t.done()
		t.mu.Unlock()

		perSecond := float64(done) / time.Since(began).Seconds()
		fields := map[string]any{"done": done, "rows": r.rows, "rows_per_second": int(perSecond)}
		if done > 0 {
			fields["seconds_left"] = int(math.Ceil(float64(r.rows-done) / perSecond))
		}

		tflog.Info(ctx, "Consent batch under way", fields)
	}
}

// queue hands out each row once, in the order of the file or as a sample of the rest.
type queue struct {
	rows int
	head int // rows before it were handed out

	early   map[int]bool // rows after head that were handed out as samples
	sampled int          // how many samples were handed out
}

// next returns the next row in the order of the file.
func (q *queue) next() (row int, ok bool) {
	for q.head < q.rows {
		row = q.head
		q.head++
		if !q.early[row] {
			return row, true
		}
		delete(q.early, row)
	}

	return 0, false
}

// sample returns a row from the rest of the file: first the last one, then the middle, the
// quarters, the eighths and so on. A rest of a few rows is handed out in order.
func (q *queue) sample() (row int, ok bool) {
	rest := q.rows - q.head
	if rest <= 2*sampleRows {
		return q.next()
	}

	row = q.rows - 1
	if q.sampled > 0 {
		row = q.head + int(radicalInverse(q.sampled)*float64(rest))
	}
	q.sampled++

	if q.early[row] {
		return q.next()
	}

	if q.early == nil {
		q.early = map[int]bool{}
	}
	q.early[row] = true

	return row, true
}

// radicalInverse returns n with its bits mirrored at the binary point: 1/2, 1/4, 3/4, 1/8,
// 5/8, ….
func radicalInverse(n int) float64 {
	return float64(bits.Reverse32(uint32(n))) / (1 << 32) //nolint:gosec // some dozens
}
