package consentbatch

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

const progressInterval = 5 * time.Second

// runner calls a function for each of many rows, several at a time and in random order.
type runner struct {
	rows    int
	workers int
	// do is called once for each row, by several workers at once.
	do func(ctx context.Context, row int) (outcome, error)
}

// run returns when every row is done, when the service as a whole is down, or when the context
// ends, and no worker is left.
func (r runner) run(ctx context.Context) *tally {
	t := &tally{order: rand.Perm(r.rows), results: make([]outcome, r.rows)}
	watching, stopWatching := context.WithCancel(ctx)

	var workers, watcher sync.WaitGroup
	watcher.Go(func() { r.logProgress(watching, t) })
	for range min(r.workers, r.rows) {
		workers.Go(func() { r.drain(ctx, t) })
	}

	workers.Wait()
	stopWatching()
	watcher.Wait()

	if ctx.Err() != nil && t.rest() > 0 {
		t.interrupted = true
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
		row, ok := t.take(ctx)
		if !ok {
			return
		}

		as, err := r.do(ctx, row)
		t.record(row, as, err)
	}
}

// logProgress logs the progress of the run in every interval.
func (r runner) logProgress(ctx context.Context, t *tally) {
	began := time.Now()
	ticker := time.NewTicker(progressInterval)
	defer ticker.Stop()

	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}

		t.mu.Lock()
		done := r.rows - t.rest()
		t.mu.Unlock()

		perSecond := float64(done) / time.Since(began).Seconds()
		fields := map[string]any{"done": done, "rows": r.rows, "rows_per_second": int(perSecond)}
		if done > 0 {
			fields["seconds_left"] = int(math.Ceil(float64(r.rows-done) / perSecond))
		}

		tflog.Info(ctx, "Consent batch under way", fields)
	}
}
