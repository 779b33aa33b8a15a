// SPDX-License-Identifier: MPL-2.0

package soak

import "testing"

// TestSizes_areThoseOfTheEnvironment changes the environment, so that it is not parallel.
func TestSizes_areThoseOfTheEnvironment(t *testing.T) {
	t.Setenv(seed, "")
	if one, other := Seed(0), Seed(0); one == other {
		t.Errorf("both seeds are %d", one)
	}

	t.Setenv(seed, "18446744073709551615")
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
		if size, scheduled := Size(1, 1000), Schedules(1, 1000); size != tc.size || scheduled != tc.scheduled || Seed(1) != 0 {
			t.Errorf("%+v gives the size %d, %d schedules and the seed %d", tc, size, scheduled, Seed(1))
		}
	}
}
