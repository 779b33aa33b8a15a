// SPDX-License-Identifier: MPL-2.0

package peak

import (
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestWatch_findsThePeakOfAProgram lets a process begin and end between two looks of the watch's
// own.
func TestWatch_findsThePeakOfAProgram(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Bool
		watch := Start(t.Context(), func(program, _ string) bool { return program == self && runs.Load() })
		synctest.Wait() // the watch has looked, and the clock stands still until the next time

		runs.Store(true)
		watch.Look()
		runs.Store(false)
		if peak := watch.Stop(); !(peak > 1e6) {
			t.Errorf("a process of Go has a peak of %v bytes", peak)
		}
	})

	nobody := Start(t.Context(), func(string, string) bool { return false })
	if peak := nobody.Stop(); peak == peak {
		t.Errorf("nobody has a peak of %v bytes", peak)
	}
}

func TestHighWaterMark_isReadFromAStatus(t *testing.T) {
	t.Parallel()
	if got := highWaterMark([]byte("Name:\tx\nVmPeak:\t  9999 kB\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n")); got != 2048*1024 {
		t.Errorf("%v", got)
	}
}
