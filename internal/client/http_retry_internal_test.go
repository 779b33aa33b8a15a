package client

import (
	"testing"
)

func TestBackoff_fullJitterUnderADoublingLimit(t *testing.T) {
	t.Parallel()
	for attempt := range 200 {
		limit := min(backoffBase<<min(attempt, 10), backoffCap)
		for range 20 {
			if wait := backoff(0, 0, attempt, nil); wait < backoffFloor || wait > limit+backoffFloor {
				t.Fatalf("attempt %d waits %v, limit %v", attempt, wait, limit)
			}
		}
	}
}
