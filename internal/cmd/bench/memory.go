package main

import (
	"context"
	"time"
)

// sampling is how often the memory of a process is looked at. The system keeps its
// peak, so only what happens in its last moments can be missed.
const sampling = 50 * time.Millisecond

// memoryWatch remembers the highest peak of all processes of a program.
type memoryWatch struct {
	cancel context.CancelFunc
	done   chan struct{}
	peak   float64
}

// watchMemory looks at all processes whose program is wanted, until stop.
func watchMemory(ctx context.Context, wanted func(program string) bool) *memoryWatch {
	ctx, cancel := context.WithCancel(ctx)
	w := &memoryWatch{cancel: cancel, done: make(chan struct{}), peak: unknown}
	go func() {
		defer close(w.done)
		ticks := time.NewTicker(sampling)
		defer ticks.Stop()
		for {
			if peak := peakMemory(wanted); !(peak <= w.peak) && peak > 0 {
				w.peak = peak
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

// stop returns the peak in bytes; not a number where none was seen.
func (w *memoryWatch) stop() float64 {
	w.cancel()
	<-w.done
	return w.peak
}
