// SPDX-License-Identifier: MPL-2.0

package soak

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The tests of sizes and seeds change the environment, so that they are not parallel.

func TestSize_isThatOfTheEnvironment(t *testing.T) {
	t.Setenv(large, "")
	for _, tc := range []struct {
		large, schedules                           string
		size, scheduled, raced, withoutTheDetector int
	}{
		{"", "", 1, 1, 1, 100},
		{"false", "0", 1, 1, 1, 100},
		{"nonsense", "7", 1, 7, 1, 100},
		{"1", "nonsense", 1000, 1000, 100, 100},
		{"true", "7", 1000, 7, 100, 100},
	} {
		t.Setenv(large, tc.large)
		t.Setenv(schedules, tc.schedules)

		if size, scheduled := Size(1, 1000), Schedules(1, 1000); size != tc.size || scheduled != tc.scheduled {
			t.Errorf("%+v gives the size %d and %d schedules", tc, size, scheduled)
		}
		if with, without := raced(true, 1, 100), raced(false, 1, 100); with != tc.raced || without != tc.withoutTheDetector {
			t.Errorf("%+v gives %d with the race detector, and %d without", tc, with, without)
		}
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
