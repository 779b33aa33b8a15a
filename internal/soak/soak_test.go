// SPDX-License-Identifier: MPL-2.0

package soak

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The tests of sizes and seeds change the environment, so that they are not parallel.

func TestSize_isLargeOnlyWhereTheEnvironmentSaysSo(t *testing.T) {
	t.Setenv(schedules, "7") // is not a size
	for value, want := range map[string]int{"": 1, "0": 1, "false": 1, "nonsense": 1, "1": 1000, "true": 1000} {
		t.Setenv(large, value)
		if got := Size(1, 1000); got != want {
			t.Errorf("SOAK=%q gives %d, want %d", value, got, want)
		}
	}
}

func TestSchedules_canBeCounted(t *testing.T) {
	t.Setenv(large, "1")
	for value, want := range map[string]int{"": 1000, "nonsense": 1000, "0": 1000, "7": 7} {
		t.Setenv(schedules, value)
		if got := Schedules(1, 1000); got != want {
			t.Errorf("SOAK_SCHEDULES=%q gives %d, want %d", value, got, want)
		}
	}
}

func TestRaced_isSmallUnlessASoakIsOn(t *testing.T) {
	t.Setenv(large, "")
	if with, without := raced(true, 1, 100), raced(false, 1, 100); with != 1 || without != 100 {
		t.Errorf("it gives %d with the race detector, and %d without", with, without)
	}

	t.Setenv(large, "1")
	if got := raced(true, 1, 100); got != 100 {
		t.Errorf("a soak gives %d", got)
	}
}

func TestSome_isSpreadOverTheList(t *testing.T) {
	t.Parallel()
	all := []int{0, 1, 2, 3, 4, 5, 6}
	for n, want := range map[int][]int{0: {}, 1: {0}, 3: {0, 2, 4}, 7: all, 9: all} {
		if got := some(n, all); !slices.Equal(got, want) {
			t.Errorf("%d of them are %v", n, got)
		}
	}
}

func TestSeed_isRandomUnlessItIsGiven(t *testing.T) {
	t.Setenv(seed, "")
	if one, other := Seed(0), Seed(0); one == other {
		t.Errorf("both seeds are %d", one)
	}

	t.Setenv(seed, "18446744073709551615")
	if Seed(0) != 18446744073709551615 || Seed(1) != 0 {
		t.Errorf("the seeds are %d and %d", Seed(0), Seed(1))
	}
}

func TestAdd_appendsALineForEachFigure(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "figures")
	for range 2 { // as two processes
		file := open(name)
		add(file, Tried, 3)
		add(file, Lost, 0)
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}

	content, err := os.ReadFile(name)
	if string(content) != "schedules 3\nschedules 3\n" || err != nil {
		t.Errorf("the file holds %q (%v)", content, err)
	}

	if open("") != nil {
		t.Error("a file without a name is open")
	}
	add(nil, Tried, 1)
}
