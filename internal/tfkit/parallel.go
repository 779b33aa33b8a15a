// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// InParallel calls do for each of the items in order, by several goroutines at once, until it returns
// false or the context ends. It returns when no goroutine is left, with the errors of panics.
func InParallel(ctx context.Context, workers int, items []int, do func(item int) (goesOn bool)) (panics diag.Diagnostics) {
	queue := make(chan int, len(items))
	for _, item := range items {
		queue <- item
	}
	close(queue)

	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var mu sync.Mutex // of panics
	var group sync.WaitGroup

	for range min(workers, len(items)) {
		group.Go(func() {
			defer func() {
				if recover() != nil {
					stop()
					mu.Lock()
					defer mu.Unlock()
					AddPanic(ctx, &panics)
				}
			}()

			for item := range queue {
				if ctx.Err() != nil {
					return
				}
				if !do(item) {
					stop()
				}
			}
		})
	}
	group.Wait()

	return panics
}
