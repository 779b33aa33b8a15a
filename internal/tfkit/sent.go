package tfkit

import (
	"context"
	"sync"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// Sent remembers the deferred requests of one run of the provider, so that none is
// sent twice when an object is replaced or when two objects stand for the same
// request. The pending list alone cannot tell: a request that is fulfilled is not in
// it any more. The zero value is ready; safe for concurrent use.
type Sent struct {
	mu    sync.Mutex
	slots map[SentKey]*sentSlot
}

// SentKey says what a request is for. Requests of the same person on another
// occasion are others.
type SentKey struct {
	Scope     client.Scope
	Operation string // one of client.Operations
	Identity  string
	Occasion  string
}

// SentRequest is an accepted request and what became of it in this run.
type SentRequest struct {
	ID          string // empty where the service gave none
	At          time.Time
	FulfilledAt time.Time // zero while it is not
}

// sentSlot holds one request; busy holds a token while somebody uses it.
type sentSlot struct {
	busy    chan struct{}
	request *SentRequest
}

func (s *Sent) slot(key SentKey) *sentSlot {
	s.mu.Lock()
	defer s.mu.Unlock()
	slot := s.slots[key]
	if slot == nil {
		slot = &sentSlot{busy: make(chan struct{}, 1)}
		if s.slots == nil {
			s.slots = map[SentKey]*sentSlot{}
		}
		s.slots[key] = slot
	}
	return slot
}

// Once returns the request that this run knows already, or else sends one and
// remembers it. Of several who ask at the same time one sends and the others get
// what it was given. An error is that of send, or the context's.
func (s *Sent) Once(ctx context.Context, key SentKey, send func() (SentRequest, error)) (r SentRequest, known bool, err error) {
	slot := s.slot(key)
	select {
	case slot.busy <- struct{}{}:
	case <-ctx.Done():
		return SentRequest{}, false, ctx.Err()
	}
	defer func() { <-slot.busy }()
	if slot.request != nil {
		return *slot.request, true, nil
	}
	if r, err = send(); err == nil {
		slot.request = &r
	}
	return r, false, err
}

// Note remembers a request or what became of it; nil forgets it, so that the next
// one is sent.
func (s *Sent) Note(key SentKey, r *SentRequest) {
	slot := s.slot(key)
	slot.busy <- struct{}{}
	slot.request = r
	<-slot.busy
}
