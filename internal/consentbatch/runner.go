package consentbatch

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

const (
	// failuresInARow without a success between: then it is the service, not the rows.
	failuresInARow = 20

	// refusalsAtFirst is how many rows the service may refuse, one by one, before any
	// other row has succeeded: then it refuses them all. A file may well begin with some
	// that it has reason to refuse.
	refusalsAtFirst = 200

	progressInterval = 5 * time.Second
)

// hitEveryRow are the failures that no row escapes, so that going on is no use.
var hitEveryRow = []client.Kind{
	client.KindAuthentication, client.KindLoginAnswer, client.KindUnreachable, client.KindTLS, client.KindProxyAuth,
	client.KindReadOnly, client.KindRateLimited,
}

// hitOneRow are the failures that say something of one row: what it holds, or whom it
// is about. All others may be those of the service, and count where none succeeds.
var hitOneRow = []client.Kind{
	client.KindRejected, client.KindConflict, client.KindInvalid, client.KindNotFound, client.KindPayload,
}

// runner is something that is done with each of many rows.
type runner struct {
	rows    int
	workers int
	// interval is how often progress is logged.
	interval time.Duration
	// do is called for each row once, by several workers at once.
	do func(ctx context.Context, row int) (client.ConsentOutcome, error)
}

// tally is how far a runner has come.
type tally struct {
	mu       sync.Mutex
	next     int // the first row that nobody has taken
	done     int // rows that succeeded or failed
	written  int
	kept     []int32 // rows where a later choice stands
	failures failures
	streak   int // failures since the last success, but for those of one row
	stopped  bool
	// interrupted is why the work ended before its time; nil where it did not.
	interrupted error
	diags       diag.Diagnostics // of panics
}

// run does the work. It returns when all rows are done, when going on is no use, or
// when the context ends; no worker is left then.
func (w runner) run(ctx context.Context) *tally {
	t := &tally{}
	watching, stopWatching := context.WithCancel(ctx)
	var workers, watcher sync.WaitGroup
	watcher.Go(func() { w.logProgress(watching, t) })
	for range min(w.workers, w.rows) {
		workers.Go(func() { w.drain(ctx, t) })
	}
	workers.Wait()
	stopWatching()
	watcher.Wait()
	if err := ctx.Err(); err != nil && t.done < w.rows {
		t.interrupted = err
	}
	return t
}

// drain works on rows until there is none left. A panic ends the whole work.
func (w runner) drain(ctx context.Context, t *tally) {
	defer func() {
		if recover() != nil {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.stopped = true
			tfkit.AddPanic(ctx, &t.diags)
		}
	}()
	for {
		row, ok := t.take(ctx, w.rows)
		if !ok {
			return
		}
		outcome, err := w.do(ctx, row)
		t.note(row, outcome, err)
	}
}

func (t *tally) take(ctx context.Context, rows int) (row int, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped || t.next == rows || ctx.Err() != nil {
		return 0, false
	}
	t.next++
	return t.next - 1, true
}

func (t *tally) note(row int, outcome client.ConsentOutcome, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case client.IsKind(err, client.KindCancelled): // neither done nor failed
		t.stopped, t.interrupted = true, err
		return
	case err != nil:
		t.failures.Add(row, err)
		if !client.IsKind(err, hitOneRow...) {
			t.streak++
		}
		t.done++
		t.stopped = t.stopped || t.hopeless() || client.IsKind(err, hitEveryRow...)
	case outcome == client.ConsentWritten:
		t.written++
	case outcome == client.ConsentKept:
		t.kept = append(t.kept, int32(row)) //nolint:gosec // rows are counted in int32
	}
	if err == nil {
		t.done++
		t.streak = 0
	}
}

// hopeless reports that the failures so far are those of the service.
func (t *tally) hopeless() bool {
	return t.streak >= failuresInARow || t.failures.Count >= refusalsAtFirst && t.succeeded() == 0
}

// failed reports whether any row is not as it should be.
func (t *tally) failed(rows int) bool { return t.failures.Count > 0 || t.done < rows }

// succeeded is how many rows are as they should be.
func (t *tally) succeeded() int { return t.done - t.failures.Count }

// logProgress says now and then how far the work has come.
func (w runner) logProgress(ctx context.Context, t *tally) {
	began := time.Now()
	ticker := time.NewTicker(w.interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		t.mu.Lock()
		done := t.done
		t.mu.Unlock()
		perSecond := float64(done) / time.Since(began).Seconds()
		fields := map[string]any{"done": done, "rows": w.rows, "rows_per_second": int(perSecond)}
		if done > 0 {
			fields["seconds_left"] = int(math.Ceil(float64(w.rows-done) / perSecond))
		}
		tflog.Info(ctx, "Consent batch under way", fields)
	}
}

// timeIsOver tells the end of the configured time from an interrupt.
func (t *tally) timeIsOver() bool { return errors.Is(t.interrupted, context.DeadlineExceeded) }
