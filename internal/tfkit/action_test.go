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
	const half = 30 * time.Second
	for name, tc := range map[string]struct {
		works, limit time.Duration
		panics       string // which side does, at its end
		want         []time.Duration
	}{
		"until the work is done": {95 * time.Second, time.Hour, "", []time.Duration{half, 2 * half, 3 * half}},
		"until the context ends": {2 * time.Minute, 40 * time.Second, "", []time.Duration{half}},
		"until the work panics":  {70 * time.Second, time.Hour, "work", []time.Duration{half, 2 * half}},
		"until it panics":        {95 * time.Second, time.Hour, "tick", []time.Duration{half}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), tc.limit)
				defer cancel()

				var ticks []time.Duration
				defer func() {
					if got := recover(); (got != nil) != (tc.panics == "work") {
						t.Errorf("the panic of the work is %v", got)
					}
					<-time.After(time.Hour)
					if !slices.Equal(ticks, tc.want) {
						t.Errorf("it ticked at %v", ticks)
					}
				}()
				tfkit.During(ctx, func() {
					<-time.After(tc.works)
					if tc.panics == "work" {
						panic("work")
					}
				}, func(since time.Duration) {
					ticks = append(ticks, since)
					if tc.panics == "tick" {
						panic("tick")
					}
				})
			})
		})
	}
}
