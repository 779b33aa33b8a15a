// SPDX-License-Identifier: MPL-2.0

package tfkit

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestInParallel_endsForAllWorkers ends with the first item, or with its panic, while others are under way
// which succeed later.
func TestInParallel_endsForAllWorkers(t *testing.T) {
	t.Parallel()
	for _, isPanic := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var calls atomic.Int32
			panics := InParallel(t.Context(), 3, []int{0, 1, 2, 3, 4, 5, 6}, func(item int) (goesOn bool) {
				calls.Add(1)
				<-time.After(time.Duration(1+item) * time.Second)
				if isPanic && item == 0 {
					panic("jane.doe@example.com")
				}
				return item > 0
			})
			if calls.Load() != 3 || panics.HasError() != isPanic {
				t.Errorf("%d items were begun, and it says %v", calls.Load(), panics)
			}
		})
	}
}
