// Package soak decides how large the tests are. make test runs them at sizes that
// prove what they say within minutes; make soak runs the same tests at the sizes of
// real use, for as long as that takes.
package soak

import (
	"math/rand/v2"
	"os"
	"strconv"
)

// The environment of make soak, which is read here and nowhere else.
const (
	large     = "SOAK"           // true: the large sizes
	schedules = "SOAK_SCHEDULES" // how many random schedules each property test tries
	seed      = "SOAK_SEED"      // of the first random schedule, to repeat one that failed
)

// On reports whether the environment has a SOAK that is true.
func On() bool {
	on, err := strconv.ParseBool(os.Getenv(large))
	return err == nil && on
}

// Size returns normal, or soak where a soak is on.
func Size(normal, soak int) int {
	if On() {
		return soak
	}
	return normal
}

// Schedules returns how many random schedules a property test tries: SOAK_SCHEDULES
// where the environment has it, and Size otherwise.
func Schedules(normal, soak int) int {
	if n, err := strconv.Atoi(os.Getenv(schedules)); err == nil && n > 0 {
		return n
	}
	return Size(normal, soak)
}

// Seed returns the seed of a property test's schedule: SOAK_SEED plus the schedule's
// number where the environment has it, and a random one otherwise. Tests print the
// seed of what failed; SOAK_SEED with SOAK_SCHEDULES=1 repeats it.
func Seed(schedule int) uint64 {
	if first, err := strconv.ParseUint(os.Getenv(seed), 10, 64); err == nil {
		return first + uint64(schedule) //nolint:gosec // a schedule's number is not negative
	}
	return rand.Uint64() //nolint:gosec // a seed needs no secrecy
}
