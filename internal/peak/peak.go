// Package peak measures how much memory the processes of a program take at most.
package peak

import (
	"context"
	"math"
	"time"
)

// sampling is how often a process is looked at. The system keeps its peak, so only
// what happens in its last moments can be missed.
const sampling = 50 * time.Millisecond

// Watch keeps the highest peak of the processes that it looks at.
type Watch struct {
	wanted func(program, folder string) bool
	cancel context.CancelFunc
	done   chan struct{}
	peak   float64
}

// Start looks at all processes whose program and working folder are wanted, until Stop.
func Start(ctx context.Context, wanted func(program, folder string) bool) *Watch {
	ctx, cancel := context.WithCancel(ctx)
	w := &Watch{wanted: wanted, cancel: cancel, done: make(chan struct{}), peak: math.NaN()}
	go w.run(ctx)
	return w
}

func (w *Watch) run(ctx context.Context) {
	defer close(w.done)
	ticks := time.NewTicker(sampling)
	defer ticks.Stop()

	for {
		if now := highest(w.wanted); !(now <= w.peak) && now > 0 {
			w.peak = now
		}

		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// Stop returns the peak in bytes. It is NaN where no process was seen, as on systems
// that do not report one.
func (w *Watch) Stop() float64 {
	w.cancel()
	<-w.done
	return w.peak
}
