// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"context"
	"errors"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"golang.org/x/sync/errgroup"
)

// errStop ends the work of InParallel.
var errStop = errors.New("no more items are wanted")

// InParallel calls do for each of the items in order, by several goroutines at once, until it returns
// false or the context ends. It returns when no goroutine is left, with the errors of panics.
func InParallel[T any](ctx context.Context, workers int, items []T, do func(item T) (goesOn bool)) (panics diag.Diagnostics) {
	queue := make(chan T, len(items))
	for _, item := range items {
		queue <- item
	}
	close(queue)

	var mu sync.Mutex // of panics
	group, ctx := errgroup.WithContext(ctx)
	for range min(workers, len(items)) { // a goroutine for each item would grow its stack each time
		group.Go(func() (err error) {
			defer func() {
				if recover() != nil {
					mu.Lock()
					defer mu.Unlock()
					AddPanic(ctx, &panics)
					err = errStop
				}
			}()

			for item := range queue {
				if ctx.Err() != nil || !do(item) {
					return errStop
				}
			}

			return nil
		})
	}
	_ = group.Wait()

	return panics
}
