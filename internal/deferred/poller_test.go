// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/answer"
	"github.com/terraform-analytics/terraform-provider-analytics/internal/client"
)

// blankList is a list that shows nothing.
type blankList struct{}

func (blankList) ListPending(context.Context, client.Scope) (answer.PendingList, error) {
	return answer.PendingList{}, nil
}

// Who has looked at a listing gets another one, however soon they look again.
func TestPoller_sameListingIsNotGivenTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &poller{lister: blankList{}, changed: make(chan struct{})}
		var looked time.Time
		for range 4000 {
			l, err := p.await(t.Context(), looked, time.Now())
			if err != nil || !l.began.After(looked) {
				t.Fatalf("a listing that began at %v is given to who has seen the one of %v (%v)", l.began, looked, err)
			}
			looked = l.began
		}
	})
}

func TestPollInterval_neverBelowTheFloorNorInStep(t *testing.T) {
	t.Parallel()
	for waited, want := range map[time.Duration]time.Duration{
		0: pollFloor, -time.Hour: pollFloor, 10 * time.Second: pollFloor, 100 * time.Second: 10 * time.Second, 24 * time.Hour: pollCeiling,
	} {
		seen := map[time.Duration]bool{}
		for range 50 {
			interval := pollInterval(waited)
			if interval < want || interval > want+want/10 {
				t.Fatalf("after %v the interval is %v", waited, interval)
			}
			seen[interval] = true
		}

		if len(seen) < 2 {
			t.Errorf("after %v every interval is the same", waited)
		}
	}

	if pollFloor < time.Second {
		t.Error("the floor is under a second")
	}
}
