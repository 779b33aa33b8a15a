// SPDX-License-Identifier: MPL-2.0

package mockserver_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
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

func TestClockFrom_runsFromAnInstantAndIsTheDateOfAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := &mockserver.Server{Clock: mockserver.ClockFrom(epoch)}
		<-server.Clock.After(90 * time.Second)
		if got := server.Clock.Now(); !got.Equal(epoch.Add(90 * time.Second)) {
			t.Errorf("after 90 seconds it is %v", got)
		}

		answer := httptest.NewRecorder()
		server.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/user/self", nil))
		if got, want := answer.Header().Get("Date"), epoch.Add(90*time.Second).UTC().Format(http.TimeFormat); got != want {
			t.Errorf("the date of an answer is %q, want %q", got, want)
		}
	})
}
