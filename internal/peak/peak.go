// Package peak finds out how much memory the processes of a program take at most.
package peak

import (
	"context"
	"math"
	"time"
)

// sampling is how often a process is looked at. The system keeps its peak, so only
// what happens in its last moments can be missed.
const sampling = 50 * time.Millisecond

// Watch remembers the highest peak of all processes that are wanted.
type Watch struct {
	cancel context.CancelFunc
	done   chan struct{}
	peak   float64
}

// Start looks at all processes whose program and folder are wanted, until Stop.
func Start(ctx context.Context, wanted func(program, folder string) bool) *Watch {
	ctx, cancel := context.WithCancel(ctx)
	w := &Watch{cancel: cancel, done: make(chan struct{}), peak: math.NaN()}
	go func() {
		defer close(w.done)
		ticks := time.NewTicker(sampling)
		defer ticks.Stop()
		for {
			if now := highest(wanted); !(now <= w.peak) && now > 0 {
				w.peak = now
			}
			select {
			case <-ticks.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return w
}

// Stop returns the peak in bytes; not a number where none was seen, as on systems
// where nobody can look.
func (w *Watch) Stop() float64 {
	w.cancel()
	<-w.done
	return w.peak
}
