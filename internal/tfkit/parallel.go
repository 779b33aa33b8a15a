// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// InParallel calls do for each of the items in order, by several goroutines at once, until it returns
// false or the context ends. It returns when no goroutine is left, with the errors of panics.
func InParallel[T any](ctx context.Context, workers int, items []T, do func(item T) (goesOn bool)) (panics diag.Diagnostics) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()

	var next atomic.Int64
	var mu sync.Mutex // of panics
	var group sync.WaitGroup
	for range min(workers, len(items)) { // a goroutine for each item would grow its stack each time
		group.Go(func() {
			defer func() {
				if recover() != nil {
					stop()
					mu.Lock()
					defer mu.Unlock()
					AddPanic(ctx, &panics)
				}
			}()

			for at := next.Add(1); at <= int64(len(items)) && ctx.Err() == nil; at = next.Add(1) {
				if !do(items[at-1]) {
					stop()
				}
			}
		})
	}
	group.Wait()

	return panics
}
