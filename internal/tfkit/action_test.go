// SPDX-License-Identifier: MPL-2.0

package tfkit_test

import (
	"context"
	"slices"
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
		panics       string // which side does, at its end
		want         []time.Duration
	}{
		"until the work is done": {95 * time.Second, time.Hour, "", []time.Duration{30 * time.Second, time.Minute, 90 * time.Second}},
		"until the context ends": {2 * time.Minute, 40 * time.Second, "", []time.Duration{30 * time.Second}},
		"until the work panics":  {70 * time.Second, time.Hour, "work", []time.Duration{30 * time.Second, time.Minute}},
		"until it panics":        {95 * time.Second, time.Hour, "tick", []time.Duration{30 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), tc.limit)
				defer cancel()
				panicIn := func(side string) {
					if tc.panics == side {
						panic(side)
					}
				}

				var ticks []time.Duration
				func() {
					defer func() {
						if got := recover(); (got == "work") != (tc.panics == "work") {
							t.Errorf("the panic of the work is %v", got)
						}
					}()
					tfkit.During(ctx, func() {
						<-time.After(tc.works)
						panicIn("work")
					}, func(since time.Duration) {
						ticks = append(ticks, since)
						panicIn("tick")
					})
				}()
				<-time.After(time.Hour)

				if !slices.Equal(ticks, tc.want) {
					t.Errorf("it ticked at %v", ticks)
				}
			})
		})
	}
}
