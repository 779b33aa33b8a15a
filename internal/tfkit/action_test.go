// SPDX-License-Identifier: MPL-2.0

package tfkit_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-analytics/terraform-provider-analytics/internal/tfkit"
)

// TestDuring_ticks works for a while, and listens for an hour more. A panic of the work goes on,
// and one of a tick only ends the ticks.
func TestDuring_ticks(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		works, limit time.Duration
		panics       string // the side that does, at its end
		ticks        int
	}{
		"until the work is done": {95 * time.Second, time.Hour, "", 3},
		"until the context ends": {2 * time.Minute, 40 * time.Second, "", 1},
		"until the work panics":  {70 * time.Second, time.Hour, "work", 2},
		"until it panics":        {95 * time.Second, time.Hour, "tick", 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), tc.limit)
			defer cancel()

			ticks := 0
			defer func() {
				panicked := recover() != nil
				<-time.After(time.Hour)
				if panicked != (tc.panics == "work") || ticks != tc.ticks {
					t.Errorf("%s: it panicked %v, and ticked %d times", name, panicked, ticks)
				}
			}()
			tfkit.During(ctx, func() {
				<-time.After(tc.works)
				if tc.panics == "work" {
					panic("work")
				}
			}, func(since time.Duration) {
				ticks++
				if since != time.Duration(ticks)*30*time.Second || tc.panics == "tick" {
					panic("tick")
				}
			})
		})
	}
}
