package client

import (
	"context"
	"sync"
)

// keyedLocks is a lock for each key, such as a person. The zero value is ready for use.
type keyedLocks struct {
	mu   sync.Mutex
	held map[string]*keyedLock
}

// keyedLock is the lock of one key.
type keyedLock struct {
	turn chan struct{} // holds one value while the lock is free
	uses int           // callers that hold the lock or wait for it
}

// lock waits for the lock of a key, or until the context ends. The caller calls unlock.
func (l *keyedLocks) lock(ctx context.Context, key string) (unlock func(), err error) {
	k := l.join(key)

	select {
	case <-k.turn:
		return func() {
			k.turn <- struct{}{}
			l.part(key)
		}, nil
	case <-ctx.Done():
		l.part(key)
		return nil, ctx.Err()
	}
}

// join returns the lock of a key, which is kept until part is called.
func (l *keyedLocks) join(key string) *keyedLock {
	l.mu.Lock()
	defer l.mu.Unlock()

	if l.held == nil {
		l.held = map[string]*keyedLock{}
	}
	k := l.held[key]
	if k == nil {
		k = &keyedLock{turn: make(chan struct{}, 1)}
		k.turn <- struct{}{}
		l.held[key] = k
	}

	k.uses++

	return k
}

// part forgets the lock of a key after its last use.
func (l *keyedLocks) part(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()

	k := l.held[key]
	if k.uses--; k.uses == 0 {
		delete(l.held, key)
	}
}
