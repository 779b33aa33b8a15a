package mockserver_test

import (
	"testing"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/mockserver"
)

func TestManualClock_firesOnlyTimersThatAreDue(t *testing.T) {
	t.Parallel()

	clock := mockserver.NewManualClock(epoch)
	now, soon, later := clock.After(0), clock.After(time.Second), clock.After(time.Minute)
	clock.AwaitTimers(2)

	if got := <-now; !got.Equal(epoch) {
		t.Errorf("woken at %v", got)
	}

	clock.Advance(time.Second)
	if got := <-soon; !got.Equal(epoch.Add(time.Second)) || !clock.Now().Equal(got) {
		t.Errorf("woken at %v", got)
	}

	select {
	case <-later:
		t.Error("woken too early")
	default:
	}
}
