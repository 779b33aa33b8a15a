// SPDX-License-Identifier: MPL-2.0

// Package peak measures how much memory the processes of a program take at most.
package peak

import (
	"context"
	"math"
	"sync"
	"time"
)

// sampling is how often a process is looked at. The system keeps its peak, so a process that
// runs for long loses only its last moments. A short one can be missed on a busy machine.
const sampling = 50 * time.Millisecond

// Watch keeps the highest peak of the processes that it looks at.
type Watch struct {
	wanted func(program, folder string) bool
	cancel context.CancelFunc
	done   chan struct{}

	mu   sync.Mutex
	peak float64
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
		w.Look()

		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// Look looks at the processes at once. Who knows that a process runs, and how far it is, calls
// it so that the peak until then is not missed.
func (w *Watch) Look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := highest(w.wanted); !(now <= w.peak) && now > 0 {
		w.peak = now
	}
}

// Stop returns the peak in bytes. It is NaN where no process was seen, as on systems
// that do not report one.
func (w *Watch) Stop() float64 {
	w.cancel()
	<-w.done

	w.mu.Lock()
	defer w.mu.Unlock()

	return w.peak
}
