// SPDX-License-Identifier: MPL-2.0

package deferred

import (
	"testing"
	"time"
)

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
