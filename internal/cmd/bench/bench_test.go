// SPDX-License-Identifier: MPL-2.0

package main

import (
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParse_flagsAreNumbersAndAName(t *testing.T) {
	t.Parallel()
	usual := options{records: 1_000_000, sizes: []int{500, 5000}, singles: 500, latencies: []time.Duration{0, 20 * time.Millisecond}}
	changed := func(change func(*options)) options {
		o := usual
		change(&o)
		return o
	}

	for args, want := range map[string]options{
		"":                         usual,
		"-people=5":                changed(func(o *options) { o.sizes = []int{5} }),
		"-only=exports -records=5": changed(func(o *options) { o.records, o.only = 5, "exports" }),
		"-latencies=1s":            changed(func(o *options) { o.latencies = []time.Duration{time.Second} }),
		"-only=seeding":            changed(func(o *options) { o.only = "seeding" }),
		"20":                       {}, "-only=other": {}, "-records=0": {}, "-people=": {}, "-people=1,0": {}, "-people=1000001": {}, "-latencies=20": {}, "-latencies=-1s": {},
	} {
		got, err := parse(strings.Fields(args), io.Discard)
		if want.sizes == nil {
			if err == nil {
				t.Errorf("%q is accepted as %+v", args, got)
			}
			continue
		}

		if diff := cmp.Diff(want, got, cmp.AllowUnexported(options{})); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got):\n%s", args, err, diff)
		}
	}

	if _, err := parse([]string{"-h"}, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("help ended with %v", err)
	}
}

func TestService_countsTheRequestsSinceTheLastCall(t *testing.T) {
	t.Parallel()
	s := &service{log: filepath.Join(t.TempDir(), "requests")}
	text := ""
	for _, step := range []struct {
		logged string
		want   map[string]int
	}{
		{"1 getConsent GET /v1: 200\n2 updateConsent PATCH /v1: 200\n3 getConsent GET /v1: 404\n", map[string]int{"getConsent": 2, "updateConsent": 1}},
		{"", map[string]int{}},
		{"4 getConsent GET /v1: 200\n", map[string]int{"getConsent": 1}},
	} {
		text += step.logged
		if err := os.WriteFile(s.log, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}

		got, err := s.requests()
		if diff := cmp.Diff(step.want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}

func TestDayGrid_comparesWithTheBareLoopOfTheShape(t *testing.T) {
	t.Parallel()
	var medians []exported
	for i := range ways {
		seconds := time.Duration(i+1) * time.Second
		medians = append(medians, medianOf([]exported{
			{cost{wall: seconds, cpu: seconds / 2, memory: 40e6}, 400e6}, {cost{wall: 2 * seconds, cpu: seconds, memory: 50e6}, 400e6}, {cost{wall: 3 * seconds, cpu: 2 * seconds, memory: math.NaN()}, 400e6},
		}))
	}
	medians[len(medians)-1] = exported{cost{wall: time.Second, cpu: time.Second / 2, memory: 30e6}, 0}

	got := dayGrid(1000, medians, exported{cost{wall: 21 * time.Second, cpu: 3 * time.Second, memory: 41e6}, 4000e6}).rows
	for i, want := range map[int][]string{
		1:  {"the bare loop", "object", "4.0 s", "4.0 s", "2.0 s", "100", "1.00", "1.00", ""},
		2:  {"analytics_export_file", "object", "6.0 s", "5.0 s", "2.5 s", "80", "1.25", "1.25", ""},
		8:  {"analytics_export_file", "ndjson", "18.0 s", "17.0 s", "8.5 s", "24", "1.06", "1.06", ""},
		9:  {"the same, a day without records", "ndjson", "1.0 s", "", "", "", "", "", "30 MB"},
		10: {"ten times the day", "object", "21.0 s", "20.0 s", "2.5 s", "200", "", "", "41 MB"},
	} {
		if diff := cmp.Diff(want, got[i]); diff != "" {
			t.Errorf("row %d (-want +got):\n%s", i, diff)
		}
	}
}

func TestSeedingGrid_comparesWithCurlAndTheFewestPeople(t *testing.T) {
	t.Parallel()
	seeding := func(people int, memory float64, curl time.Duration) seeded {
		return seeded{
			seedingCase: seedingCase{seeder: seeder{name: "way"}, people: people},
			plan:        cost{wall: time.Second}, apply: cost{wall: 3 * time.Second, cpu: 2 * time.Second, memory: memory}, again: cost{wall: time.Second},
			curl: curl, sent: map[string]int{"getConsent": 2 * people, "updateConsent": people}, sentAgain: map[string]int{"getConsent": people}, state: 1400,
		}
	}

	got := seedingGrid([]seeded{seeding(100, 30e6, 2*time.Second), seeding(1100, 31e6, 0), seeding(2100, math.NaN(), 0)}).rows
	want := [][]string{
		{"way", "100", "0s", "1.0 s", "3.0 s", "2.0 s", "1.0 s", "2.0 s", "x 1.50", "30 MB", "", "3.00", "1.00", "1.4 kB"},
		{"way", "1,100", "0s", "1.0 s", "3.0 s", "2.0 s", "1.0 s", "", "", "31 MB", "1000 B", "3.00", "1.00", "1.4 kB"},
		{"way", "2,100", "0s", "1.0 s", "3.0 s", "2.0 s", "1.0 s", "", "", "", "", "3.00", "1.00", "1.4 kB"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected rows (-want +got):\n%s", diff)
	}
}

// TestCases_leaveOutWhatWouldTakeLong has a size below each limit and one above it.
func TestCases_leaveOutWhatWouldTakeLong(t *testing.T) {
	t.Parallel()
	o := options{sizes: []int{5, 2000, 3000}, singles: 2000, latencies: []time.Duration{0, time.Second}}
	got := map[string][]int{}
	for _, c := range o.cases() {
		key := c.name + " " + c.latency.String()
		got[key] = append(got[key], c.people)
	}

	want := map[string][]int{
		"analytics_consent_batch 0s": {5, 2000, 3000}, "analytics_consent 0s": {5, 2000}, "terraform_data 0s": {5, 2000},
		"analytics_consent_batch 1s": {5, 2000, 3000}, "analytics_consent 1s": {5},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected cases (-want +got):\n%s", diff)
	}
}
