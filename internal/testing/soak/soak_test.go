// SPDX-License-Identifier: MPL-2.0

package soak

import "testing"

// The tests of sizes and seeds change the environment, so that they are not parallel.

func TestSize_isThatOfTheEnvironment(t *testing.T) {
	t.Setenv(large, "")
	for _, tc := range []struct {
		large, schedules string
		size, scheduled  int
	}{
		{"", "", 1, 1},
		{"false", "0", 1, 1},
		{"nonsense", "7", 1, 7},
		{"1", "nonsense", 1000, 1000},
		{"true", "7", 1000, 7},
	} {
		t.Setenv(large, tc.large)
		t.Setenv(schedules, tc.schedules)

		if size, scheduled := Size(1, 1000), Schedules(1, 1000); size != tc.size || scheduled != tc.scheduled {
			t.Errorf("%+v gives the size %d and %d schedules", tc, size, scheduled)
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
