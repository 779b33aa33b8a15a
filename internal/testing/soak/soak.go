// SPDX-License-Identifier: MPL-2.0

// Package soak decides how large random and concurrent tests are, and counts what they try. make test runs them
// small, with the race detector, make cover larger, without it, and make soak at the sizes of real use.
package soak

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
)

// The environment of make soak, which is read here and nowhere else.
const (
	large     = "SOAK"           // true: the large sizes
	schedules = "SOAK_SCHEDULES" // how many random schedules each property test tries
	seed      = "SOAK_SEED"      // of the first random schedule, to repeat one that failed
	figures   = "SOAK_FIGURES"   // the file that figures are appended to
)

// What tests count for make soak.
const (
	Tried    = "schedules" // random schedules
	Requests = "requests"  // requests that services received
)

// Add adds n to a figure of make soak. Without SOAK_FIGURES it does nothing. It writes one line at
// once, since several processes may use the file.
func Add(figure string, n int) {
	path := os.Getenv(figures)
	if path == "" || n == 0 {
		return
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintf(file, "%s %d\n", figure, n)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		panic("the figures of the soak cannot be written: " + err.Error())
	}
}

// On reports whether the environment has a SOAK that is true.
func On() bool {
	on, _ := strconv.ParseBool(os.Getenv(large))
	return on
}

// Size returns normal, or soak where a soak is on.
func Size(normal, soak int) int {
	if On() {
		return soak
	}
	return normal
}

// Raced returns small in a test with the race detector, and otherwise, or where a soak is
// on, full. A small size has to be enough for all goroutines of the test to meet.
func Raced(small, full int) int {
	info, _ := debug.ReadBuildInfo()
	if slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) && !On() {
		return small
	}
	return full
}

// Schedules returns how many random schedules a property test tries: SOAK_SCHEDULES, if there is one, or Size, of which
// the race detector sees a quarter.
func Schedules(normal, soak int) int {
	if n, err := strconv.Atoi(os.Getenv(schedules)); err == nil && n > 0 {
		return n
	}
	return Size(Raced(max(1, normal/4), normal), soak)
}

// Seed returns the seed of a property test's schedule: SOAK_SEED plus the schedule's number, or else a random one.
// Tests print the seed of what failed; SOAK_SEED with SOAK_SCHEDULES=1 repeats it.
func Seed(schedule int) uint64 {
	if first, err := strconv.ParseUint(os.Getenv(seed), 10, 64); err == nil {
		return first + uint64(schedule)
	}
	return rand.Uint64()
}
