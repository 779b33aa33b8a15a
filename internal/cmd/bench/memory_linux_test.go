package main

import (
	"os"
	"testing"
)

func TestThePeakOfAProgramIsFound(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	watch := watchMemory(t.Context(), func(program string) bool { return program == self })
	if peak := watch.stop(); !(peak > 1e6) {
		t.Errorf("a process of Go has a peak of %v bytes", peak)
	}
	nobody := watchMemory(t.Context(), func(string) bool { return false })
	if peak := nobody.stop(); peak == peak {
		t.Errorf("nobody has a peak of %v bytes", peak)
	}
}

func TestTheHighWaterMarkIsReadFromAStatus(t *testing.T) {
	t.Parallel()
	if got := highWaterMark([]byte("Name:\tx\nVmPeak:\t  9999 kB\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n")); got != 2048*1024 {
		t.Errorf("%v", got)
	}
}
