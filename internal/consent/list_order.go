package consent

import (
	"context"
	"iter"
	"sync"
)

// inOrder calls do for each input, several at a time, and yields the results in the order
// of the inputs. width returns how many inputs may be taken and not yet be yielded, at
// least 1; it is asked before each input is taken. No call is under way once the iteration
// has ended, because its end cancels their context and waits for them.
func inOrder[In, Out any](ctx context.Context, inputs iter.Seq[In], width func() int, do func(context.Context, In) Out) iter.Seq[Out] {
	return func(yield func(Out) bool) {
		next, stop := iter.Pull(inputs)
		defer stop()

		var calls sync.WaitGroup
		defer calls.Wait()

		ctx, cancel := context.WithCancel(ctx)
		defer cancel()

		var waiting []chan Out // in the order of the inputs
		for exhausted := false; ; {
			for !exhausted && len(waiting) < width() {
				in, ok := next()
				if !ok {
					exhausted = true
					break
				}

				out := make(chan Out, 1)
				waiting = append(waiting, out)
				calls.Go(func() { out <- do(ctx, in) })
			}

			if len(waiting) == 0 || !yield(<-waiting[0]) {
				return
			}
			waiting = waiting[1:]
		}
	}
}
