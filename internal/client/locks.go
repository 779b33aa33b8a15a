package client

import (
	"context"
	"sync"
)

// keyedLocks serialises what happens to one person, so that a comparison and the
// write that follows from it are not interleaved with another resource's.
type keyedLocks struct {
	mu   sync.Mutex
	held map[string]*keyedLock
}

type keyedLock struct {
	turn chan struct{} // holds one token while free
	uses int
}

// lock waits for the key's turn or the end of the context; on success the
// returned function gives the turn on.
func (l *keyedLocks) lock(ctx context.Context, key string) (unlock func(), err error) {
	k := l.join(key)
	select {
	case <-k.turn:
		return func() { k.turn <- struct{}{}; l.part(key) }, nil
	case <-ctx.Done():
		l.part(key)
		return nil, ctx.Err()
	}
}

func (l *keyedLocks) join(key string) *keyedLock {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.held[key]
	if k == nil {
		k = &keyedLock{turn: make(chan struct{}, 1)}
		k.turn <- struct{}{}
		if l.held == nil {
			l.held = map[string]*keyedLock{}
		}
		l.held[key] = k
	}
	k.uses++
	return k
}

func (l *keyedLocks) part(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k := l.held[key]; k != nil {
		if k.uses--; k.uses == 0 {
			delete(l.held, key)
		}
	}
}
