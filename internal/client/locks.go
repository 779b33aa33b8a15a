// SPDX-License-Identifier: MPL-2.0

package client

import (
	"context"
	"sync"
)

// keyedLocks is a lock for each key, such as a person. The zero value is ready for use.
type keyedLocks struct {
	mu   sync.Mutex
	held map[string]chan struct{} // closed when the lock is free again
}

// lock waits for the lock of a key, or until the context ends. The caller calls unlock once.
func (l *keyedLocks) lock(ctx context.Context, key string) (unlock func(), err error) {
	free := make(chan struct{})
	for {
		l.mu.Lock()
		if l.held == nil {
			l.held = map[string]chan struct{}{}
		}
		other, isHeld := l.held[key]
		if !isHeld {
			l.held[key] = free
		}
		l.mu.Unlock()

		if !isHeld {
			break
		}

		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}

	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.held, key)
		close(free)
	}, nil
}
