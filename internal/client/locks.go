// SPDX-License-Identifier: MPL-2.0

package client

import (
	"context"
	"sync"
)

// keyedLocks is a lock for each key, such as a person. The zero value is ready for use.
type keyedLocks struct {
	held sync.Map // by key, a channel that is closed when the lock is free again
}

// lock waits for the lock of a key, or until the context ends. The caller calls unlock once.
func (l *keyedLocks) lock(ctx context.Context, key string) (unlock func(), err error) {
	free := make(chan struct{})
	for {
		other, isHeld := l.held.LoadOrStore(key, free)
		if !isHeld {
			break
		}

		waiting, _ := other.(chan struct{})
		select {
		case <-waiting:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}

	return func() {
		l.held.Delete(key)
		close(free)
	}, nil
}
