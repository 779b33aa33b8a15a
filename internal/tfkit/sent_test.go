package tfkit

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

func TestOfManyWhoAskAtOnceOneSends(t *testing.T) {
	t.Parallel()
	var (
		sent  Sent
		group sync.WaitGroup
		sends atomic.Int32
		known atomic.Int32
	)
	for range 50 {
		group.Go(func() {
			r, wasKnown, err := sent.Once(t.Context(), SentKey{Identity: "jane"}, func() (SentRequest, error) {
				sends.Add(1)
				return SentRequest{ID: "r1"}, nil
			})
			if err != nil || r.ID != "r1" {
				t.Errorf("it is %v, %v", r, err)
			}
			if wasKnown {
				known.Add(1)
			}
		})
	}
	group.Wait()
	if sends.Load() != 1 || known.Load() != 49 {
		t.Errorf("%d sent, %d knew", sends.Load(), known.Load())
	}
}

func TestAnotherPersonScopeOperationOrOccasionIsAnotherRequest(t *testing.T) {
	t.Parallel()
	var sent Sent
	for _, key := range []SentKey{
		{Identity: "jane"},
		{Identity: "john"},
		{Identity: "jane", Occasion: "friday"},
		{Identity: "jane", Operation: client.OperationDataAccess},
		{Identity: "jane", Scope: client.Scope{AccountID: "a"}},
	} {
		if _, known, err := sent.Once(t.Context(), key, func() (SentRequest, error) { return SentRequest{}, nil }); known || err != nil {
			t.Errorf("%v is known: %v", key, err)
		}
	}
}

func TestWhatFailedOrIsForgottenIsSentAgain(t *testing.T) {
	t.Parallel()
	var sent Sent
	key := SentKey{Identity: "jane"}
	failure := errors.New("no")
	if _, _, err := sent.Once(t.Context(), key, func() (SentRequest, error) { return SentRequest{}, failure }); !errors.Is(err, failure) {
		t.Error(err)
	}
	at := time.Now()
	sent.Note(key, &SentRequest{ID: "r1", FulfilledAt: at})
	never := func() (SentRequest, error) {
		t.Error("it is sent again")
		return SentRequest{}, nil
	}
	if r, known, err := sent.Once(t.Context(), key, never); !known || err != nil || r.ID != "r1" || !r.FulfilledAt.Equal(at) {
		t.Errorf("it is %v, known %v, %v", r, known, err)
	}
	sent.Note(key, nil)
	if _, known, _ := sent.Once(t.Context(), key, func() (SentRequest, error) { return SentRequest{}, nil }); known {
		t.Error("it is not forgotten")
	}
}

func TestWhoeverWaitsForAnotherEndsWithTheContext(t *testing.T) {
	t.Parallel()
	var sent Sent
	key := SentKey{Identity: "jane"}
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err := sent.Once(t.Context(), key, func() (SentRequest, error) {
		cancel()
		_, _, err := sent.Once(ctx, key, func() (SentRequest, error) { return SentRequest{}, nil })
		return SentRequest{}, err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}
